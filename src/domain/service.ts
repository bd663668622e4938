// The one service behind cards, slash command, HTTP, console and terminal. `src/conversation` provides it.
import { z } from 'zod';
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
import type { ShownStep } from './plan/call.ts';
import type { LookedAt } from './plan/expected-step.ts';
import type { Finding, FindingAction, FindingStatus, NewFinding } from './plan/finding.ts';
import type { GroupBy, PlanGroups } from './plan/groups.ts';
import type { Inbox, InboxChange, InboxQuery } from './plan/inbox.ts';
import type { WantedModes } from './plan/modes.ts';
import type { OperationForm, OperationOffer, Suggestion } from './plan/operation-form.ts';
import type { PlanPatch } from './plan/patch.ts';
import type { PatchOutcome } from './plan/patch-outcome.ts';
import type {
  Plan,
  PlanDraft,
  PlanStatus,
  PlanSummary,
  StepComment,
  StepStatus,
} from './plan/plan.ts';
import type { NewPlaybook, Playbook, PlaybookValues } from './plan/playbook.ts';
import type { StepPreview } from './plan/preview.ts';
import type { PlanScope, ScopedSubject } from './plan/scope.ts';
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

/** `key`: where it was sent to, and the name its sender gave it; `digest`: what it asks for. */
export type KeyedRequest = { key: string; digest: string };

export const Message = z.object({
  id: z.int(),
  conversation: z.string(),
  run_id: z.string().nullable(),
  author: z.enum(['person', 'bot']),
  name: z.string(),
  text: z.string(),
  /** Draw this plan's card under the text. */
  plan_id: z.string().nullable(),
  created_at: z.iso.datetime(),
});
export type Message = z.infer<typeof Message>;

/** What happens in a conversation: something was said, or what is being planned there has changed (null: nothing is). */
export type ConversationEvent =
  | { kind: 'message'; message: Message }
  | { kind: 'planning'; planning: PlanningActivity | null };

export type PlanListFilter = {
  status?: PlanStatus[];
  user?: string;
  conversation?: string;
  cursor?: string;
  limit: number;
  /** Only what somebody of one organisation sees. */
  within?: PlanScope;
};
export type StepFilter = {
  status?: StepStatus[];
  partition?: string;
  /** Only steps of no partition. */
  unpartitioned?: true;
  /** Only steps that call this operation, by tool and operation. */
  operation?: string;
  /** Only steps before which this many less one come on the longest way; goes with no other condition. */
  stage?: number;
  tag?: string;
  /** Words that all stand in a step's id, description, operation, partition or arguments, in any case; or its number. */
  words?: string;
  /** `review`: the calls that a reviewer should see first come first; goes with no other condition. */
  order?: 'position' | 'review';
  cursor?: string;
  limit: number;
};

/**
 * Where a plan comes from that was exported by another instance, or by this one earlier: its id and digest there, and when it was
 * exported. It keeps the id where that is free here.
 */
export type ImportedFrom = { id: string; digest: string; exported_at: string };

/** A record of a plan that can be requested in a chat: the plan as Markdown (`export`), what ran (`log`), how it was planned (`trace`). */
export type Export = { plan: string; kind: 'export' | 'log' | 'trace' };

/** A decision names the version it is about; approving also its digest. `pressed`: it is made once under that name. */
export type Decision = { version: number; feedback?: string; pressed?: Pressed };
/** `comments`: on single steps, beside or instead of feedback on the whole plan. */
export type RequestedChanges = Decision & { comments?: StepComment[] };
/**
 * `steps`: approve only these; `except`: all but these; at most one of them. What is approved must hold all it depends
 * on.
 */
export type Approval = {
  version: number;
  digest: string;
  steps?: string[];
  except?: string[];
  /** The last start that its reader saw had passed, ISO 8601: such steps start at once. */
  passed?: string;
  pressed?: Pressed;
};
/**
 * What a person says became of steps whose outcome is unknown, or of a step they were asked to do. `answer` is about
 * all of them; `answers` about one each, in words or as the values of its form. `about`: what was looked at; a step that
 * has gone on since is not settled.
 */
export type Settlement = {
  version: number;
  /**
   * `skip`: the plan continues without a failed step, and without the steps that need its output. `take_over`: the actor answers from
   * now on what is addressed to somebody else.
   */
  steps?: Record<string, 'retry' | 'done' | 'failed' | 'skip' | 'take_over'>;
  answer?: string;
  answers?: Record<string, StepAnswer>;
  about?: Record<string, LookedAt>;
  pressed?: Pressed;
};

/** What a person, or a monitor, found. */
export type ToldFinding = NewFinding & { key?: string };

/** `ended_at`: the end that was looked at; a plan that was run again since is not run once more. */
export type Rerun = Decision & { ended_at?: string };

export const Simulation = z.object({
  plan_id: z.string(),
  version: z.int(),
  total: z.int(),
  /** The first calls (at most 200), in an order the plan allows. */
  calls: z.array(
    z.object({
      step_id: z.string(),
      operation: z.string(),
      target: z.string().nullable(),
      args: z.unknown(),
      effect: Effect,
      guarded: z.boolean(),
    }),
  ),
  /** Calls by operation, over the whole plan. */
  operations: z.array(
    z.object({ operation: z.string(), count: z.int(), effect: Effect, guarded: z.boolean() }),
  ),
  /** `label`: what the step is called. */
  problems: z.array(
    z.object({
      step_id: z.string().nullable(),
      label: z.string().exactOptional(),
      reason: z.string(),
    }),
  ),
});
export type Simulation = z.infer<typeof Simulation>;

/** How a person likes to be talked to: what holds, and what of it they have set. */
export const PolicyView = z.object({
  user: z.string(),
  policy: InteractionPolicy,
  set: PolicyOverride,
});
export type PolicyView = z.infer<typeof PolicyView>;
/** `request`: what the person asked for in that conversation last. */
export type SaidPolicy = { conversation: string; request: string; policy: PolicyOverride };
/**
 * `keep`: sliders that are left out stay as they are; otherwise they go back to their defaults. `pressed`: it was set in a
 * chat. It needs no name of its own: set twice it is the same.
 */
export type PolicyChange = {
  policy: PolicyOverride;
  keep: boolean;
  pressed?: Pick<Pressed, 'at'>;
};

/**
 * What was on screen when a word was written over HTTP: `version` and `digest` of a plan's card, `turn` and `digest` of a
 * session's; `turn` alone: what the run last answered. `except`: steps that were unticked there.
 */
export type OnScreen = { version?: number; digest?: string; turn?: number; except?: string[] };

/** A change that was checked and is not stored yet. Only `Service.commit` can store it, in the transaction it is asked in. */
export type Checked<T> = { readonly stores?: T };

/**
 * Every method may throw CountersignError; nothing else is expected.
 * `actor` is who asks; permissions are checked here, for every surface.
 */
export type Service = {
  /** A new request, even if something else waits in its conversation. `once`: as in `say`. */
  startRun(
    request: RunRequest,
    actor: Actor,
    options?: { once?: string },
  ): Promise<{ run_id: string; conversation: string }>;
  /** @param reader sees this turn: their reply without a turn is about it */
  getRun(id: string, reader?: string): Promise<RunView>;
  /** An answer, a deciding word (`approve`, `reject`, `propose changes: …`, `cancel`, `status`) or more talk. */
  reply(
    runId: string,
    text: string,
    actor: Actor,
    /**
     * `turn`: what was shown when it was said; later it answers nothing. `once` and `on_screen` as in `say`, `pressed` as in
     * a decision. `reader` as in `getRun`.
     */
    options?: {
      turn?: number;
      once?: string;
      on_screen?: OnScreen;
      reader?: string;
      pressed?: Pressed;
    },
  ): Promise<void>;
  /** What a run's planning session shows now, for one reader. */
  runCard(runId: string, viewer: { user: string; timezone: string }): Promise<SessionCardFacts>;
  /**
   * Stops the planner of a run. @param turn the one that was seen; left out: whichever is being planned
   * @throws `invalid_transition` where it is not being planned any more
   */
  stopRun(runId: string, turn: number | undefined, actor: Actor): Promise<RunView>;
  /** What is being planned in a conversation now; null: nothing. */
  activityIn(conversation: string): Promise<PlanningActivity | null>;
  /** Decides about what a session shows: a gate, an RFC, the budget, an escalation; or about the run's plan that waits. */
  decideRun(runId: string, choice: SessionChoice, actor: Actor): Promise<RunView>;
  /**
   * A message in a conversation: decides, answers the open question, or starts a run. With `once`, the name of the message
   * where it came from, it does so a single time, however often it is said and whatever ends in between. `written_at`: what
   * did not stand in the conversation by then, it decides nothing about. `on_screen`: it decides about that and nothing else,
   * and throws where that is not what waits now. `modes`: how a request is planned.
   */
  say(
    conversation: string,
    text: string,
    actor: Actor,
    options?: { once?: string; written_at?: Date; on_screen?: OnScreen; modes?: WantedModes },
  ): Promise<{ run_id: string | null }>;
  /** Whether a plan or a run belongs to a conversation, or was shown there. */
  isAbout(
    conversation: string,
    subject: { plan_id: string } | { run_id: string },
  ): Promise<boolean>;
  /** Whether anything was ever said there. Cheap: surfaces ask it of all that they overhear. */
  isSpokenIn(conversation: string): Promise<boolean>;
  messages(conversation: string, options: { after?: number; limit: number }): Promise<Message[]>;
  /** Conversations outside chat platforms, the latest first; all of them if no accounts are linked or no person is named. */
  listConversations(query: ConversationQuery): Promise<ConversationPage>;
  getPolicy(user: string): Promise<PolicyView>;
  /** What was said lately in single conversations about how to talk there, and holds in them only. */
  saidPolicies(user: string): Promise<SaidPolicy[]>;
  setPolicy(user: string, change: PolicyChange, actor: Actor): Promise<PolicyView>;
  /** What is remembered for a person, the newest first. @throws `not_allowed` for anybody else */
  listMemory(user: string, actor: Actor): Promise<MemoryEntry[]>;
  /** Keeps a note, in the place of one of the same name. @throws `limit_exceeded` */
  keepMemory(user: string, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** The note takes the place of the entry, and of another of the same name. @throws `not_found` for an entry that is not there */
  editMemory(user: string, id: number, note: MemoryNote, actor: Actor): Promise<MemoryEntry>;
  /** @throws `not_found` for an entry that is not there */
  forgetMemory(user: string, id: number, actor: Actor): Promise<MemoryEntry>;
  /**
   * The person behind an account, which is the name the instance acts by; an account that is not linked is its own person.
   * Every method finds it for `actor` and `user`; adapters ask for it before they show anything. @throws `forbidden` where the
   * person is refused everywhere
   */
  personOf(account: string): Promise<string>;
  /**
   * Does what `work` asks of the service it is given, and once: a request with this key and digest that comes again is answered
   * what the first was. `work` answers JSON; `check` runs before it, outside its transaction. @throws `key_reused` where the key
   * was another request's
   */
  once<C>(
    request: KeyedRequest,
    check: () => Promise<C>,
    work: (service: Service, checked: C) => Promise<unknown>,
  ): Promise<unknown>;
  /** Stores what was checked. */
  commit<T>(checked: Checked<T>): Promise<T>;
  /** Keeps what a chat platform calls an account: what others are shown in its place. */
  noteName(account: string, called: string): Promise<void>;
  /** What readers are shown in the place of each of `names` of which a platform has said it. */
  shownNames(names: string[]): Promise<Map<string, string>>;
  /** Links accounts of one person, and shows or undoes it. Here `actor.id` is the account itself. */
  link(command: LinkCommand, actor: Actor): Promise<LinkOutcome>;

  propose(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Plan>;
  /** @param options.imported the plan of another instance that it was */
  checkProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string; imported?: ImportedFrom },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  /** The card that the draft would have; nothing is stored. @throws what `propose` would */
  previewProposal(
    draft: PlanDraft,
    options: { user?: string; conversation?: string },
    viewer: { user: string; timezone: string },
    actor: Actor,
  ): Promise<PlanCardFacts>;
  /** Operations by their purpose, the best first; without words those that plans use often. */
  findOperations(words: string, limit: number, actor: Actor): Promise<OperationOffer[]>;
  /** An operation with the fields of its form. @throws `unknown_operation` */
  getOperation(name: string, actor: Actor): Promise<OperationForm>;
  /** Values to choose from for a field with a `pick`, that contain `typed`. @throws `unknown_operation` */
  suggestValues(name: string, field: string, typed: string, actor: Actor): Promise<Suggestion[]>;
  /** Those of the actor's organisation, by name. */
  listPlaybooks(actor: Actor): Promise<Playbook[]>;
  /** @throws `not_found` */
  getPlaybook(name: string, actor: Actor): Promise<{ playbook: Playbook; draft: PlanDraft }>;
  /**
   * Keeps a plan under a name, in the place of a playbook of the actor's of that name.
   * @throws `invalid_request` where a parameter's text is not in the plan, `not_allowed` where the name is somebody else's
   */
  savePlaybook(id: string, playbook: NewPlaybook, actor: Actor): Promise<Playbook>;
  /** @throws `not_found`, `not_allowed` for somebody else's */
  removePlaybook(name: string, actor: Actor): Promise<Playbook>;
  /** A proposal of a playbook with these values. @throws `not_found`, `invalid_request` where a value is missing or too many */
  checkPlaybookRun(
    name: string,
    values: PlaybookValues,
    options: { user?: string; conversation?: string },
    actor: Actor,
  ): Promise<Checked<Plan>>;
  listPlans(filter: PlanListFilter): Promise<{ plans: PlanSummary[]; next_cursor: string | null }>;
  /** Every plan in one of five groups, as one person sees it. */
  inbox(query: InboxQuery): Promise<Inbox>;
  /**
   * @param leastPeople of what no tool can do only what so many people have asked for (1)
   * @param within only what somebody of one organisation sees
   */
  stats(leastPeople?: number, within?: PlanScope): Promise<PlanStats>;
  /** Whether somebody of one organisation may see it. What does not exist is within nobody's reach, but for a new conversation. */
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
  /** Partitions by name, with what their steps do, in counts and by one of them. @throws `plan_not_found` */
  listPartitions(id: string, page: { cursor?: string; limit: number }): Promise<PartitionPage>;
  /** Counts the steps that match some words, by partition. @throws `plan_not_found` */
  findSteps(id: string, words: string): Promise<StepMatches>;
  /** The plan by groups of its steps. @param options.times with when each is expected. @throws `plan_not_found`, `invalid_request` */
  groups(id: string, options: { by?: GroupBy; times: boolean }): Promise<PlanGroups>;
  /** Which steps decide when it ends, and when the steps named take place. @throws `plan_not_found` */
  forecast(id: string, stepIds: string[]): Promise<Forecast>;
  getSteps(id: string, stepIds: string[]): Promise<ShownStep[]>;
  /** @throws `plan_not_found`, `unknown_step` */
  stepChain(id: string, stepId: string): Promise<StepChain>;
  /**
   * The current state of the files that these steps write, move or delete, as far as this process can read them.
   * @throws `plan_not_found`, `unknown_step`
   */
  previewSteps(id: string, stepIds: string[]): Promise<StepPreview[]>;
  card(id: string, viewer: { user: string; timezone: string }): Promise<PlanCardFacts>;

  approve(id: string, approval: Approval, actor: Actor): Promise<Plan>;
  checkApproval(id: string, approval: Approval, actor: Actor): Promise<Checked<Plan>>;
  reject(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** @throws `feedback_required` where it says nothing, `unknown_step` */
  proposeChanges(id: string, requested: RequestedChanges, actor: Actor): Promise<Plan>;
  cancel(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  pause(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Goes on: after a pause, a stall, or with the fate of unknown steps. */
  resume(id: string, settlement: Settlement, actor: Actor): Promise<Plan>;
  /** Ends a stalled plan as failed. Its steps can be retried. */
  markFailed(id: string, decision: Decision, actor: Actor): Promise<Plan>;
  /** Changes the plan as a whole or not at all; what widens an approved plan waits for an approval of its own. */
  patch(id: string, patch: PlanPatch, actor: Actor): Promise<PatchOutcome>;
  checkPatch(id: string, patch: PlanPatch, actor: Actor): Promise<Checked<PatchOutcome>>;
  /** Its changes so far, newest first. */
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
   * Tells of something wrong with the plan. ERROR and CRITICAL make stale what depends on its steps, and are for those who may
   * decide about the plan. @param finding.key what the same person says again under it is not told again
   */
  raiseFinding(id: string, finding: ToldFinding, actor: Actor): Promise<Finding>;
  /** Has done what somebody who may decide about the plan has chosen about a finding. */
  settleFinding(id: string, finding: string, action: FindingAction, actor: Actor): Promise<Finding>;
  /** Its artifacts without their content, oldest first. */
  listArtifacts(id: string, options: { cursor?: string; limit: number }): Promise<ArtifactPage>;
  /** @throws `not_found` where the plan has no such artifact */
  readArtifact(id: string, artifact: string): Promise<ArtifactContent>;
  /** What its planner asked for while it planned, oldest first. */
  listRequests(id: string): Promise<DataRequest[]>;
  /** Runs failed steps again, and what was skipped because of them. */
  retry(id: string, decision: Rerun, actor: Actor): Promise<Plan>;
  simulate(id: string, decision: Partial<Decision>, actor: Actor): Promise<Simulation>;

  /** The plan as Markdown with front matter, in chunks; it imports again without loss. */
  exportMarkdown(id: string): AsyncIterable<string>;
  /** A proposal of the plan that an export holds. */
  checkMarkdown(markdown: string, actor: Actor): Promise<Checked<Plan>>;
  /** One JSON line per finished step attempt, in the order of the ends. */
  exportLog(id: string): AsyncIterable<string>;
  /** How the plan's run was planned. */
  trace(id: string): Promise<PlanningTrace>;
  runTrace(runId: string): Promise<PlanningTrace>;
  audit(id: string, options: { after?: number; limit: number }): Promise<AuditEntry[]>;
  versionDiff(id: string, a: number, b: number): Promise<VersionDiff>;
  /** The outline, roadmap and schedule behind the plan's present version; each null where it was made without one. */
  planning(id: string): Promise<PlanningArtifacts>;

  /** Plans that change from now on, gathered for a second, until the signal aborts. */
  watchInbox(query: { within?: PlanScope }, signal: AbortSignal): AsyncIterable<InboxChange[]>;
  /** Changes after `since`, as they happen, until the signal aborts. Ends after a terminal status only if `signal` aborts. */
  watchPlan(id: string, since: number, signal: AbortSignal): AsyncIterable<Change[]>;
  watchConversation(
    conversation: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<ConversationEvent[]>;
};

/** What lists and single plans are read with. */
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
>;

/** The service as far as somebody of one organisation reaches it. What is outside reads as what does not exist. */
export type ServeWithin = (scope: PlanScope) => Service;
