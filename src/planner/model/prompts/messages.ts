// Assembles a stage's messages: system prompt, history, draft, briefing, person.
import type { BriefPlan } from '#domain/plan/brief.ts';
import { isPartRun } from '#domain/planning/part.ts';
import type { OperationSpec } from '#domain/tool.ts';
import type { ChatMessage } from '#models/chat.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';
import type { PlanningLimits } from '../../budget/budget.ts';
import { writeSeen } from '../../catalogue/describe-operation.ts';
import { listCatalogue, listOperations, roomAfter } from '../../catalogue/list-operations.ts';
import type { OperationSearch } from '../../catalogue/search-operations.ts';
import { datesOfSession } from '../../draft/draft-times.ts';
import { showDraft } from '../../draft/show-draft.ts';
import type { Surroundings } from '../../ports.ts';
import { describePlan } from '../../reads/describe-plans.ts';
import { nameWriter } from '../../reads/joined-messages.ts';
import type { StageTask } from '../../reasoner.ts';
import { planGuide } from '../../tools/existing-plans.ts';
import { writeBriefing, writeTask } from './briefing.ts';
import { writeSystemPrompt } from './system-prompt.ts';

const rememberedUtterances = 20;
const maxUtterance = 4000;
const maxLikely = 10;
const likelyCharacters = 500;
/** Characters of seen outputs, likeliest first. */
const seenCharacters = 400;

const withoutOutput = ({ output: _, seen: __, ...spec }: OperationSpec): OperationSpec => spec;

export type MessageParts = Pick<StageTask, 'request' | 'stage' | 'state' | 'current'> & {
  tools: Pick<StageTask['tools'], 'manifest' | 'readable'>;
  around?: Surroundings;
};

export function writeMessages(
  task: MessageParts,
  limits: PlanningLimits,
  catalogue: { search: OperationSearch; guarded: ReadonlySet<string> },
): ChatMessage[] {
  const { request, stage, state, current } = task;
  const { policy, timezone, user, modes } = request;
  const manifest = task.tools.manifest();
  // Seen shapes come in the briefing, so the system prompt stays constant.
  const declared = manifest.map((spec) => (spec.seen === true ? withoutOutput(spec) : spec));
  const constants = {
    guarded: catalogue.guarded,
    readable: new Set(task.tools.readable().map(({ name }) => name)),
  };
  const isPart = isPartRun(state.run_id);
  const all = listCatalogue(declared, constants);
  const words = wordsOf(task);
  const found = state.found.flatMap((name) =>
    all.listed.has(name) ? [] : (manifest.find((spec) => spec.name === name) ?? []),
  );
  const isMore = ({ name, seldom }: OperationSpec) => seldom !== true && !all.listed.has(name);
  const isSeen = ({ name, seen }: OperationSpec) => seen === true && all.listed.has(name);
  const seen = manifest.filter(isSeen);
  // No cut at a relevance gap, since chance hits may rank first.
  const ranked =
    manifest.some(isMore) || seen.length > 1
      ? catalogue.search.find(manifest, words, manifest.length)
      : [];
  const likely = ranked.filter(isMore).slice(0, maxLikely);
  const shown = [...new Set([...found, ...likely])];
  const before = request.history.slice(-rememberedUtterances).map(
    ({ author, text, by }): ChatMessage => ({
      role: author === 'person' ? 'user' : 'assistant',
      content: `${by === undefined ? '' : `${nameWriter(by)}: `}${text.slice(0, maxUtterance)}`,
    }),
  );
  const more: string[] = [];
  const { outline } = state;
  const feedback = feedbackOf(task);
  if (outline?.nodes.some(({ steps }) => steps.length > 0) === true)
    more.push(
      writeDraft(
        showDraft(outline, current, datesOfSession({ ...state, timezone }), words),
        feedback,
        commentsOf(task),
      ),
    );
  more.push(
    writeBriefing({
      state,
      stage,
      user,
      displayName: request.displayName,
      files: request.files,
      policy,
      modes,
      timezone,
      limits,
      likely: listOperations(shown, constants, Math.max(likelyCharacters, roomAfter(all))).lines,
      seen: writeAllSeen([...new Set([...ranked.filter(isSeen), ...seen])]),
      around: task.around ?? { own: [], foreign: [] },
    }),
  );
  if ((request.plans !== undefined || state.has_plans) && stage === 'COLLECT_CONTEXT')
    more.push(writePlans(request.plans ?? [], { timezone, now: new Date(state.now) }));
  return [
    { role: 'system', content: writeSystemPrompt(all.lines, isPart) },
    ...before,
    // The request precedes its feedback; otherwise the person's messages come last.
    ...(feedback.length > 0 ? [request.text, ...more] : [...more, readPicked(request)]).map(
      (content): ChatMessage => ({ role: 'user', content }),
    ),
  ];
}

function writeAllSeen(seen: OperationSpec[]): string[] {
  let left = seenCharacters;
  return seen.map(writeSeen).filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
}

function writePlans(plans: BriefPlan[], at: { timezone: string; now: Date }): string {
  const shown = plans.map((plan) => describePlan(plan, at)).join('\n');
  return [
    planGuide,
    ...(shown === '' ? [] : ['Plans of this conversation:', wrapUntrusted('plans', shown)]),
  ].join('\n');
}

export function continueMessages(
  { state, stage, current, request }: Pick<StageTask, 'state' | 'stage' | 'current' | 'request'>,
  limits: PlanningLimits,
): ChatMessage[] {
  const { outline, hints } = state;
  // After a problem, code may have changed the draft.
  const draft =
    outline === null || hints.length === 0
      ? []
      : [
          writeDraft(
            showDraft(
              outline,
              current,
              datesOfSession({ ...state, timezone: request.timezone }),
              hints.join('\n'),
            ),
            [],
            '',
          ),
        ];
  const texts = [[...draft, ...writeTask(state, stage, limits)].join('\n'), request.text];
  return texts.map((content): ChatMessage => ({ role: 'user', content }));
}

function feedbackOf({ request: { revision }, state: { change } }: MessageParts): string[] {
  const feedback = revision?.feedback ?? [];
  return change === null || feedback.includes(change.feedback)
    ? feedback
    : [...feedback, change.feedback];
}

/** By step ID; empty if the feedback names none. */
function commentsOf({ request: { revision } }: MessageParts): string {
  const about = (revision?.comments ?? []).filter(({ step_id }) => step_id !== null);
  return about.length === 0
    ? ''
    : `\nIts steps by id; every other step stays exactly as it is:\n${about.map(({ step_id, text }) => `${step_id}: ${text}`).join('\n')}`;
}

function wordsOf(task: MessageParts): string {
  const { request } = task;
  const earlier = request.history.filter(({ author }) => author === 'person').slice(-3);
  return [request.text, ...feedbackOf(task), ...earlier.map(({ text }) => text)].join('\n');
}

/** The option, if the person's words only number it. */
function readPicked({ text, writer, answers = [] }: StageTask['request']): string {
  const [only] = answers;
  const isPick = only !== undefined && answers.length === 1 && only.text !== text.trim();
  const words = isPick && /^\d+[.)]?$/.test(text.trim()) ? `${text.trim()}: ${only.text}` : text;
  return writer === undefined ? words : `${nameWriter(writer)}: ${words}`;
}

function writeDraft(draft: string, feedback: string[], comments: string): string {
  const shown = wrapUntrusted('draft', draft);
  if (feedback.length === 0) return `The draft so far:\n${shown}`;
  const numbered = feedback.map((item, index) => `${index + 1}. ${item}`).join('\n');
  return [
    'The person wants the plan below changed: what the last feedback says, and nothing else. The draft holds it; edit it, then submit it.',
    `Feedback, oldest first:\n${numbered}${comments}`,
    shown,
  ].join('\n\n');
}
