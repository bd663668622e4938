// The planner's read-only port to the rest of the instance.
import { z } from 'zod';
import type { StepAnswer } from '#domain/plan/answer.ts';
import type { BriefPage } from '#domain/plan/brief.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { Plan, PlanDraft, PlanSummary } from '#domain/plan/plan.ts';
import type { Playbook, PlaybookValues } from '#domain/plan/playbook.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { ReportActivity } from '#domain/planning/activity.ts';
import type { DataRequest } from '#domain/planning/data-request.ts';
import type { PartStatus, ScaffoldPart } from '#domain/planning/part.ts';
import type { GivenToStep } from '#domain/planning/state.ts';
import type { PlanListFilter } from '#domain/service.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec, ToolOutput } from '#domain/tool.ts';

/** Plans that are there already, for going on with them in the conversation of a run. Nothing of it changes anything. */
export type PlansAtHand = {
  /** A page of a plan's steps. @throws `plan_not_found`, also for a plan that the requester may not see */
  readPage(runId: string, id: string, after: number): Promise<BriefPage>;
  /** Why the change could not be proposed now, as sentences; empty: it can. */
  tryChange(runId: string, id: string, change: PlanPatch): Promise<string[]>;
  /** What would be confirmed to answer a step that waits, in words; or why it cannot be answered so. */
  readAnswer(
    runId: string,
    id: string,
    stepId: string,
    answer: StepAnswer,
  ): Promise<{ given: GivenToStep; text: string } | { problems: string[] }>;
  /**
   * The plan as it could be proposed once more, with other texts in it where `values` has them, by what they stand for.
   * @throws `plan_not_found`, `limit_exceeded` for one that is too large, `invalid_request` where it cannot be
   */
  readDraft(
    runId: string,
    id: string,
    values?: Readonly<Record<string, string>>,
  ): Promise<PlanDraft>;
  /** The plan of a playbook with these values. @throws `not_found`, `invalid_request` where a value is missing or too many */
  readPlaybook(runId: string, name: string, values: PlaybookValues): Promise<PlanDraft>;
  listPlaybooks(runId: string): Promise<Playbook[]>;
};

/** A conversation on a chat platform, and what the person asked for there last. */
export type PostTarget = { conversation: string; about: string };

/** Where the plan of a run can post beside its own conversation. */
export type PostTargets = {
  /** The latest first. */
  list(runId: string): Promise<PostTarget[]>;
  /** Why nothing can be posted in each of `targets`, in a sentence; those where something can are not in it. */
  refuse(runId: string, targets: string[]): Promise<Map<string, string>>;
};

/** A part as its planner left it. */
export type EndedPart = {
  part: ScaffoldPart;
  status: PartStatus;
  steps: StepDraft[];
  /** Why it could not be planned, or what was assumed. */
  message: string | null;
  /** US dollars of its planners. */
  cost_usd: number;
};

/** Planners of their own for the parts of a turn. */
export type PartPlanners = {
  /**
   * Has the parts planned, those that were planned in this turn already excepted, and waits for them.
   * @param report told how many are planned, every few seconds
   * @throws CountersignError `cancelled` when `signal` aborts, or the turn is over
   */
  plan(
    place: { runId: string; turn: number; user: string },
    parts: ScaffoldPart[],
    report: ReportActivity,
    signal: AbortSignal,
  ): Promise<EndedPart[]>;
};

/** Data that is fetched for a run by workers, into artifacts that become those of its plan. */
export type DataRequests = {
  /**
   * Files the request, unless the run has filed the same before, and waits for what comes, for a while: it may still be open then.
   * @throws CountersignError `cancelled` when `signal` aborts, `limit_exceeded` for too many
   */
  fetch(
    runId: string,
    request: { operation: string; args: JsonObject; purpose: string },
    signal: AbortSignal,
  ): Promise<DataRequest>;
  /** What an artifact holds that was fetched for the run; null: there is no such one. */
  load(runId: string, artifactId: string): Promise<Json | null>;
};

/** `own`: in our words and those of the configuration. `foreign`: in the words of files, servers and other people. */
export const Surroundings = z.strictObject({
  own: z.array(z.string()),
  foreign: z.array(z.string()),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** What steps share: how much of each resource pool may be reserved at once, and what back ends can. */
export type Capacity = { pools: Record<string, number>; capabilities: string[] };

export type PlannerTools = {
  /** Every operation a plan may name, in a stable order. */
  manifest(): OperationSpec[];
  /** The read-only operations a planner may call while it plans. */
  readable(): OperationSpec[];
  /** Calls a readable operation. @throws CountersignError with a sentence for the person */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutput>;
  /** What is there now of what a call with these arguments touches, as in the review; null: nobody can tell. Left out: nobody looks. */
  inspect?: (name: string, args: JsonObject, signal: AbortSignal) => Promise<SeenState | null>;
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
  /** Reminders of the requester that will still ring, the next first, each in words; left out: nobody keeps any. */
  listReminders?: (runId: string) => Promise<string[]>;
  /** null: this planner goes on with none. */
  atHand: PlansAtHand | null;
  /** null: nothing can be requested. */
  requests: DataRequests | null;
  /** null: this planner plans all parts itself. */
  parts: PartPlanners | null;
  /** By the configuration; left out: nothing is shared. */
  capacity?: Capacity;
  /** null: nobody knows before the plan is proposed. */
  posts: PostTargets | null;
  /** What there is for the planner of a run to know before it begins; null: nothing is looked at. Never throws. */
  lookAround: ((runId: string, signal: AbortSignal) => Promise<Surroundings>) | null;
};
