// The planner's read-only port to the rest of the instance.
import type { Plan } from '#domain/plan/plan.ts';
import type { PlanListFilter, PlanSummary } from '#domain/service.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec, ToolOutput } from '#domain/tool.ts';

export type PlannerTools = {
  /** Every operation a plan may name, in a stable order. */
  manifest(): OperationSpec[];
  /** The read-only operations a planner may call while it plans. */
  readable(): OperationSpec[];
  /** Calls a readable operation. @throws CountersignError with a sentence for the person */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * Problems of `args` against the operation's schema, as sentences; empty when they fit.
   * `unknown` names top-level arguments whose values come later: they count as present.
   */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  /** Plans that the requester of this run may see. */
  listPlans(
    runId: string,
    filter: Pick<PlanListFilter, 'status' | 'limit'>,
  ): Promise<{ plans: PlanSummary[] }>;
  /** @throws `plan_not_found`, also for a plan that the requester may not see */
  getPlan(runId: string, id: string): Promise<Plan>;
};
