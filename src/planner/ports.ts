// The planner's read-only port to the instance.
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

export type PlansAtHand = {
  /** @throws `plan_not_found`, also without access */
  readPage(runId: string, id: string, after: number): Promise<BriefPage>;
  /** As the next version's draft; null unless it waits for approval here. */
  readWaiting(runId: string, id: string): Promise<{ draft: PlanDraft; version: number } | null>;
  isAtHand(runId: string, id: string): Promise<boolean>;
  listWaiting(runId: string): Promise<{ id: string; title: string }[]>;
  /** Problems as sentences. */
  tryChange(runId: string, id: string, change: PlanPatch): Promise<string[]>;
  /** The answer to confirm, or why it is impossible. */
  readAnswer(
    runId: string,
    id: string,
    stepId: string,
    answer: StepAnswer,
  ): Promise<{ given: GivenToStep; text: string } | { problems: string[] }>;
  /** @throws `plan_not_found`, `limit_exceeded`, `invalid_request` if it cannot be proposed */
  readDraft(
    runId: string,
    id: string,
    values?: Readonly<Record<string, string>>,
  ): Promise<PlanDraft>;
  /** @throws `not_found`, `invalid_request` for missing or extra values */
  readPlaybook(runId: string, name: string, values: PlaybookValues): Promise<PlanDraft>;
  listPlaybooks(runId: string): Promise<Playbook[]>;
};

/** `about`: the person's last request there. */
export type PostTarget = { conversation: string; about: string };

export type PostTargets = {
  list(runId: string): Promise<PostTarget[]>;
  /** Pins names and links of channels and people, or says why posting is impossible. */
  resolve(runId: string, targets: string[]): Promise<Map<string, Target>>;
};

/** Files of a run's conversation. */
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
  /** The failure, or the assumptions. */
  message: string | null;
  /** US dollars. */
  cost_usd: number;
};

export type PartPlanners = {
  /**
   * Skips parts planned in this turn. @param report gets the number of planned parts
   * @throws CountersignError `cancelled` if aborted or the turn ends
   */
  plan(
    place: { runId: string; turn: number; user: string },
    parts: ScaffoldPart[],
    report: ReportActivity,
    signal: AbortSignal,
  ): Promise<EndedPart[]>;
};

/** Data that workers fetch into artifacts. */
export type DataRequests = {
  /** Filed once per run; may still be open after the wait. @throws CountersignError `cancelled`, `limit_exceeded` */
  fetch(
    runId: string,
    request: { operation: string; args: JsonObject; purpose: string },
    signal: AbortSignal,
  ): Promise<DataRequest>;
  /** @returns the artifact's ID */
  keep(
    runId: string,
    read: { operation: string; args: JsonObject },
    data: Json,
  ): Promise<string | null>;
  load(runId: string, artifactId: string): Promise<Json | null>;
};

/** `own` words are trusted, `foreign` ones come from files, servers and people. */
export const Surroundings = z.strictObject({
  own: z.array(z.string()),
  foreign: z.array(z.string()),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** `capabilities` of back ends. */
export type Capacity = { pools: Record<string, number>; capabilities: string[] };

/** A live back end. */
export type BackendOffer = {
  id: string;
  operations: string[];
  capabilities: string[];
  concurrency: number;
};

export type PlannerTools = {
  manifest(): OperationSpec[];
  /** A planner may call these. */
  readable(): OperationSpec[];
  /** @throws CountersignError with a sentence for the person */
  call(
    name: string,
    args: JsonObject,
    signal: AbortSignal,
    reader?: Pick<ToolContext, 'user' | 'busyOf'>,
  ): Promise<ToolOutput>;
  /** Learns the output's shape. */
  noteOutput?: (name: string, data: Json) => void;
  /** Omitted: names are compared as written. */
  personsOf?: (names: string[]) => Promise<ReadonlyMap<string, string>>;
  /** The call's target as in the review, or null. Omitted if not looked up. */
  inspect?: (name: string, args: JsonObject, signal: AbortSignal) => Promise<SeenState | null>;
  /** Problems as sentences. `unknown` arguments get values later and count as present. */
  validate(name: string, args: JsonObject, unknown?: string[]): string[];
  /** Visible to the requester. */
  listPlans(
    runId: string,
    filter: Pick<PlanListFilter, 'status' | 'limit'>,
  ): Promise<{ plans: PlanSummary[] }>;
  /** @throws `plan_not_found`, also without access */
  getPlan(runId: string, id: string): Promise<Plan>;
  /** Arrived while planning, after message `after`. */
  readJoined?: (run: { id: string; turn: number }, after: number) => Promise<JoinedWords[]>;
  /** Null if this planner continues no plans. */
  atHand: PlansAtHand | null;
  requests: DataRequests | null;
  /** Null if it plans all parts itself. */
  parts: PartPlanners | null;
  capacity?: Capacity;
  backends?: () => Promise<BackendOffer[]>;
  /** Expected US dollars of a step that asks a model. */
  estimateStep?: () => Promise<number>;
  files?: AttachedFiles;
  posts: PostTargets | null;
  /** Null to skip. Never throws. */
  lookAround: ((runId: string, signal: AbortSignal) => Promise<Surroundings>) | null;
};
