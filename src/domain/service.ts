// The service behind cards, slash command, HTTP, console and terminal. `src/conversation` provides it. Over 400 lines: one
// interface is what keeps the surfaces alike, and the types are its arguments.
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

/** `key`: destination and sender's name for it; `digest`: of the content. */
export type KeyedRequest = { key: string; digest: string };

export const Message = z.object({
  id: z.int(),
  conversation: z.string(),
  run_id: z.string().nullable(),
  author: z.enum(['person', 'bot']),
  name: z.string(),
  text: z.string(),
  /** `text` without what the card below it shows. */
  above_card: z.string(),
  /** Draws this plan's card under the text. */
  plan_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type Message = z.infer<typeof Message>;

/** A conversation's event: a message, or a change of its planning activity (null for none). */
export type ConversationEvent =
  | { kind: 'message'; message: Message }
  | { kind: 'planning'; planning: PlanningActivity | null };

export type PlanListFilter = {
  status?: PlanStatus[];
  user?: string;
  conversation?: string;
  cursor?: string;
  limit: number;
  /** Restricts to one organisation. */
  within?: PlanScope;
};
export type StepFilter = {
  status?: StepStatus[];
  partition?: string;
  unpartitioned?: true;
  /** Only steps that call this operation, by tool and operation. */
  operation?: string;
  /** Only steps of this stage: one more than their longest chain of predecessors. Excludes other conditions. */
  stage?: number;
  tag?: string;
  /** Words that must all be in a step's ID, description, operation, partition or arguments, case-insensitive; or its number. */
  words?: string;
  /** `review`: calls to review first; excludes other conditions. */
  order?: 'position' | 'review';
  cursor?: string;
  limit: number;
};

/** An imported plan's origin: ID, digest and export time. Keeps its ID if that is free here. */
export type ImportedFrom = { id: string; digest: string; exported_at: string };

/** A plan's record for a chat: Markdown (`export`), what ran (`log`), how it was planned (`trace`). */
export type Export = { plan: string; kind: 'export' | 'log' | 'trace' };

/** A decision names its version; an approval also the digest. `pressed` deduplicates it. */
export type Decision = { version: number; feedback?: string; pressed?: Pressed };
/** `to`: the version, or null for the one before. */
export type GoBack = Decision & { to: number | null };
/** `comments`: on single steps, with or instead of general feedback. */
export type RequestedChanges = Decision & { comments?: StepComment[] };
/**
 * `steps`: approves only these; `except`: all but these; at most one is given. Approved steps must include all their
 * prerequisites.
 */
export type Approval = {
  version: number;
  digest: string;
  steps?: string[];
  except?: string[];
  /** The last passed start that the reader saw, ISO 8601: such steps start at once. */
  passed?: string;
  pressed?: Pressed;
};
/**
 * A person's settlement of unknown steps or their own task. `answer`: for all; `answers`: for one each, as text or form values.
 * `about`: the state seen; a step that moved on is not settled.
 */
export type Settlement = {
  version: number;
  /**
   * `skip`: continues without a failed step and those that need its output. `take_over`: the actor answers instead of the
   * assignee.
   */
  steps?: Record<string, 'retry' | 'done' | 'failed' | 'skip' | 'take_over'>;
  answer?: string;
  answers?: Record<string, StepAnswer>;
  about?: Record<string, ExpectedStep>;
  pressed?: Pressed;
};

/** A finding reported by a person or monitor. */
export type ReportedFinding = NewFinding & { key?: string };

/** `ended_at`: the end that was seen, so that a plan isn't run again twice. */
export type Rerun = Decision & { ended_at?: string };

export const Simulation = z.object({
  plan_id: z.string(),
  version: z.int(),
  total: z.int(),
  /** The first calls (at most 200), in a valid order. */
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
      /** Its effect on what is there now. */
      call: CallDescription,
      /** The target now, or null if that can't be known or an earlier step makes it. */
      found: SeenState.shape.state.nullable(),
      /** It differs from when the plan was proposed. */
      changed: z.boolean(),
      /** `task`: a person's own step; `confirmation`: one confirms the call before it runs. `who`: null for any decider. */
      asks: z
        .object({ kind: z.enum(['task', 'confirmation']), who: z.string().nullable() })
        .nullable(),
    }),
  ),
  /** Steps that call a model, and their expected cost, or null if unknown or none. */
  cost: z.object({ model_steps: z.int(), usd: z.number().nullable() }),
  /** Calls by operation, over the whole plan. */
  operations: z.array(
    z.object({ operation: z.string(), count: z.int(), effect: Effect, guarded: z.boolean() }),
  ),
  /** `label`: the step's label. */
  problems: z.array(
    z.object({
      step_id: z.string().nullable(),
      label: z.string().exactOptional(),
      reason: z.string(),
    }),
  ),
});
export type Simulation = z.infer<typeof Simulation>;

/** A person's communication preferences: in force, and set by them. */
export const PolicyView = z.object({
  user: z.string(),
  policy: InteractionPolicy,
  set: PolicyOverride,
  /** The host of the connected calendar; its address is a secret. */
  calendar: z.string().nullable(),
});
export type PolicyView = z.infer<typeof PolicyView>;
/** `request`: the person's last request in that conversation. */
export type ConversationPolicy = { conversation: string; request: string; policy: PolicyOverride };
/** `keep`: omitted sliders keep their value, else return to defaults. `pressed`: set in a chat; idempotent, so without a key. */
export type PolicyChange = {
  policy: PolicyOverride;
  keep: boolean;
  /** As in `readCalendarEntry`. */
  calendar?: string;
  pressed?: Pick<Pressed, 'at'>;
};

/**
 * The screen content for a word sent over HTTP: `version` and `digest` of a plan's card, `turn` and `digest` of a session's, or
 * `turn` of the run's last reply. `except`: unticked steps.
 */
export type OnScreen = { version?: number; digest?: string; turn?: number; except?: string[] };

/** A checked but unstored change, stored only by `Service.commit`, in its transaction. */
export type Checked<T> = { readonly stores?: T };

/** A move of a plan built by form; an operation is chosen by name. */
export type BuildChange =
  | Exclude<BuildMove, { kind: 'choose' }>
  | { kind: 'choose'; operation: string };

/** The plan built so far, and its card; `problem`: why it can't be proposed. Without steps there is neither. */
export type BuildPreview = { build: Build; facts: PlanCardFacts | null; problem: string | null };

/** Every method may throw CountersignError only. `actor` is the caller; permissions are checked here, for every surface. */
export type Service = {
  /** A new request, even if something waits in its conversation. `once`: as in `say`. */
  startRun(
    request: RunRequest,
    actor: Actor,
    options?: { once?: string },
  ): Promise<{ run_id: string; conversation: string }>;
  /** @param reader sees this turn, which their reply without a turn refers to */
  getRun(id: string, reader?: string): Promise<RunView>;
  /** An answer, a deciding word (`approve`, `reject`, `propose changes: …`, `undo`, `cancel`, `status`) or talk. */
  reply(
    runId: string,
    text: string,
    actor: Actor,
    /**
     * `turn`: shown when it was written; outdated ones have no effect. `once` and `on_screen` as in `say`, `pressed` as in a
     * decision, `reader` as in `getRun`.
     */
    options?: {
      turn?: number;
      once?: string;
      on_screen?: OnScreen;
      reader?: string;
      pressed?: Pressed;
    },
  ): Promise<void>;
  runCard(runId: string, viewer: { user: string; timezone: string }): Promise<SessionCardFacts>;
  /**
   * Stops a run's planner.
   * @param turn the one that was seen; default: the current one
   * @throws `invalid_transition` if it is no longer being planned
   */
  stopRun(runId: string, turn: number | undefined, actor: Actor): Promise<RunView>;
  activityIn(conversation: string): Promise<PlanningActivity | null>;
  /** Decides on what a session shows: a gate, an RFC, the budget, an escalation, or the run's waiting plan. */
  decideRun(runId: string, choice: SessionChoice, actor: Actor): Promise<RunView>;
  /**
   * A message in a conversation: decides, answers the open question, or starts a run. `once`: an external ID that deduplicates it
   * across crashes; `written_at`: it decides nothing shown later; `on_screen`: it decides only this, and throws if that no longer
   * waits; `modes`: planning modes.
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
  /** Whether a plan or run belongs to a conversation or was shown there. */
  isAbout(
    conversation: string,
    subject: { plan_id: string } | { run_id: string },
  ): Promise<boolean>;
  /** Whether it has any message. Cheap: surfaces ask for everything they overhear. */
  isSpokenIn(conversation: string): Promise<boolean>;
  messages(conversation: string, options: { after?: number; limit: number }): Promise<Message[]>;
  /** Conversations outside chat platforms, latest first; all if no person is named or no accounts are linked. */
  listConversations(query: ConversationQuery): Promise<ConversationPage>;
  getPolicy(user: string): Promise<PolicyView>;
  /** Recent preferences that apply to single conversations. */
  conversationPolicies(user: string): Promise<ConversationPolicy[]>;
  setPolicy(user: string, change: PolicyChange, actor: Actor): Promise<PolicyView>;
  /** A person's memory, newest first. @throws `not_allowed` for anyone else */
  listMemory(user: string, actor: Actor): Promise<MemoryEntry[]>;
  /** Stores a note, replacing one of the same name. @throws `limit_exceeded` */
  keepMemory(user: string, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** Replaces the entry, and another of the same name. @throws `not_found` */
  editMemory(user: string, id: number, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** @throws `not_found` */
  forgetMemory(user: string, id: number, actor: Actor): Promise<MemoryEntry>;
  /**
   * The person behind an account; an unlinked account is its own person. All methods resolve `actor` and `user`; adapters call it
   * before showing anything.
   * @throws `forbidden` if the person is refused everywhere
   */
  personOf(account: string): Promise<string>;
  /**
   * Runs `work` on the given service once: a repeated key and digest gets the first JSON response. `check` runs before, outside
   * the transaction.
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
  /** Links a person's accounts, or shows or removes links. `actor.id` is the account itself. */
  link(command: LinkCommand, actor: Actor): Promise<LinkOutcome>;

  propose(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Plan>;
  /** @param options.imported its origin in another instance */
  checkProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string; imported?: ImportedFrom },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  /** The card a draft would have, storing nothing. @throws what `propose` would */
  previewProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<PlanCardFacts>;
  /** Operations by purpose, best first; without words, the frequently used ones. */
  findOperations(words: string, limit: number, actor: Actor): Promise<OperationOffer[]>;
  /** Matching playbooks, then operations as from `findOperations`: each has a form in the builder. */
  findForms(words: string, limit: number, actor: Actor): Promise<OperationOffer[]>;
  /** An operation with its form's fields. @throws `unknown_operation` */
  getOperation(name: string, actor: Actor): Promise<OperationForm>;
  /** Suggested values containing `typed`, for a field with a `pick`. @throws `unknown_operation` */
  suggestValues(name: string, field: string, typed: string, actor: Actor): Promise<Suggestion[]>;
  /** The actor's unfinished plan, which all their chats and terminals share. */
  readBuild(viewer: { user: string; timezone: string }, actor: Actor): Promise<Build>;
  /** Applies moves in order, up to the first that has problems. @throws `unknown_operation`, `limit_exceeded` */
  changeBuild(
    changes: BuildChange[],
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Build>;
  previewBuild(viewer: { user: string; timezone: string }, actor: Actor): Promise<BuildPreview>;
  /** Proposes it and starts empty. `once`: as in `say`. @throws what `propose` would */
  proposeBuild(
    options: { conversation?: string; once?: string },
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<Plan>;
  listPlaybooks(actor: Actor): Promise<Playbook[]>;
  /** @throws `not_found` */
  getPlaybook(name: string, actor: Actor): Promise<{ playbook: Playbook; draft: PlanDraft }>;
  /**
   * Saves a plan under a name, replacing the actor's playbook of that name.
   * @throws `invalid_request` if a parameter's text is not in the plan, `not_allowed` if the name is another person's
   */
  savePlaybook(id: string, playbook: NewPlaybook, actor: Actor): Promise<Playbook>;
  /** @throws `not_found`, `not_allowed` for another person's */
  removePlaybook(name: string, actor: Actor): Promise<Playbook>;
  /** Proposes a playbook with these values. @throws `not_found`, `invalid_request` for missing or surplus values */
  checkPlaybookRun(
    name: string,
    values: PlaybookValues,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  /** A person's upcoming reminders and the recurring steps of their running plans, next first. */
  listRecurring(query: { user: string; within?: PlanScope }): Promise<Recurring[]>;
  /**
   * Skips, changes or ends one of them. `before`: as it was.
   * @throws `not_found`, `invalid_request`, `already_decided` if something else is next by now, and what `patch` throws
   */
  changeRecurring(
    id: string,
    change: RecurringChange,
    query: { user: string; within?: PlanScope },
    actor: Actor,
  ): Promise<RecurringOutcome & { before: Recurring }>;
  listPlans(filter: PlanListFilter): Promise<{ plans: PlanSummary[]; next_cursor: string | null }>;
  /** Every plan in one of five groups, for one person. */
  inbox(query: InboxQuery): Promise<Inbox>;
  /**
   * @param leastPeople minimum people per unmet request (1)
   * @param within restricts to one organisation
   */
  stats(leastPeople?: number, within?: PlanScope): Promise<PlanStats>;
  /** Whether a member of an organisation may see it. Nonexistent subjects are never visible, except a new conversation. */
  isWithin(
    scope: PlanScope | null,
    subject: ScopedSubject,
    reader?: ConversationReader,
  ): Promise<boolean>;
  getPlan(id: string): Promise<Plan>;
  overview(id: string): Promise<Overview>;
  /** @param compact only the last change of each step */
  diff(id: string, since: number, limit: number, compact?: boolean): Promise<Diff>;
  listSteps(id: string, filter: StepFilter): Promise<StepPage>;
  /** Partitions by name, with counts of what their steps do and a sample. @throws `plan_not_found` */
  listPartitions(id: string, page: { cursor?: string; limit: number }): Promise<PartitionPage>;
  /** Counts the steps that match some words, by partition. @throws `plan_not_found` */
  findSteps(id: string, words: string): Promise<StepMatches>;
  /** The plan's steps in groups. @param options.times with expected times. @throws `plan_not_found`, `invalid_request` */
  groups(id: string, options: { by?: GroupBy; times: boolean }): Promise<PlanGroups>;
  /** The critical path, and expected times of the named steps. @throws `plan_not_found` */
  forecast(id: string, stepIds: string[]): Promise<Forecast>;
  getSteps(id: string, stepIds: string[]): Promise<ShownStep[]>;
  /** @throws `plan_not_found`, `unknown_step` */
  stepChain(id: string, stepId: string): Promise<StepChain>;
  /**
   * The current state of files that these steps write, move or delete, as far as this process can read them.
   * @throws `plan_not_found`, `unknown_step`
   */
  previewSteps(id: string, stepIds: string[]): Promise<StepPreview[]>;
  card(id: string, viewer: { user: string; timezone: string }): Promise<PlanCardFacts>;

  approve(id: string, approval: Approval, actor: Actor): Promise<Plan>;
  checkApproval(id: string, approval: Approval, actor: Actor): Promise<Checked<Plan>>;
  reject(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** @throws `feedback_required` if empty, `unknown_step` */
  proposeChanges(id: string, requested: RequestedChanges, actor: Actor): Promise<Plan>;
  cancel(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /**
   * Proposes an earlier version of a waiting plan as its next one. Before version 2, or if `version` is that of its waiting
   * change, withdraws it.
   */
  goBack(id: string, decision: GoBack, actor: Actor): Promise<Plan>;
  pause(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Continues after a pause or stall, or with the outcome of unknown steps. */
  resume(id: string, settlement: Settlement, actor: Actor): Promise<Plan>;
  /** Ends a stalled plan as failed. Its steps can be retried. */
  markFailed(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Changes the plan atomically; widening an approved plan needs its own approval. */
  patch(id: string, patch: PlanPatch, actor: Actor): Promise<PatchOutcome>;
  checkPatch(id: string, patch: PlanPatch, actor: Actor): Promise<Checked<PatchOutcome>>;
  /** Its changes, newest first. */
  listPatches(
    id: string,
    options: { cursor?: string; limit: number },
  ): Promise<{ patches: PatchOutcome[]; next_cursor: string | null }>;
  /** Its findings, newest first. */
  listFindings(
    id: string,
    options: { status?: FindingStatus[]; cursor?: string; limit: number },
  ): Promise<{ findings: Finding[]; next_cursor: string | null }>;
  /**
   * Reports a problem. ERROR and CRITICAL make dependents stale and require the right to decide on the plan.
   * @param finding.key deduplicates the person's reports
   */
  raiseFinding(id: string, finding: ReportedFinding, actor: Actor): Promise<Finding>;
  /** Applies a remedy chosen by someone who may decide on the plan. */
  settleFinding(id: string, finding: string, action: FindingAction, actor: Actor): Promise<Finding>;
  /** Its artifacts without content, oldest first. */
  listArtifacts(id: string, options: { cursor?: string; limit: number }): Promise<ArtifactPage>;
  /** @throws `not_found` if the plan has no such artifact */
  readArtifact(id: string, artifact: string): Promise<ArtifactContent>;
  /** Its planner's data requests, oldest first. */
  listRequests(id: string): Promise<DataRequest[]>;
  /** Runs failed steps again, and those skipped because of them. */
  retry(id: string, decision: Rerun, actor: Actor): Promise<Plan>;
  simulate(id: string, decision: Partial<Decision>, actor: Actor): Promise<Simulation>;

  /** Markdown with front matter, in chunks; importable without loss. */
  exportMarkdown(id: string): AsyncIterable<string>;
  checkMarkdown(markdown: string, actor: Actor): Promise<Checked<Plan>>;
  /** An ICS calendar with an entry for each step that has a date. */
  exportCalendar(id: string): Promise<string>;
  /** One JSON line per finished attempt, ordered by end. */
  exportLog(id: string): AsyncIterable<string>;
  trace(id: string): Promise<PlanningTrace>;
  runTrace(runId: string): Promise<PlanningTrace>;
  audit(id: string, options: { after?: number; limit: number }): Promise<AuditEntry[]>;
  versionDiff(id: string, a: number, b: number): Promise<VersionDiff>;
  /** The current version's outline, roadmap and schedule, each null if it has none. */
  planning(id: string): Promise<PlanningArtifacts>;

  /** Plans that change from now on, batched per second, until the signal aborts. */
  watchInbox(query: { within?: PlanScope }, signal: AbortSignal): AsyncIterable<InboxChange[]>;
  /** Changes after `since`, as they happen, until the signal aborts, even after a terminal status. */
  watchPlan(id: string, since: number, signal: AbortSignal): AsyncIterable<Change[]>;
  watchConversation(
    conversation: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<ConversationEvent[]>;
};

/** Methods for lists and single plans outside their conversations. */
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
  | 'trace'
  | 'simulate'
  | 'listRecurring'
  | 'changeRecurring'
>;

/** Restricts the service to an organisation. Everything else appears not to exist. */
export type ServeWithin = (scope: PlanScope) => Service;
