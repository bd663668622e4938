// Ends a stage without a model.
import { parseExactly } from '#domain/exact-json.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { AnyJson, JsonObject, makeStorable } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import type { Question } from '../commands/answers.ts';
import type { StageTask } from '../reasoner.ts';
import { unreadId } from './conversation.ts';
import type { Interpretation } from './interpret.ts';

export const toArgs = (value: object): JsonObject =>
  JsonObject.parse(makeStorable(AnyJson.parse(parseExactly(JSON.stringify(value)))));

export type Planned = Extract<Interpretation, { kind: 'plan' | 'group' }>;

export async function conclude(
  task: StageTask,
  decision: Exclude<Interpretation, Planned>,
): Promise<StageEvent> {
  const { state } = task;
  switch (decision.kind) {
    case 'answer':
      return answer(task, decision.text, decision.reason);
    case 'cannot':
      task.stageTools.say(
        { kind: 'cannot', text: decision.text, wanted: decision.wanted },
        decision.reason,
      );
      return 'answered';
    case 'failed':
      return stop(task, decision.code, decision.text, decision.reason);
    case 'questions':
    case 'unread': {
      const { pause } = state;
      // A question would hide what awaits approval.
      if (pause?.kind === 'gate' && pause.gate !== null)
        return answer(task, "I can't read that.", decision.reason);
      if (decision.kind === 'questions') return ask(task, decision.questions, decision.reason);
      return ask(
        task,
        [{ id: unreadId, text: decision.text, options: decision.options }],
        decision.reason,
        decision.text,
      );
    }
    default:
      return decision satisfies never;
  }
}

async function answer(task: StageTask, text: string, reason: string): Promise<StageEvent> {
  const { ends } = await task.stageTools.call('answer', toArgs({ text }), task.signal);
  task.stageTools.explain(reason);
  return ends ?? stop(task, 'internal', "I couldn't send the answer. Ask again.");
}

export async function finish(task: StageTask, tool: string, args: JsonObject): Promise<StageEvent> {
  const { result, ends } = await task.stageTools.call(tool, args, task.signal);
  return (
    ends ?? (result.ok ? 'drafted' : stop(task, 'invalid_draft', result.explanations.join(' ')))
  );
}

const maxQuestion = 500;

/** @param otherwise the reply to an unreadable request */
export async function ask(
  task: StageTask,
  all: Question[],
  reason: string,
  otherwise: string | null = null,
): Promise<StageEvent> {
  const questions = all.slice(0, Math.min(10, Math.max(1, task.request.policy.probing_depth)));
  const fits = questions.every(({ text }) => text.length <= maxQuestion && !text.includes('\n'));
  if (fits || otherwise === null) {
    const args = questions.map(({ id, text, options = [] }) => ({
      ...{ id, question: shorten(text, maxQuestion), why: null, default: null, essential: true },
      options: options.length < 2 ? null : options,
    }));
    const { ends } = await task.stageTools.call(
      'elicit_context',
      toArgs({ questions: args }),
      task.signal,
    );
    task.stageTools.explain(reason);
    if (ends !== undefined) return ends;
  }
  // Questions are off, and nothing sensible can be assumed.
  const why = task.state.change == null ? 'Send the request again with an answer to this: ' : '';
  const text = otherwise ?? `${why}${questions.map((one) => one.text).join(' ')}`;
  task.stageTools.say({ kind: 'cannot', text, wanted: null }, reason);
  return 'answered';
}

export function stop(
  { stageTools }: StageTask,
  code: string,
  text: string,
  reason = text,
): StageEvent {
  stageTools.say({ kind: 'aborted', reason: code, text }, reason);
  return 'fatal_error';
}
