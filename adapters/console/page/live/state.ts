// All that the page knows. It is a picture of what the server said; a reload builds it again from there.
import type { PlanView as PlanWords, SessionView } from '#cards/view.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { MemoryEntry } from '#domain/people/memory.ts';
import type { InteractionPolicy, PolicyOverride } from '#domain/people/policy.ts';
import type { Principal, Role } from '#domain/people/principal.ts';
import type { ArtifactPage } from '#domain/plan/artifact.ts';
import type { Build } from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { ReportTrace } from '#domain/plan/draftbook.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { GroupBy, PlanGroups } from '#domain/plan/groups.ts';
import type { OperationOffer, Suggestion } from '#domain/plan/operation-form.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { Playbook } from '#domain/plan/playbook.ts';
import type { StepPreview } from '#domain/plan/preview.ts';
import type { Recurring } from '#domain/plan/recurring.ts';
import type {
  AuditEntry,
  Overview,
  PartitionPage,
  StepMatches,
  VersionDiff,
} from '#domain/plan/views.ts';
import type { PlanningActivity } from '#domain/planning/activity.ts';
import type { CommandForm } from '#domain/planning/command-form.ts';
import type { DataRequest } from '#domain/planning/data-request.ts';
import type { Forecast } from '#domain/planning/forecast.ts';
import type { PlanningStatus } from '#domain/planning/run.ts';
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import type { Message, Simulation } from '#domain/service.ts';
import type { CheckResult, SettingsView } from '#domain/settings-view.ts';
import { createInbox, type InboxState } from '../inbox/inbox.ts';
import type { Triage } from '../inbox/triage.ts';
import type { OpenedGroup } from '../plan/rows.ts';
import type { StepEdit, StepEditing } from '../plan/step-edit.ts';
import type { StreamState } from './stream.ts';

/** A plan as the server drew it for this reader: facts, words, and the Adaptive Card. */
export type Card = { facts: PlanCardFacts; view: PlanWords; adaptive_card: unknown };
/** A planning session as the server drew it for this reader. */
export type SessionCard = {
  run_id: string;
  turn: number;
  digest: string;
  planning_status: PlanningStatus;
  view: SessionView;
  adaptive_card: unknown;
};
export type Tab = 'overview' | 'graph' | 'timeline' | 'steps' | 'changes' | 'trace' | 'audit';
export const tabs: Tab[] = ['overview', 'graph', 'timeline', 'steps', 'changes', 'trace', 'audit'];

/** A comment on a step of a waiting plan, and its version. It is kept in the browser until it is sent. */
export type Comment = {
  step: string;
  label: string;
  /** Effect of its call. */
  effect: string;
  text: string;
  version: number;
  digest: string;
};

export type StepList = {
  status: StepStatus | null;
  /** Only steps of this partition; null: of all. */
  partition: string | null;
  /** Only steps with these words in them; empty: all steps. */
  words: string;
  /** The digest whose steps these are, in the order of a review; null: by their places. */
  reviewed: string | null;
  steps: ShownStep[];
  next_cursor: string | null;
  /** The current state of the files that steps write, move or delete, by step id. */
  previews: ReadonlyMap<string, StepPreview>;
  /** Details that were asked for, by step id. */
  open: Set<string>;
};

/** The right-hand column. A part is null until its tab has been opened. */
export type PlanView = {
  id: string;
  tab: Tab;
  overview: Overview | null;
  /** The latest findings, including settled ones; the plan's artifacts; its planner's data requests. */
  findings: Finding[];
  artifacts: ArtifactPage;
  requests: DataRequest[];
  /** Where the sentences of a report come from, once it was opened: the artifact that says it. */
  report: { artifact: string; trace: ReportTrace } | null;
  list: StepList | null;
  /** The search over steps, as typed; `found` is null until counted. */
  search: { words: string; found: StepMatches | null } | null;
  /** Summaries of a large plan's partitions by name; `digest` is of their version. */
  partitions: (PartitionPage & { digest: string }) | null;
  /** All steps of a small plan, for the graph and the timeline. */
  drawn: { steps: ShownStep[] } | null;
  /** A plan that is not small, in groups; `groupBy`: as asked for, null: as the server thinks best. */
  groups: PlanGroups | null;
  groupBy: GroupBy | null;
  opened: OpenedGroup | null;
  forecast: Forecast | null;
  versions: { a: number; b: number; diff: VersionDiff } | null;
  /** Versions are compared side by side, not as a list. */
  side: boolean;
  trace: PlanningTrace | null;
  audit: AuditEntry[] | null;
  /** The last dry run and its time, or null. */
  dryRun: { at: string; simulation: Simulation } | null;
  selected: string | null;
  problem: string | null;
};

export const sections = [
  'preferences',
  'tools',
  'approvals',
  'models',
  'running',
  'chats',
  'access',
] as const;
export type SettingsSection = (typeof sections)[number];

export type Pane = 'inbox' | 'conversation' | 'plan';

/** A personal token as the API lists it; times are ISO, `expires_at` null: never, `used_at` null: not yet. */
export type Token = {
  id: string;
  account: string;
  name: string;
  role: Role;
  tenant: string | null;
  created_at: string;
  expires_at: string | null;
  used_at: string | null;
};

/** The part of the settings about the person at this page. */
export type IdentityState = {
  me: Principal;
  tokens: Token[];
  /** The token that was just made, with its secret, or null if none was made since the dialog opened. */
  made: { name: string; token: string; copied: boolean } | null;
  /** The id of the token that is about to be revoked, once that is confirmed. */
  revoking: string | null;
  busy: boolean;
  problem: string | null;
};

export type Settings = {
  section: SettingsSection;
  /** The sliders as the dialog shows them. */
  policy: InteractionPolicy;
  /** Set by the person. */
  set: PolicyOverride;
  /** The host of their calendar, or null, and the address that they are entering. */
  calendar: { host: string | null; entry: string };
  /** Notes they saved, newest first. */
  memory: MemoryEntry[];
  saving: boolean;
  problem: string | null;
  /** How the instance is set up, or null if not read yet, or it could not be. */
  facts: SettingsView | null;
  factsProblem: string | null;
  /** Who the person is here, or null if not read yet, or it could not be. */
  identity: IdentityState | null;
  identityProblem: string | null;
  /** Only tools and operations with these words; empty: all. */
  search: string;
  /** Results by check, or null while one runs. */
  checks: ReadonlyMap<string, CheckResult[] | null>;
};

/** The dialog in which a plan is built. */
export type Builder = {
  build: Build;
  /** The palette of operations; `found`: null until they are read. */
  find: {
    words: string;
    found: OperationOffer[] | null;
    at: number;
    busy: boolean;
    problem: string | null;
  };
  /** Values to choose from, by field. */
  values: ReadonlyMap<string, Suggestion[]>;
  /** The plan as it would be proposed; null: not drawn yet. */
  card: Card | null;
  problem: string | null;
  /** It is being drawn; it is being proposed. */
  busy: boolean;
  sending: boolean;
};

/** The dialog of reminders and recurring steps. `list`: null until it is read; `open`: the entry whose form or question is shown. */
export type RecurringDialog = {
  list: Recurring[] | null;
  open: { id: string; action: 'change' | 'end' } | null;
  when: string;
  text: string;
  result: string;
  problem: string | null;
};

/** The dialog of playbooks. `list`: null until it is read; `open`: whose parameters are shown; `save`: the plan that is kept as one. */
export type Playbooks = {
  list: Playbook[] | null;
  open: Playbook | null;
  save: { plan: string; params: number[] } | null;
  values: ReadonlyMap<string, string>;
  problem: string | null;
  sending: boolean;
};

/** `last`: the step that was ticked or unticked last, and which others went with it. */
export type LeftOut = {
  digest: string;
  steps: ReadonlySet<string>;
  last: { step: string; also: string[] } | null;
};

export type State = {
  conversation: string;
  messages: Message[];
  loaded: boolean;
  sending: boolean;
  extensive: boolean;
  problem: string | null;
  /** The planner's activity, or null if it is idle. */
  planning: PlanningActivity | null;
  /** The turn that the person stopped, until the server confirms. */
  stopping: string | null;
  connection: StreamState;
  cards: Map<string, Card>;
  sessions: Map<string, SessionCard>;
  /** The server's answers to presses, by plan or run. */
  notices: Map<string, string>;
  /** Plans and runs with a press under way: their buttons are off. */
  pressing: Set<string>;
  plan: PlanView | null;
  /** The open form in the review bar: its plan, and the button that opened it. */
  form: { plan: string; key: string } | null;
  /** Unsent form input by `inputKey`, and which of these are still incomplete. */
  typed: Map<string, string>;
  missing: Set<string>;
  /** Comments on steps that were not sent yet, by plan; of plans that were opened. */
  comments: Map<string, Comment[]>;
  /** Changes of steps that were not proposed yet, by plan; and the step that is being edited. */
  edits: Map<string, StepEdit[]>;
  editing: StepEditing | null;
  /** The step whose comment is being written. */
  commenting: { plan: string; step: string } | null;
  /** Steps whose long content is shown whole, as `plan step`. */
  whole: Set<string>;
  /** Steps that are unticked, by plan, and the digest they were read under. */
  off: Map<string, LeftOut>;
  /** The rail of plans and conversations. */
  inbox: InboxState;
  /** The dialog about several plans, while it is open. */
  triage: Triage | null;
  builder: Builder | null;
  /** The dialog of playbooks, while it is open. */
  playbooks: Playbooks | null;
  /** Commands offered for what is being typed; `at`: the selected one, or -1. */
  commands: { found: CommandForm[]; at: number } | null;
  /** The dialog of reminders, while it is open. */
  recurring: RecurringDialog | null;
  shortcuts: boolean;
  /** The column that a narrow screen shows. */
  pane: Pane;
  tokenWanted: boolean;
  /** The dialog of sliders, while it is open. */
  settings: Settings | null;
};

/** Names an input of a form among those of all plans. */
export const inputKey = (plan: string, input: string): string => `${plan} ${input}`;

export function createState(conversation: string): State {
  return {
    conversation,
    messages: [],
    loaded: false,
    sending: false,
    extensive: false,
    problem: null,
    planning: null,
    stopping: null,
    connection: 'connecting',
    cards: new Map(),
    sessions: new Map(),
    notices: new Map(),
    pressing: new Set(),
    plan: null,
    form: null,
    typed: new Map(),
    missing: new Set(),
    comments: new Map(),
    edits: new Map(),
    editing: null,
    commenting: null,
    whole: new Set(),
    off: new Map(),
    inbox: createInbox(),
    triage: null,
    builder: null,
    playbooks: null,
    commands: null,
    recurring: null,
    shortcuts: false,
    pane: 'conversation',
    tokenWanted: false,
    settings: null,
  };
}

export function createPlanView(id: string): PlanView {
  return {
    id,
    tab: 'overview',
    overview: null,
    findings: [],
    artifacts: { artifacts: [], next_cursor: null },
    requests: [],
    report: null,
    dryRun: null,
    list: null,
    search: null,
    partitions: null,
    drawn: null,
    groups: null,
    groupBy: null,
    opened: null,
    forecast: null,
    versions: null,
    side: false,
    trace: null,
    audit: null,
    selected: null,
    problem: null,
  };
}
