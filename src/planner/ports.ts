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
import type { OperationSpec, ToolContext, ToolOutput } from '#domain/tool.ts';

/** Existing plans that can be continued in a run's conversation. Read-only. */
export type PlansAtHand = {
  /** @throws `plan_not_found`, also for a plan that the requester may not see */
  readPage(runId: string, id: string, after: number): Promise<BriefPage>;
  /** As the draft of the next version; null unless the plan waits for approval here. */
  readWaiting(runId: string, id: string): Promise<{ draft: PlanDraft; version: number } | null>;
  /** The run may show the plan's card. */
  isAtHand(runId: string, id: string): Promise<boolean>;
  /** Plans of the conversation that wait for approval, the latest first. */
  listWaiting(runId: string): Promise<{ id: string; title: string }[]>;
  /** Why the change can't be proposed now; empty if it can. */
  tryChange(runId: string, id: string, change: PlanPatch): Promise<string[]>;
  /** The answer in words for confirmation, or why the step cannot be answered this way. */
  readAnswer(
    runId: string,
    id: string,
    stepId: string,
    answer: StepAnswer,
  ): Promise<{ given: GivenToStep; text: string } | { problems: string[] }>;
  /**
   * As a new proposal, with `values` replaced. @throws `plan_not_found`, `limit_exceeded` for one that is too large,
   * `invalid_request` if it cannot be proposed
   */
  readDraft(
    runId: string,
    id: string,
    values?: Readonly<Record<string, string>>,
  ): Promise<PlanDraft>;
  /** @throws `not_found`, `invalid_request` for missing or superfluous values */
  readPlaybook(runId: string, name: string, values: PlaybookValues): Promise<PlanDraft>;
  listPlaybooks(runId: string): Promise<Playbook[]>;
};

/** On a chat platform. `about`: the person's last request there. */
export type PostTarget = { conversation: string; about: string };

/** Other conversations that a run's plan can post to. */
export type PostTargets = {
  list(runId: string): Promise<PostTarget[]>;
  /** Pins channels and people by name, links and conversations, or says why posting there is impossible. */
  resolve(runId: string, targets: string[]): Promise<Map<string, Target>>;
};

/** Attached to messages of a run's conversation. */
export type AttachedFiles = {
  /** @throws CountersignError with a sentence for the person */
  read(
    runId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<{ name: string; text: string; cut: boolean }>;
};

export type EndedPart = {
  part: ScaffoldPart;
  status: PartStatus;
  steps: StepDraft[];
  /** Why it could not be planned, or its assumptions. */
  message: string | null;
  /** US dollars of its planners. */
  cost_usd: number;
};

/** Each part of a turn has a planner of its own. */
export type PartPlanners = {
  /**
   * Waits until all parts are planned; skips those already planned in this turn. @param report receives the number of planned
   * parts @throws CountersignError `cancelled` if `signal` aborts or the turn ends
   */
  plan(
    place: { runId: string; turn: number; user: string },
    parts: ScaffoldPart[],
    report: ReportActivity,
    signal: AbortSignal,
  ): Promise<EndedPart[]>;
};

/** Workers fetch data for a run into artifacts, which become those of its plan. */
export type DataRequests = {
  /**
   * Files the request once per run and waits a while for the data; it may still be open then. @throws CountersignError
   * `cancelled` when `signal` aborts, `limit_exceeded` for too many
   */
  fetch(
    runId: string,
    request: { operation: string; args: JsonObject; purpose: string },
    signal: AbortSignal,
  ): Promise<DataRequest>;
  /** Stores a whole output. @returns the artifact's ID */
  keep(
    runId: string,
    read: { operation: string; args: JsonObject },
    data: Json,
  ): Promise<string | null>;
  /** Null if the run has no such artifact. */
  load(runId: string, artifactId: string): Promise<Json | null>;
};

/** `own`: in our words and those of the configuration. `foreign`: in the words of files, servers and other people. */
export const Surroundings = z.strictObject({
  own: z.array(z.string()),
  foreign: z.array(z.string()),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** Per resource pool; `capabilities` of back ends. */
export type Capacity = { pools: Record<string, number>; capabilities: string[] };

export type PlannerTools = {
  /** All that a plan may name, in a stable order. */
  manifest(): OperationSpec[];
  /** Operations that a planner may call. */
  readable(): OperationSpec[];
  /** @param reader the person it is read for @throws CountersignError with a sentence for the person */
  call(
    name: string,
    args: JsonObject,
    signal: AbortSignal,
    reader?: Pick<ToolContext, 'user' | 'busyOf'>,
  ): Promise<ToolOutput>;
  /** The persons behind names, where linked. Omitted: names are compared as written. */
  personsOf?: (names: string[]) => Promise<ReadonlyMap<string, string>>;
  /** The target of such a call, as in the review, or null if unknown. Omitted if targets are not looked up. */
  inspect?: (name: string, args: JsonObject, signal: AbortSignal) => Promise<SeenState | null>;
  /**
   * Problems as sentences; empty when `args` fit. `unknown` names top-level arguments whose values come later: they count as
   * present.
   */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  /** Those that the run's requester may see. */
  listPlans(
    runId: string,
    filter: Pick<PlanListFilter, 'status' | 'limit'>,
  ): Promise<{ plans: PlanSummary[] }>;
  /** @throws `plan_not_found`, also for a plan that the requester may not see */
  getPlan(runId: string, id: string): Promise<Plan>;
  /** Messages that arrive while the turn is planned, after message `after`. */
  readJoined?: (run: { id: string; turn: number }, after: number) => Promise<JoinedWords[]>;
  /** Null if this planner continues no plans. */
  atHand: PlansAtHand | null;
  /** Null if nothing can be requested. */
  requests: DataRequests | null;
  /** Null if this planner plans all parts itself. */
  parts: PartPlanners | null;
  capacity?: Capacity;
  /** US dollars that a step which asks a model is likely to cost. Omitted if unknown. */
  estimateStep?: () => Promise<number>;
  /** Omitted if no files can be attached. */
  files?: AttachedFiles;
  /** Null if unknown before the plan is proposed. */
  posts: PostTargets | null;
  /** Null if nothing is looked up. Never throws. */
  lookAround: ((runId: string, signal: AbortSignal) => Promise<Surroundings>) | null;
};
