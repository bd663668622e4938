// A proposal's state and next action for `/mcp`.
import { z } from 'zod';
import type { Plan } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { factsOf, PlanFacts, State } from './shapes.ts';
import { writeCursor } from './wait.ts';

const advice: Record<State, string> = {
  planning: 'The planner works on it. Call plan_wait with this run.',
  awaiting_approval:
    'It waits for approval, and only people can give it. Give them the link, then call plan_wait.',
  revising: 'People asked for changes, and the planner makes a new version. Call plan_wait.',
  running: 'It was approved and runs. Call plan_wait.',
  needs_person: 'It waits for a person. Give them the link, then call plan_wait.',
  completed: 'It is done. plan_get has what each step gave.',
  failed: 'It ended with failures. plan_get says which and why.',
  rejected: 'It was rejected. Read the feedback before you propose another plan.',
  cancelled: 'It was cancelled; nothing more of it runs.',
};

export const Progress = z.object({
  state: State,
  plan: PlanFacts.nullable().describe('null: there is none yet'),
  run: z.string().nullable().describe('the request of a planner that has made no plan yet'),
  says: z
    .string()
    .nullable()
    .describe("the planner's message or question; people answer at the link"),
  questions: z.array(z.string()),
  cursor: z.string().nullable().describe('send it with plan_wait'),
  next: z.string().describe('what to do now'),
});
export type Progress = z.infer<typeof Progress>;

export function progressOfRun(run: RunView, link: string | null): Progress {
  const planning = run.planning_status === 'running';
  const questions = run.questions ?? [];
  const stops = run.planning_status === 'aborted' || run.planning_status === 'complete';
  return {
    state: planning ? 'planning' : stops ? 'cancelled' : 'needs_person',
    plan: null,
    run: run.run_id,
    says: run.response_text === '' ? null : run.response_text,
    questions,
    cursor: null,
    next: planning
      ? advice.planning
      : stops
        ? 'No plan came of it. Read what the planner says, and propose again in other words or in steps.'
        : `The planner asks. Propose again with what is missing${link === null ? '' : `, or have a person answer at ${link}`}.`,
  };
}

export function progressOf(plan: Plan, link: string | null): Progress {
  const facts = factsOf(plan, link);
  return {
    state: facts.state,
    plan: facts,
    run: null,
    says: null,
    questions: [],
    cursor: writeCursor(plan),
    next: advice[facts.state],
  };
}

/** `PLAN-1a2b3c4d "Tidy up": awaiting_approval, 5 steps. It waits … https://…` */
export function writeProgress({ plan, run, state, says, next }: Progress): string {
  if (plan === null)
    return [`${run ?? ''}: ${state}. ${next}`, ...(says === null ? [] : [says])].join('\n');
  const facts = `${plan.plan} "${onOneLine(plan.title, 100)}": ${state}, ${countOf(plan.steps_total, 'step')}.`;
  const more = [
    plan.result,
    plan.feedback === null ? null : `Feedback: ${onOneLine(plan.feedback, 500)}`,
    next,
  ];
  return [
    [facts, ...more.filter((one) => one !== null)].join(' '),
    ...(plan.link === null ? [] : [plan.link]),
  ].join('\n');
}
