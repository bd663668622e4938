// Planning requests, all from Wednesday, 4 March 2026, 11:00 in Berlin.
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { assignAnswers } from '#domain/planning/asked-question.ts';
import type { Planner, PlanningOutcome, PlanningRequest, Utterance } from '#domain/planning/run.ts';

let runs = 0;

export function request(text: string, more: Partial<PlanningRequest> = {}): PlanningRequest {
  runs += 1;
  return {
    runId: `run-${runs}`,
    text,
    user: 'ana',
    conversation: 'conv-1',
    history: [],
    revision: null,
    turn: 1,
    decision: { kind: 'said' },
    policy: defaultPolicy,
    modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 3 },
    now: new Date('2026-03-04T10:00:00Z'),
    timezone: 'Europe/Berlin',
    ...more,
  };
}

export function plan(
  planner: Planner,
  text: string,
  more: Partial<PlanningRequest> = {},
): Promise<PlanningOutcome> {
  return planner.plan(request(text, more), new AbortController().signal);
}

/** The history includes the bot's answers. */
export async function converse(
  planner: Planner,
  texts: string[],
  policy: InteractionPolicy = defaultPolicy,
): Promise<PlanningOutcome> {
  const history: Utterance[] = [];
  let outcome: PlanningOutcome | undefined;
  for (const text of texts) {
    const answers = assignAnswers(history.at(-1)?.questions ?? [], text);
    outcome = await plan(planner, text, { history: [...history], answers, policy });
    history.push({ author: 'person', text, kind: 'said', answers }, saidBy(outcome));
  }
  if (!outcome) throw new Error('nothing was said');
  return outcome;
}

export function saidBy({ result }: PlanningOutcome): Utterance {
  const text = 'text' in result ? result.text : 'PLAN-3f9a1c20 waits for you.';
  if (result.kind !== 'question') return { author: 'bot', text };
  return { author: 'bot', text, kind: 'question', questions: result.questions };
}

/** Such as `1 workspace_write {"path":"a.txt"} <- 2`. */
export function listSteps(draft: PlanDraft): string[] {
  return draft.steps.map((step) => {
    const after = (step.after ?? []).map((item) => (typeof item === 'string' ? item : item.id));
    const arrow = after.length > 0 ? ` <- ${after.join(',')}` : '';
    return `${step.id} ${step.tool}_${step.operation} ${JSON.stringify(step.args ?? {})}${arrow}`;
  });
}

export function proposalOf(outcome: PlanningOutcome): PlanDraft {
  if (outcome.result.kind !== 'proposal') {
    throw new Error(`no proposal but ${JSON.stringify(outcome.result)}`);
  }
  return outcome.result.draft;
}
