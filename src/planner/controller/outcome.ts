// Turns a session at rest into the planner's outcome.
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { PlanningOutcome, PlanningRequest } from '#domain/planning/run.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { PlannerTools } from '../ports.ts';

type Result = PlanningOutcome['result'];

export function describeFailure(planner: string, message: string): PlanningOutcome {
  return {
    result: {
      kind: 'aborted',
      reason: 'internal',
      text: `Planning failed: ${message} Nothing has changed; ask again.`,
    },
    reason: message,
    planner,
    confidence: null,
    cost_usd: 0,
    trace: [],
    session: null,
  };
}

export function describeSuperseded(planner: string): PlanningOutcome {
  return {
    result: { kind: 'superseded' },
    reason: 'another planner has gone on with this turn',
    planner,
    confidence: null,
    cost_usd: 0,
    trace: [],
    session: null,
  };
}

function weakest(state: Readonly<PlanningState>): number | null {
  const stages = ['VALIDATE_OUTLINE', 'VALIDATE_ROADMAP', 'VALIDATE_SCHEDULE'] as const;
  const known = stages.flatMap((stage) => state.confidence[stage]?.composite ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

/** Explains a plan by the changes it makes (A16). */
function explainPlan(draft: PlanDraft, tools: PlannerTools): string {
  const effects = new Map(tools.manifest().map((spec) => [spec.name, spec.effect]));
  const names = [...new Set(draft.steps.map((step) => `${step.tool}_${step.operation}`))];
  const writes = names.filter((name) => effects.get(name) !== 'read');
  return writes.length > 0
    ? `a plan, because it changes something: ${writes.slice(0, 10).join(', ')}`
    : 'a plan, because it was asked for, though it only reads';
}

function readResult(state: Readonly<PlanningState>, draft: () => PlanDraft | null): Result {
  const { result, pause } = state;
  if (result === null) {
    const text = `Planning stopped without a result (${state.stage}). Ask again.`;
    return { kind: 'aborted', reason: 'internal', text };
  }
  if (result.kind === 'proposal') {
    const proposed = draft();
    const target = state.target ?? null;
    if (proposed !== null)
      return { kind: 'proposal', draft: proposed, ...(target === null ? {} : { target }) };
    return { kind: 'aborted', reason: 'internal', text: 'There is no outline to propose.' };
  }
  // The gate still waits after an answer.
  return result.kind === 'answer' && pause?.kind === 'gate' && pause.gate && pause.digest
    ? { kind: 'gate', gate: pause.gate, digest: pause.digest, text: result.text }
    : result;
}

export function describeOutcome(
  state: Readonly<PlanningState>,
  request: PlanningRequest,
  by: {
    planner: string;
    cost: number;
    tools: PlannerTools;
    stopped: boolean;
    draft: () => PlanDraft | null;
  },
): PlanningOutcome {
  const result: Result = by.stopped
    ? {
        kind: 'aborted',
        reason: 'cancelled',
        text: 'Planning was stopped. Nothing has changed; ask again.',
      }
    : readResult(state, by.draft);
  const reason =
    result.kind === 'patch'
      ? `a change of ${result.plan_id}: ${result.why}`
      : (state.reason ??
        (result.kind === 'proposal'
          ? explainPlan(result.draft, by.tools)
          : result.kind === 'aborted'
            ? result.reason
            : `${result.kind} (${request.decision.kind})`));
  return {
    result,
    reason,
    planner: by.planner,
    confidence: weakest(state),
    cost_usd: by.cost,
    trace: state.trace,
    session: { ...state },
  };
}
