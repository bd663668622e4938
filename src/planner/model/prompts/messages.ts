// What the model is sent for a stage: standing instructions, the stage's task, what was said, and what there is so far.
import type { ChatMessage } from '#models/chat-model.ts';
import type { PlanningLimits } from '../../budget/limits.ts';
import type { StageTask } from '../../reasoner.ts';
import { writeBriefing } from './briefing.ts';
import { writeRevisionPrompt } from './revision-prompt.ts';
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
