// route_change: which part of a plan feedback concerns. The reasoner chooses; if it cannot tell, the person picks one of four.
// Nothing here reads the feedback itself.
import { z } from 'zod';
import { askedQuestion } from '#domain/planning/asked-question.ts';
import type { Gate, StageEvent } from '#domain/planning/stages.ts';
import type { ChangeRequest, Pause } from '#domain/planning/state.ts';
import { fail, succeed } from '../agent/agent-tool.ts';
import { questionsAllowed } from '../policy/effects.ts';
import type { ToolContext, ToolOutcome } from './planning-tool.ts';

const choices = {
  outline: 'What is done',
  roadmap: 'The order',
  schedule: 'Dates or durations',
  steps: 'The wording or values of steps',
} as const;
type Choice = keyof typeof choices;
const choiceNames = Object.keys(choices) as Choice[];

export const RouteChange = z.strictObject({
  stage: z
    .enum(choiceNames)
    .nullable()
    .describe(
      'outline: work is added, removed, split or repeated; steps: words or values of steps; roadmap: only the order; schedule: only dates, times, durations or deadlines. Of several, the first that applies. null: you cannot tell.',
    ),
  reason: z.string().describe('Why, in a few words.'),
});

const order: Gate[] = ['outline', 'roadmap', 'schedule'];

/** Steps are drafted with the outline. */
function gateOf(choice: Choice): Gate {
  return choice === 'steps' ? 'outline' : choice;
}

/** The artifact that the person was shown: feedback cannot concern one that comes after it. */
export function gateShown(pause: Pause | null): Gate {
  return pause?.gate ?? 'schedule';
}

const changeEvents: Record<Gate, StageEvent> = {
  outline: 'change_outline',
  roadmap: 'change_roadmap',
  schedule: 'change_schedule',
};

export function routeChange(
  { stage, reason }: z.infer<typeof RouteChange>,
  { state, policy }: ToolContext,
): ToolOutcome {
  const { change, pause } = state;
  if (change === null) return { result: fail('Nobody has asked for a change.') };
  if (stage === null && questionsAllowed(policy, 0) > 0) return askPerson(change, pause);
  // Without a choice everything after the outline is made again, which covers every kind of change.
  const wanted = gateOf(stage ?? 'outline');
  const shown = gateShown(pause);
  const gate = order.indexOf(wanted) <= order.indexOf(shown) ? wanted : shown;
  return {
    result: succeed({ stage, gate }, reason.slice(0, 300)),
    changes: {
      pause: null,
      result: null,
      // Approvals bind digests: what comes out the same stays approved.
      change: { ...change, gate },
    },
    ends: changeEvents[gate],
  };
}

function askPerson({ feedback }: ChangeRequest, pause: Pause | null): ToolOutcome {
  const question = askedQuestion(`What should change about the plan: “${feedback.slice(0, 200)}”?`);
  const lines = choiceNames.map((name, index) => `${index + 1}. ${choices[name]}`);
  return {
    result: succeed(null, 'The person is asked what the feedback concerns.'),
    changes: {
      result: {
        kind: 'question',
        text: [question.text, ...lines].join('\n'),
        questions: [question],
      },
      pause: {
        kind: 'questions',
        resume: 'SEEK_APPROVAL',
        gate: pause?.gate ?? null,
        digest: null,
      },
      reason: 'the feedback does not say what it concerns',
    },
    ends: 'needs_clarification',
  };
}

/**
 * The change with the person's answer to the question above: one of the choices, by number or name. Anything else is more
 * feedback, for which the outline is drafted again, so that nobody is asked twice.
 */
export function answerChoice(change: ChangeRequest, answer: string): ChangeRequest {
  const said = answer
    .trim()
    .replace(/[.)]+$/, '')
    .toLowerCase();
  const choice = choiceNames.find(
    (name, index) =>
      said === String(index + 1) || said === name || said === choices[name].toLowerCase(),
  );
  if (choice !== undefined) return { ...change, gate: gateOf(choice) };
  return { feedback: `${change.feedback}\n${answer}`.slice(0, 10_000), gate: 'outline' };
}
