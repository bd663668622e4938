// The service behind every surface; `src/conversation` implements it. One long file, so that a surface reads one contract.
import { z } from 'zod';
import type { AttachedFile } from './attached-file.ts';
import type { PlanCardFacts, Pressed } from './chat/card.ts';
import type {
  ConversationPage,
  ConversationQuery,
  ConversationReader,
} from './chat/conversation-list.ts';
import type { SessionCardFacts, SessionChoice } from './chat/session-card.ts';
import type { Actor } from './people/actor.ts';
import type { LinkCommand, LinkOutcome } from './people/link.ts';
import type { MemoryEntry, MemoryNote } from './people/memory.ts';
import { InteractionPolicy, PolicyOverride } from './people/policy.ts';
import type { StepAnswer } from './plan/answer.ts';
import type { ArtifactContent, ArtifactPage } from './plan/artifact.ts';
import type { Build, BuildMove } from './plan/build.ts';
import { CallDescription, type ShownStep } from './plan/call.ts';
import type { ExpectedStep } from './plan/expected-step.ts';
import type { Finding, FindingAction, FindingStatus, NewFinding } from './plan/finding.ts';
import type { GroupBy, PlanGroups } from './plan/groups.ts';
import type { Inbox, InboxChange, InboxQuery } from './plan/inbox.ts';
import type { WantedModes } from './plan/modes.ts';
import type { OperationForm, OperationOffer, Suggestion } from './plan/operation-form.ts';
import type { PlanPatch } from './plan/patch.ts';
import type { PatchOutcome } from './plan/patch-outcome.ts';
import {
  type Plan,
  type PlanDraft,
  type PlanStatus,
  type PlanSummary,
  type StepComment,
  StepStatus,
} from './plan/plan.ts';
import type { NewPlaybook, Playbook, PlaybookValues } from './plan/playbook.ts';
import type { StepPreview } from './plan/preview.ts';
import type { Recurring, RecurringChange, RecurringOutcome } from './plan/recurring.ts';
import type { PlanScope, ScopedSubject } from './plan/scope.ts';
import { SeenState } from './plan/seen.ts';
import type {
  AuditEntry,
  Change,
  Diff,
  Overview,
  PartitionPage,
  StepChain,
  StepMatches,
  StepPage,
  VersionDiff,
} from './plan/views.ts';
import type { PlanningActivity } from './planning/activity.ts';
import type { PlanningArtifacts } from './planning/artifacts.ts';
import type { DataRequest } from './planning/data-request.ts';
import type { Forecast } from './planning/forecast.ts';
import type { RunRequest, RunView } from './planning/run.ts';
import type { PlanningTrace } from './planning/trace-view.ts';
import type { PlanStats } from './stats.ts';
import { Effect } from './tool.ts';

/** `key`: of destination and sender; `digest`: of the content. */
export type KeyedRequest = { key: string; digest: string };

export const Message = z.object({
  id: z.int(),
  conversation: z.string(),
  run_id: z.string().nullable(),
  author: z.enum(['person', 'bot']),
  name: z.string(),
  text: z.string(),
  /** `text` without what the card shows. */
  above_card: z.string(),
  plan_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type Message = z.infer<typeof Message>;

/** Activity is null for none. */
export type ConversationEvent =
  | { kind: 'message'; message: Message }
  | { kind: 'planning'; planning: PlanningActivity | null };

export type PlanListFilter = {
  status?: PlanStatus[];
  user?: string;
  conversation?: string;
  cursor?: string;
  limit: number;
  within?: PlanScope;
};
export type StepFilter = {
  status?: StepStatus[];
  partition?: string;
  unpartitioned?: true;
  /** Full name, or tool and operation. */
  operation?: string;
  /** By longest chain of predecessors. Excludes other conditions. */
  stage?: number;
  tag?: string;
  /** All in ID, description, operation, partition or arguments, case-insensitive; or a step's number. */
  words?: string;
  /** `review` excludes other conditions. */
  order?: 'position' | 'review';
  cursor?: string;
  limit: number;
};

/** Keeps its ID if that is free here. */
export type ImportedFrom = { id: string; digest: string; exported_at: string };

export const exportKinds = ['export', 'log', 'trace', 'calendar'] as const;
/** `log`: attempts; `trace`: planning; `calendar`: dates. */
export type Export = { plan: string; kind: (typeof exportKinds)[number] };

/** An approval also names the digest. `pressed` deduplicates. */
export type Decision = { version: number; feedback?: string; pressed?: Pressed };
/** `to`: null for the previous version. */
export type GoBack = Decision & { to: number | null };
/** `comments`: with or instead of general feedback. */
export type RequestedChanges = Decision & { comments?: StepComment[] };
/** At most one of `steps` and `except`. Approved steps must include their prerequisites. */
export type Approval = {
  version: number;
  digest: string;
  steps?: string[];
  except?: string[];
  /** The last passed start seen (ISO 8601); such steps start at once. */
  passed?: string;
  pressed?: Pressed;
};
/**
 * For unknown steps or one's own task. `answer`: for all; `answers`: by step. `about`: the state seen; steps that moved on are
 * not settled.
 */
export type Settlement = {
  version: number;
  /** `skip`: also skips steps that need the output. `take_over`: the actor answers for the assignee. */
  steps?: Record<string, 'retry' | 'done' | 'failed' | 'skip' | 'take_over'>;
  answer?: string;
  answers?: Record<string, StepAnswer>;
  about?: Record<string, ExpectedStep>;
  pressed?: Pressed;
};

export type ReportedFinding = NewFinding & { key?: string };

/** `ended_at`: as seen, so that a plan isn't rerun twice. */
export type Rerun = Decision & { ended_at?: string };

export const Simulation = z.object({
  plan_id: z.string(),
  version: z.int(),
  total: z.int(),
  /** At most 200, in a valid order. */
  calls: z.array(
    z.object({
      step_id: z.string(),
      label: z.string(),
      status: StepStatus,
      operation: z.string(),
      target: z.string().nullable(),
      args: z.unknown(),
      effect: Effect,
      guarded: z.boolean(),
      /** On the current state. */
      call: CallDescription,
      /** Null if unknown or made by an earlier step. */
      found: SeenState.shape.state.nullable(),
      changed: z.boolean(),
      /** `task`: a person's step; `confirmation`: of a call. `who`: null for any decider. */
      asks: z
        .object({ kind: z.enum(['task', 'confirmation']), who: z.string().nullable() })
        .nullable(),
    }),
  ),
  /** `usd`: expected; null if unknown or none. */
  cost: z.object({ model_steps: z.int(), usd: z.number().nullable() }),
  operations: z.array(
    z.object({ operation: z.string(), count: z.int(), effect: Effect, guarded: z.boolean() }),
  ),
  problems: z.array(
    z.object({
      step_id: z.string().nullable(),
      label: z.string().exactOptional(),
      reason: z.string(),
    }),
  ),
});
export type Simulation = z.infer<typeof Simulation>;

/** In force, and set by the person. */
export const PolicyView = z.object({
  user: z.string(),
  policy: InteractionPolicy,
  set: PolicyOverride,
  /** Host only: the address is secret. */
  calendar: z.string().nullable(),
});
export type PolicyView = z.infer<typeof PolicyView>;
export type ConversationPolicy = { conversation: string; request: string; policy: PolicyOverride };
/** `keep`: omitted sliders stay, else return to defaults. `pressed`: set in a chat; idempotent. */
export type PolicyChange = {
  policy: PolicyOverride;
  keep: boolean;
  /** See `readCalendarEntry`. */
  calendar?: string;
  pressed?: Pick<Pressed, 'at'>;
};

/**
 * On screen with a word over HTTP: `version` and `digest` of a plan's card, `turn` of a session or reply. `except`: unticked
 * steps.
 */
export type OnScreen = { version?: number; digest?: string; turn?: number; except?: string[] };

/** Stored only by `Service.commit`, in its transaction. */
export type Checked<T> = { readonly stores?: T };

export type BuildChange =
  | Exclude<BuildMove, { kind: 'choose' }>
  | { kind: 'choose'; operation: string };

/** `opened`: the plan's digest when the form was opened, as its `Build` says. */
export type EditedStep = { step: string; opened?: string | undefined };

/** `problem`: why it can't be proposed. `facts`: null without steps. */
export type BuildPreview = { build: Build; facts: PlanCardFacts | null; problem: string | null };

/** Methods throw CountersignError only. Permissions of `actor` are checked here, for every surface. */
export type Service = {
  /** Even if something waits in the conversation. `once`: as in `say`. */
  startRun(
    request: RunRequest,
    actor: Actor,
    options?: { once?: string },
  ): Promise<{ run_id: string; conversation: string }>;
  /** @param reader their reply without a turn refers to this one */
  getRun(id: string, reader?: string): Promise<RunView>;
  /** An answer, a deciding word (`approve`, `propose changes: …`, `undo`, …) or talk. */
  reply(
    runId: string,
    text: string,
    actor: Actor,
    /** `turn`: shown when written; outdated ones have no effect. Others as in `say`, decisions and `getRun`. */
    options?: {
      turn?: number;
      once?: string;
      on_screen?: OnScreen;
      reader?: string;
      pressed?: Pressed;
    },
  ): Promise<void>;
  runCard(runId: string, viewer: { user: string; timezone: string }): Promise<SessionCardFacts>;
  /** @param turn default: the current one @throws `invalid_transition` if no longer being planned */
  stopRun(runId: string, turn: number | undefined, actor: Actor): Promise<RunView>;
  activityIn(conversation: string): Promise<PlanningActivity | null>;
  /** A gate, an RFC, the budget, an escalation, or the run's waiting plan. */
  decideRun(runId: string, choice: SessionChoice, actor: Actor): Promise<RunView>;
  /**
   * Decides, answers or starts a run. `once`: external ID that deduplicates across crashes; `written_at`: decides nothing shown
   * later; `on_screen`: decides only this, and throws if it no longer waits.
   */
  say(
    conversation: string,
    text: string,
    actor: Actor,
    options?: {
      once?: string;
      written_at?: Date;
      on_screen?: OnScreen;
      modes?: WantedModes;
      files?: AttachedFile[];
    },
  ): Promise<{ run_id: string | null }>;
  /** It belongs there or was shown there. */
  isAbout(
    conversation: string,
    subject: { plan_id: string } | { run_id: string },
  ): Promise<boolean>;
  /** Cheap: surfaces ask for everything they overhear. */
  isSpokenIn(conversation: string): Promise<boolean>;
  messages(conversation: string, options: { after?: number; limit: number }): Promise<Message[]>;
  /** Outside chat platforms, latest first; all if no person is named. */
  listConversations(query: ConversationQuery): Promise<ConversationPage>;
  getPolicy(user: string): Promise<PolicyView>;
  conversationPolicies(user: string): Promise<ConversationPolicy[]>;
  setPolicy(user: string, change: PolicyChange, actor: Actor): Promise<PolicyView>;
  /** Newest first. @throws `not_allowed` for anyone else */
  listMemory(user: string, actor: Actor): Promise<MemoryEntry[]>;
  /** Replaces one of the same name. @throws `limit_exceeded` */
  keepMemory(user: string, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** Also replaces another of the same name. @throws `not_found` */
  editMemory(user: string, id: number, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** @throws `not_found` */
  forgetMemory(user: string, id: number, actor: Actor): Promise<MemoryEntry>;
  /**
   * Unlinked accounts are their own person. Adapters call it before showing anything.
   * @throws `forbidden` if refused everywhere
   */
  personOf(account: string): Promise<string>;
  /**
   * A repeated key and digest gets the first response. `check` runs outside the transaction.
   * @throws `key_reused` if the key belongs to another request
   */
  once<C>(
    request: KeyedRequest,
    check: () => Promise<C>,
    work: (service: Service, checked: C) => Promise<unknown>,
  ): Promise<unknown>;
  commit<T>(checked: Checked<T>): Promise<T>;
  noteName(account: string, called: string): Promise<void>;
  shownNames(names: string[]): Promise<Map<string, string>>;
  link(command: LinkCommand, actor: Actor): Promise<LinkOutcome>;

  propose(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Plan>;
  /** @param options.imported origin in another instance */
  checkProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string; imported?: ImportedFrom },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  /** Stores nothing. @throws as `propose` */
  previewProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<PlanCardFacts>;
  /** Best first; without words, the most used. */
  findOperations(words: string, limit: number, actor: Actor): Promise<OperationOffer[]>;
  /** Playbooks, then operations. */
  findForms(words: string, limit: number, actor: Actor): Promise<OperationOffer[]>;
  /** @throws `unknown_operation` */
  getOperation(name: string, actor: Actor): Promise<OperationForm>;
  /** Containing `typed`, for fields with a `pick`. @throws `unknown_operation` */
  suggestValues(name: string, field: string, typed: string, actor: Actor): Promise<Suggestion[]>;
  /** Shared by all their chats and terminals. */
  readBuild(viewer: { user: string; timezone: string }, actor: Actor): Promise<Build>;
  /** In order, up to the first with problems. @throws `unknown_operation`, `limit_exceeded` */
  changeBuild(
    changes: BuildChange[],
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Build>;
  /** The actor's open form of a step of a plan. @throws `stale_version` if it is not the one that was opened */
  readStepEdit(
    id: string,
    about: EditedStep,
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Build>;
  /**
   * As `changeBuild`, on a step of a plan that waits for its approval, or a failed one: `edit` opens it as it is, `add` proposes
   * what was entered as one change. A refusal is a problem of the form. @throws `not_allowed`, `unknown_step`,
   * `invalid_transition` to open; as `readStepEdit`
   */
  changeStepEdit(
    id: string,
    about: EditedStep,
    changes: BuildChange[],
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Build>;
  previewBuild(viewer: { user: string; timezone: string }, actor: Actor): Promise<BuildPreview>;
  /** Then starts empty. @throws as `propose` */
  proposeBuild(
    options: { conversation?: string; once?: string },
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Plan>;
  listPlaybooks(actor: Actor): Promise<Playbook[]>;
  /** @throws `not_found` */
  getPlaybook(name: string, actor: Actor): Promise<{ playbook: Playbook; draft: PlanDraft }>;
  /**
   * Replaces the actor's of that name.
   * @throws `invalid_request` if a parameter's text is not in the plan, `not_allowed` if the name is another's
   */
  savePlaybook(id: string, playbook: NewPlaybook, actor: Actor): Promise<Playbook>;
  /** @throws `not_found`, `not_allowed` for another's */
  removePlaybook(name: string, actor: Actor): Promise<Playbook>;
  /** @throws `not_found`, `invalid_request` for missing or surplus values */
  checkPlaybookRun(
    name: string,
    values: PlaybookValues,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  /** Upcoming, and of running plans; next first. */
  listRecurring(query: { user: string; within?: PlanScope }): Promise<Recurring[]>;
  /**
   * `before`: as it was.
   * @throws `not_found`, `invalid_request`, `already_decided` if something else is next by now, and as `patch`
   */
  changeRecurring(
    id: string,
    change: RecurringChange,
    query: { user: string; within?: PlanScope },
    actor: Actor,
  ): Promise<RecurringOutcome & { before: Recurring }>;
  listPlans(filter: PlanListFilter): Promise<{ plans: PlanSummary[]; next_cursor: string | null }>;
  inbox(query: InboxQuery): Promise<Inbox>;
  /** @param leastPeople per unmet request; default 1 */
  stats(leastPeople?: number, within?: PlanScope): Promise<PlanStats>;
  /** Nonexistent subjects are invisible, except a new conversation. */
  isWithin(
    scope: PlanScope | null,
    subject: ScopedSubject,
    reader?: ConversationReader,
  ): Promise<boolean>;
  getPlan(id: string): Promise<Plan>;
  overview(id: string): Promise<Overview>;
  /** @param compact only each step's last change */
  diff(id: string, since: number, limit: number, compact?: boolean): Promise<Diff>;
  listSteps(id: string, filter: StepFilter): Promise<StepPage>;
  /** By name, with counts and a sample. @throws `plan_not_found` */
  listPartitions(id: string, page: { cursor?: string; limit: number }): Promise<PartitionPage>;
  /** Counted by partition. @throws `plan_not_found` */
  findSteps(id: string, words: string): Promise<StepMatches>;
  /** @param options.times with expected times @throws `plan_not_found`, `invalid_request` */
  groups(id: string, options: { by?: GroupBy; times: boolean }): Promise<PlanGroups>;
  /** Critical path, and times of these steps. @throws `plan_not_found` */
  forecast(id: string, stepIds: string[]): Promise<Forecast>;
  getSteps(id: string, stepIds: string[]): Promise<ShownStep[]>;
  /** @throws `plan_not_found`, `unknown_step` */
  stepChain(id: string, stepId: string): Promise<StepChain>;
  /** Files to write, move or delete, if readable here. @throws `plan_not_found`, `unknown_step` */
  previewSteps(id: string, stepIds: string[]): Promise<StepPreview[]>;
  card(id: string, viewer: { user: string; timezone: string }): Promise<PlanCardFacts>;

  approve(id: string, approval: Approval, actor: Actor): Promise<Plan>;
  checkApproval(id: string, approval: Approval, actor: Actor): Promise<Checked<Plan>>;
  reject(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** @throws `feedback_required` if empty, `unknown_step` */
  proposeChanges(id: string, requested: RequestedChanges, actor: Actor): Promise<Plan>;
  cancel(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Proposes an earlier version again. Withdraws the plan before version 2, or its waiting change. */
  goBack(id: string, decision: GoBack, actor: Actor): Promise<Plan>;
  pause(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** After a pause, stall or unknown steps. */
  resume(id: string, settlement: Settlement, actor: Actor): Promise<Plan>;
  /** For a stalled plan; its steps can be retried. */
  markFailed(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Atomic; widening an approved plan needs approval. */
  patch(id: string, patch: PlanPatch, actor: Actor): Promise<PatchOutcome>;
  checkPatch(id: string, patch: PlanPatch, actor: Actor): Promise<Checked<PatchOutcome>>;
  listPatches(
    id: string,
    options: { cursor?: string; limit: number },
  ): Promise<{ patches: PatchOutcome[]; next_cursor: string | null }>;
  /** Newest first. */
  listFindings(
    id: string,
    options: { status?: FindingStatus[]; cursor?: string; limit: number },
  ): Promise<{ findings: Finding[]; next_cursor: string | null }>;
  /** ERROR and CRITICAL make dependents stale and need the right to decide. @param finding.key deduplicates */
  raiseFinding(id: string, finding: ReportedFinding, actor: Actor): Promise<Finding>;
  settleFinding(id: string, finding: string, action: FindingAction, actor: Actor): Promise<Finding>;
  /** Without content, oldest first. */
  listArtifacts(id: string, options: { cursor?: string; limit: number }): Promise<ArtifactPage>;
  /** @throws `not_found` */
  readArtifact(id: string, artifact: string): Promise<ArtifactContent>;
  /** Oldest first. */
  listRequests(id: string): Promise<DataRequest[]>;
  /** Also those skipped because of them. */
  retry(id: string, decision: Rerun, actor: Actor): Promise<Plan>;
  simulate(id: string, decision: Partial<Decision>, actor: Actor): Promise<Simulation>;

  /** With front matter, in chunks; importable without loss. */
  exportMarkdown(id: string): AsyncIterable<string>;
  checkMarkdown(markdown: string, actor: Actor): Promise<Checked<Plan>>;
  /** ICS, an entry per dated step. */
  exportCalendar(id: string): Promise<string>;
  /** A JSON line per finished attempt, by end. */
  exportLog(id: string): AsyncIterable<string>;
  trace(id: string): Promise<PlanningTrace>;
  runTrace(runId: string): Promise<PlanningTrace>;
  audit(id: string, options: { after?: number; limit: number }): Promise<AuditEntry[]>;
  versionDiff(id: string, a: number, b: number): Promise<VersionDiff>;
  /** The current version's; null if missing. */
  planning(id: string): Promise<PlanningArtifacts>;

  /** Batched per second, until aborted. */
  watchInbox(query: { within?: PlanScope }, signal: AbortSignal): AsyncIterable<InboxChange[]>;
  /** After `since`, until aborted, even after a terminal status. */
  watchPlan(id: string, since: number, signal: AbortSignal): AsyncIterable<Change[]>;
  watchConversation(
    conversation: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<ConversationEvent[]>;
};

export type PlanReads = Pick<
  Service,
  | 'listPlans'
  | 'inbox'
  | 'stats'
  | 'getPlan'
  | 'listSteps'
  | 'card'
  | 'exportMarkdown'
  | 'exportLog'
  | 'exportCalendar'
  | 'trace'
  | 'simulate'
  | 'listRecurring'
  | 'changeRecurring'
>;

/** Everything else appears not to exist. */
export type ServeWithin = (scope: PlanScope) => Service;
