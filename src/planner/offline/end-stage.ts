// How an offline stage ends: with a tool's event, an answer, a question, or a word why it goes no further.
import type { StageEvent } from '#contracts/planning/stages.ts';
import { type Json, JsonObject, makeStorable } from '#contracts/text.ts';
import { shorten } from '#contracts/words.ts';
import type { StageTask } from '../reasoner.ts';
import type { Decision } from './prepare.ts';

/** `said`: the person's latest words, where the request is an earlier one that they are about. */
export type OfflineTask = StageTask & { said: string };

/** Everything the tools take is storable JSON; what is not there is not sent. */
export function toArgs(value: object): JsonObject {
  const parsed: Json = JSON.parse(JSON.stringify(value));
  return JsonObject.parse(makeStorable(parsed));
}

/** What is no plan: an answer, a refusal, a question. */
export async function conclude(
  task: OfflineTask,
  { result, reason }: Decision,
): Promise<StageEvent> {
  const { stageTools, signal, state } = task;
  switch (result.kind) {
    case 'answer':
      return answer(task, result.text, reason, signal);
    case 'cannot':
      stageTools.say(result, reason);
      return 'answered';
    case 'question': {
      const { pause } = state;
      if (pause?.kind !== 'gate' || pause.gate === null) return ask(task, result.questions, reason);
      // Beside something that waits for approval a question back would hide it.
      return answer(task, "I can't tell what is meant.", reason, signal);
    }
    case 'aborted':
      stageTools.say(result, reason);
      return 'fatal_error';
    default:
      return stop(task, 'internal', "I couldn't plan that. Try rephrasing.");
  }
}

async function answer(
  task: OfflineTask,
  text: string,
  reason: string,
  signal: AbortSignal,
): Promise<StageEvent> {
  const { ends } = await task.stageTools.call('answer', toArgs({ text }), signal);
  task.stageTools.explain(reason);
  return ends ?? stop(task, 'internal', 'The answer could not be given. Ask again.');
}

/** Calls the tool that ends the stage; what it finds wrong with the draft is a matter for the person. */
export async function finish(
  task: OfflineTask,
  tool: string,
  args: JsonObject,
): Promise<StageEvent> {
  const { result, ends } = await task.stageTools.call(tool, args, task.signal);
  if (ends !== undefined) return ends;
  if (result.ok) return 'drafted';
  return stop(task, 'invalid_draft', `${result.explanations.join(' ')} Try rephrasing.`);
}

export async function ask(
  task: OfflineTask,
  questions: string[],
  reason: string,
): Promise<StageEvent> {
  const args = toArgs({
    questions: questions.slice(0, 10).map((question) => ({
      question: shorten(question, 500),
      why: null,
      default: null,
      essential: true,
    })),
  });
  const { ends } = await task.stageTools.call('elicit_context', args, task.signal);
  task.stageTools.explain(reason);
  if (ends !== undefined) return ends;
  // Asking was not wanted, and there is nothing sensible to assume.
  const text = `I can't tell what is meant, and was asked to ask nothing: ${questions.join(' ')}`;
  task.stageTools.say({ kind: 'answer', text }, reason);
  return 'answered';
}

export function stop({ stageTools }: StageTask, reason: string, text: string): StageEvent {
  stageTools.say({ kind: 'aborted', reason, text }, reason);
  return 'fatal_error';
}
