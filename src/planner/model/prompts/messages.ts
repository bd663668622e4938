// Builds the model's messages for a stage: system prompt, task, history, and the session so far.
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { ChatMessage } from '#models/chat.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';
import type { PlanningLimits } from '../../budget/limits.ts';
import type { StageTask } from '../../reasoner.ts';
import { writeSystemPrompt } from './system-prompt.ts';

const rememberedUtterances = 20;
const utteranceAtMost = 4000;

export function writeMessages(task: StageTask, limits: PlanningLimits): ChatMessage[] {
  const { request, stage, state, current, stageTools } = task;
  const { policy, timezone, revision } = request;
  const system = writeSystemPrompt({
    stage,
    policy,
    timezone,
    now: new Date(state.now),
    modes: request.modes,
    manifest: task.tools.manifest(),
  });
  const before = request.history.slice(-rememberedUtterances).map(
    ({ author, text }): ChatMessage => ({
      role: author === 'person' ? 'user' : 'assistant',
      content: text.slice(0, utteranceAtMost),
    }),
  );
  const more: string[] = [];
  const previous = current ?? revision?.previous ?? null;
  if (previous !== null && (revision !== null || state.change !== null)) {
    const feedback = revision?.feedback ?? (state.change === null ? [] : [state.change.feedback]);
    more.push(writeRevisionPrompt(previous, feedback, stage));
  }
  const briefing = writeBriefing(state, stageTools.stage, limits);
  if (briefing !== '') more.push(briefing);
  return [
    { role: 'system', content: system },
    ...before,
    ...more.map((content): ChatMessage => ({ role: 'user', content })),
    { role: 'user', content: request.text },
  ];
}

// Asks for a new version of what the person wants changed.
function writeRevisionPrompt(previous: PlanDraft, feedback: string[], stage: Stage): string {
  const what =
    stage === 'DRAFT_ROADMAP'
      ? 'Change only the order, as the feedback says.'
      : stage === 'DRAFT_SCHEDULE'
        ? 'Change only times, as the feedback says.'
        : stage === 'SEEK_APPROVAL'
          ? 'Say what their feedback concerns.'
          : 'Propose a new version (generate_nodes, or plan_propose for a plan of plain steps) that takes all of their feedback into account.';
  return [
    `The person wants the plan below changed. ${what}`,
    'Keep the ids, words and order of everything that the feedback is not about.',
    `Feedback, oldest first:\n${feedback.map((item, index) => `${index + 1}. ${item}`).join('\n')}`,
    wrapUntrusted('refused_plan', JSON.stringify(previous)),
  ].join('\n\n');
}

// What the session has so far, for a model that comes fresh to each stage.

/** Titles that stand in a hint may have been copied from anywhere: none of them begins a line of ours. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Empty when there is nothing to say. */
export function writeBriefing(
  state: Readonly<PlanningState>,
  stage: Stage,
  limits: PlanningLimits,
): string {
  const { pattern, rfc, outline, hints, assumed, offered } = state;
  const lines: string[] = [];
  if (pattern !== null && stage !== 'COLLECT_CONTEXT') {
    const { pattern_type, subtype, variant } = pattern;
    const names = [pattern_type, subtype, variant].filter((name) => name !== undefined);
    lines.push(`The pattern is ${onOneLine(names.join(' / '))}.`);
  }
  if (rfc?.status === 'approved') lines.push(`A person has approved ${rfc.proposes}.`);
  if (rfc?.status === 'rejected')
    lines.push(`A person has refused ${rfc.proposes}: use a known pattern and subtype.`);
  if (offered.length > 0) lines.push(wrapUntrusted('offered', JSON.stringify(offered)));
  if (assumed.length > 0)
    lines.push('Assumed instead of asked:', ...assumed.map((one) => `- ${onOneLine(one)}`));
  if (outline !== null && hints.length > 0)
    lines.push(
      'This was drafted, and is to be mended:',
      wrapUntrusted('outline', JSON.stringify(outline)),
    );
  if (hints.length > 0) {
    const tries = state.retries[stage] ?? 1;
    lines.push(
      `Try ${tries + 1} of ${limits.retries + 1}. What was wrong, and is to be put right first:`,
      ...hints.map((hint) => `- ${onOneLine(hint)}`),
      'Keep it small: fewer nodes, plain names, only what was asked for.',
    );
  }
  return lines.join('\n');
}
