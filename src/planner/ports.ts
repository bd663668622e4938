// The planner's read-only port to the rest of the instance.
import { z } from 'zod';
import type { Target } from '#domain/chat/post-target.ts';
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
import type { GivenToStep, JoinedWords } from '#domain/planning/state.ts';
import type { PlanListFilter } from '#domain/service.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec, ToolOutput } from '#domain/tool.ts';

/** Plans that are there already, for going on with them in the conversation of a run. Nothing of it changes anything. */
export type PlansAtHand = {
  /** A page of a plan's steps. @throws `plan_not_found`, also for a plan that the requester may not see */
  readPage(runId: string, id: string, after: number): Promise<BriefPage>;
  /** A plan that waits for its approval, as the draft of its next version; null if it doesn't wait, or elsewhere. */
  readWaiting(runId: string, id: string): Promise<{ draft: PlanDraft; version: number } | null>;
  /** Whether the run may show the plan's card. */
  isAtHand(runId: string, id: string): Promise<boolean>;
  /** The plans of the conversation that wait for their approval, the latest first. */
  listWaiting(runId: string): Promise<{ id: string; title: string }[]>;
  /** Why the change could not be proposed now, as sentences; empty if it can. */
  tryChange(runId: string, id: string, change: PlanPatch): Promise<string[]>;
  /** The answer to a waiting step to confirm, in words, or why it cannot be answered this way. */
  readAnswer(
    runId: string,
    id: string,
    stepId: string,
    answer: StepAnswer,
  ): Promise<{ given: GivenToStep; text: string } | { problems: string[] }>;
  /**
   * The plan as a new proposal, with texts replaced according to `values`.
   * @throws `plan_not_found`, `limit_exceeded` for one that is too large, `invalid_request` if it cannot be proposed
   */
  readDraft(
    runId: string,
    id: string,
    values?: Readonly<Record<string, string>>,
  ): Promise<PlanDraft>;
  /** The plan of a playbook with these values. @throws `not_found`, `invalid_request` for missing or superfluous values */
  readPlaybook(runId: string, name: string, values: PlaybookValues): Promise<PlanDraft>;
  listPlaybooks(runId: string): Promise<Playbook[]>;
};

/** A conversation on a chat platform, and what the person asked for there last. */
export type PostTarget = { conversation: string; about: string };

/** The conversations besides its own that a run's plan can post to. */
export type PostTargets = {
  /** The latest first. */
  list(runId: string): Promise<PostTarget[]>;
  /** Each of `targets` (channels and people by name, links, conversations) pinned, or why nothing can be posted there. */
  resolve(runId: string, targets: string[]): Promise<Map<string, Target>>;
};

/** Files attached to the messages of a run's conversation. */
export type AttachedFiles = {
  /** The text of a file. @throws CountersignError with a sentence for the person */
  read(
    runId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<{ name: string; text: string; cut: boolean }>;
};

/** A part as its planner left it. */
export type EndedPart = {
  part: ScaffoldPart;
  status: PartStatus;
  steps: StepDraft[];
  /** Why it could not be planned, or its assumptions. */
  message: string | null;
  /** US dollars of its planners. */
  cost_usd: number;
};

/** Planners of their own for the parts of a turn. */
export type PartPlanners = {
  /**
   * Has the parts planned, except those already planned in this turn, and waits for them.
   * @param report receives the number of planned parts every few seconds
   * @throws CountersignError `cancelled` if `signal` aborts or the turn ends
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
  /** Stores an output that was read, whole. @returns the artifact's ID */
  keep(
    runId: string,
    read: { operation: string; args: JsonObject },
    data: Json,
  ): Promise<string | null>;
  /** The content of an artifact fetched for the run, or null if it does not exist. */
  load(runId: string, artifactId: string): Promise<Json | null>;
};

/** `own`: in our words and those of the configuration. `foreign`: in the words of files, servers and other people. */
export const Surroundings = z.strictObject({
  own: z.array(z.string()),
  foreign: z.array(z.string()),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** Shared means of steps: the capacity of each resource pool, and the capabilities of back ends. */
export type Capacity = { pools: Record<string, number>; capabilities: string[] };

export type PlannerTools = {
  /** Every operation a plan may name, in a stable order. */
  manifest(): OperationSpec[];
  /** The read-only operations a planner may call while it plans. */
  readable(): OperationSpec[];
  /** Calls a readable operation. @throws CountersignError with a sentence for the person */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * The current state of the target of such a call, as in the review, or null if unknown. Omitted if targets are not looked up.
   */
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
  /** People's words while the run's turn is planned, after one of its messages; not possible if left out. */
  hearMore?: (run: { id: string; turn: number }, after: number) => Promise<JoinedWords[]>;
  /** Null if this planner continues no plans. */
  atHand: PlansAtHand | null;
  /** Null if nothing can be requested. */
  requests: DataRequests | null;
  /** Null if this planner plans all parts itself. */
  parts: PartPlanners | null;
  /** From the configuration; omitted if nothing is shared. */
  capacity?: Capacity;
  /** Omitted if no files can be attached. */
  files?: AttachedFiles;
  /** Null if this is unknown before the plan is proposed. */
  posts: PostTargets | null;
  /** The surroundings for the planner of a run, or null if nothing is looked up. Never throws. */
  lookAround: ((runId: string, signal: AbortSignal) => Promise<Surroundings>) | null;
};
