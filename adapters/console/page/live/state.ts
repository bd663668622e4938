// Everything the page knows; a reload rebuilds it from the server.
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

export type Card = { facts: PlanCardFacts; view: PlanWords; adaptive_card: unknown };
export type SessionCard = {
  run_id: string;
  turn: number;
  digest: string;
  planning_status: PlanningStatus;
  view: SessionView;
  adaptive_card: unknown;
};
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'refused';

export type Tab = 'overview' | 'graph' | 'timeline' | 'steps' | 'changes' | 'trace' | 'audit';
export const tabs: Tab[] = ['overview', 'graph', 'timeline', 'steps', 'changes', 'trace', 'audit'];

/** Unsent comment, with its version. */
export type Comment = {
  step: string;
  label: string;
  effect: string;
  text: string;
  version: number;
  digest: string;
};

export type StepList = {
  status: StepStatus | null;
  /** Null: all. */
  partition: string | null;
  /** Empty: all. */
  words: string;
  /** Digest of a review; null lists steps by place. */
  reviewed: string | null;
  steps: ShownStep[];
  next_cursor: string | null;
  /** Files as they are now, by step ID. */
  previews: ReadonlyMap<string, StepPreview>;
  open: Set<string>;
};

export type PlanView = {
  id: string;
  tab: Tab;
  overview: Overview | null;
  /** Latest findings, settled ones included. */
  findings: Finding[];
  artifacts: ArtifactPage;
  requests: DataRequest[];
  /** Sources of an opened report's sentences. */
  report: { artifact: string; trace: ReportTrace } | null;
  list: StepList | null;
  /** `found` is null until counted. */
  search: { words: string; found: StepMatches | null } | null;
  /** By name, for the version of `digest`. */
  partitions: (PartitionPage & { digest: string }) | null;
  drawn: { steps: ShownStep[] } | null;
  /** For larger plans; `groupBy` null lets the server choose. */
  groups: PlanGroups | null;
  groupBy: GroupBy | null;
  opened: OpenedGroup | null;
  forecast: Forecast | null;
  versions: { a: number; b: number; diff: VersionDiff } | null;
  /** Side by side instead of a list. */
  side: boolean;
  trace: PlanningTrace | null;
  audit: AuditEntry[] | null;
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

export type IdentityState = {
  me: Principal;
  tokens: Token[];
  /** Just created, with its secret. */
  made: { name: string; token: string; copied: boolean } | null;
  /** Awaiting confirmation. */
  revoking: string | null;
  busy: boolean;
  problem: string | null;
};

export type Settings = {
  section: SettingsSection;
  policy: InteractionPolicy;
  set: PolicyOverride;
  /** `entry` is being typed. */
  calendar: { host: string | null; entry: string };
  memory: MemoryEntry[];
  saving: boolean;
  problem: string | null;
  /** Null if not read. */
  facts: SettingsView | null;
  factsProblem: string | null;
  /** Null if not read. */
  identity: IdentityState | null;
  identityProblem: string | null;
  /** Empty: all. */
  search: string;
  /** Null while running. */
  checks: ReadonlyMap<string, CheckResult[] | null>;
};

export type Builder = {
  build: Build;
  /** `found`: null until read. */
  find: {
    words: string;
    found: OperationOffer[] | null;
    at: number;
    busy: boolean;
    problem: string | null;
  };
  values: ReadonlyMap<string, Suggestion[]>;
  /** Null: not drawn yet. */
  card: Card | null;
  problem: string | null;
  /** Drawing or proposing. */
  busy: boolean;
  sending: boolean;
};

/** `list`: null until read; `open`: the entry being changed or ended. */
export type RecurringDialog = {
  list: Recurring[] | null;
  open: { id: string; action: 'change' | 'end' } | null;
  when: string;
  text: string;
  result: string;
  problem: string | null;
};

/** `list`: null until read; `open`: whose parameters show; `save`: the plan to keep. */
export type Playbooks = {
  list: Playbook[] | null;
  open: Playbook | null;
  save: { plan: string; params: number[] } | null;
  values: ReadonlyMap<string, string>;
  problem: string | null;
  sending: boolean;
};

/** `last`: last step pressed, and those that went with it. */
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
  /** Null if idle. */
  planning: PlanningActivity | null;
  /** Until the server confirms. */
  stopping: string | null;
  connection: StreamState;
  cards: Map<string, Card>;
  sessions: Map<string, SessionCard>;
  /** Answers to presses, by plan or run. */
  notices: Map<string, string>;
  pressing: Set<string>;
  plan: PlanView | null;
  /** In the review bar. */
  form: { plan: string; key: string } | null;
  /** By `inputKey`, and which are incomplete. */
  typed: Map<string, string>;
  missing: Set<string>;
  /** Unsent, by plan. */
  comments: Map<string, Comment[]>;
  /** Unproposed, by plan, and the step being edited. */
  edits: Map<string, StepEdit[]>;
  editing: StepEditing | null;
  commenting: { plan: string; step: string } | null;
  /** Shown whole, as `plan step`. */
  whole: Set<string>;
  /** Unticked steps by plan, with their digest. */
  off: Map<string, LeftOut>;
  inbox: InboxState;
  triage: Triage | null;
  builder: Builder | null;
  playbooks: Playbooks | null;
  /** `at` is -1 if none is selected. */
  commands: { found: CommandForm[]; at: number } | null;
  recurring: RecurringDialog | null;
  shortcuts: boolean;
  /** The column that a narrow screen shows. */
  pane: Pane;
  tokenWanted: boolean;
  settings: Settings | null;
};

/** Unique across plans. */
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
