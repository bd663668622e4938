// summarize: what the session says, as its reader likes it; where it says nothing yet, what there is so far. No model.
import { z } from 'zod';
import { workingStages } from '#contracts/planning/stages.ts';
import type { PlanningState, SessionResult } from '#contracts/planning/state.ts';
import type { InteractionPolicy } from '#contracts/policy.ts';
import { StorableText } from '#contracts/text.ts';
import { countOf, listOf } from '#contracts/words.ts';
import { succeed } from '../agent/agent-tool.ts';
import { callToAction } from '../policy/calls-to-action.ts';
import { summarizeText } from '../policy/summarize-text.ts';
import type { Desk, PlanningTool, ToolOutcome } from './planning-tool.ts';

const Summarize = z.strictObject({
  text: StorableText.max(50_000)
    .nullable()
    .describe('What is to be put in the words the person likes; null: what the session says.'),
});
export type Summarize = z.infer<typeof Summarize>;

/** How far planning has come, in a sentence or two. */
export function describeProgress({
  outline,
  roadmap,
  schedule,
  pattern,
}: Readonly<PlanningState>): string {
  if (outline === null) {
    return pattern === null
      ? 'Nothing is planned yet.'
      : 'The shape of the work is chosen; nothing is planned yet.';
  }
  const tasks = outline.nodes.filter(({ structure }) => structure === 'task').length;
  const done = [
    `an outline of “${outline.title}” with ${countOf(tasks, 'task')}`,
    ...(roadmap === null ? [] : ['their order']),
    ...(schedule === null ? [] : ['when they happen']),
  ];
  const open = [
    ...(roadmap === null ? ['their order'] : []),
    ...(schedule === null ? ['when they happen'] : []),
  ];
  const missing = open.length === 0 ? '' : ` Still open: ${listOf(open)}.`;
  return `There is ${listOf(done)} so far.${missing}`;
}

/** What is said when a turn has reached its soft ceiling: how far it came, what it cost, and the question. */
export function describeBudgetStop(
  state: Readonly<PlanningState>,
  policy: InteractionPolicy,
): string {
  const cost = `Planning has cost $${state.cost_usd.toFixed(2)} this turn.`;
  const body = summarizeText(`${describeProgress(state)} ${cost}`, policy);
  return `${body}\n${callToAction({ kind: 'budget' }, policy)}`;
}

function withText(result: SessionResult, text: string): SessionResult {
  return result.kind === 'proposal' ? result : { ...result, text };
}

function retell({ text }: Summarize, { state, policy }: Desk): ToolOutcome {
  const { result } = state;
  if (text !== null) return { result: succeed({ text: summarizeText(text, policy) }) };
  if (result === null || result.kind === 'proposal') {
    return { result: succeed({ text: summarizeText(describeProgress(state), policy) }) };
  }
  // Questions and gates are written for their reader already; each line of theirs is needed.
  if (result.kind === 'question' || result.kind === 'gate' || result.kind === 'rfc') {
    return { result: succeed({ text: result.text }) };
  }
  const said = summarizeText(result.text, policy);
  return {
    result: succeed({ text: said }),
    ...(said === result.text ? {} : { changes: { result: withText(result, said) } }),
  };
}

export const summarize: PlanningTool<Summarize> = {
  name: 'summarize',
  description:
    'Puts a text into the words this person likes: the outcome first, as long as they read, in their tone.',
  input: Summarize,
  stages: [...workingStages],
  prerequisites: [],
  produces: [],
  automatic: { text: null },
  revision: 1,
  run: async (input, desk) => retell(input, desk),
};
