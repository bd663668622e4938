// Each table's bound: its plan or run, an age, or a reason.
// A test covers all tables. Sweeps delete unreferenced rows by age; `plans.ts` deletes plans.
import { type SQL, sql } from 'drizzle-orm';
import { countersign } from '#db/schema.ts';
import type { Retention } from '#domain/settings.ts';

/** Names archive files and counters. `chat` and `caches` are never archived. */
export type Kind =
  | 'plans'
  | 'events'
  | 'attempts'
  | 'messages'
  | 'runs'
  | 'planning'
  | 'audit'
  | 'chat'
  | 'caches';

type TableRule =
  | { with: 'plan'; large?: true }
  | { with: 'run' }
  | { by: Kind }
  | { stays: string };

const plan = { with: 'plan' } as const;
/** Without a foreign key to `plans`: deleted in parts. */
const largePart = { with: 'plan', large: true } as const;

/** In the order in which a plan's rows are deleted. */
export const tableRules: Record<string, TableRule> = {
  plans: { by: 'plans' },
  plan_versions: plan,
  plan_partitions: plan,
  plan_lanes: plan,
  plan_patches: plan,
  plan_findings: plan,
  plan_series: plan,
  plan_requests: plan,
  step_callbacks: plan,
  planning_artifacts: plan,
  outline_nodes: plan,
  roadmap_edges: plan,
  roadmap_options: plan,
  schedule_blocks: plan,
  approvals: plan,
  node_steps: plan,
  plan_steps: largePart,
  step_states: largePart,
  step_blocks: largePart,
  step_attempts: largePart,
  plan_edges: largePart,
  plan_events: largePart,
  past_steps: largePart,
  plan_version_steps: largePart,
  artifacts: largePart,
  reservations: largePart,
  resource_waits: largePart,
  deleted_plans: {
    stays: 'about 150 bytes a deleted plan, so that links to it say what became of it',
  },
  retention: { stays: 'one row' },
  tenancy: { stays: 'one row' },
  runs: { by: 'runs' },
  run_readers: { with: 'run' },
  planning_checkpoints: { with: 'run' },
  planning_parts: { with: 'run' },
  model_calls: { by: 'planning' },
  spending: { by: 'planning' },
  planning_memo: { by: 'caches' },
  messages: { by: 'messages' },
  reminders: { by: 'messages' },
  chat_posts: { by: 'chat' },
  inbox: { by: 'chat' },
  inbox_keys: { by: 'chat' },
  inbox_leases: { by: 'chat' },
  presses: { by: 'chat' },
  kept_answers: { by: 'caches' },
  link_codes: { by: 'caches' },
  link_tries: { by: 'caches' },
  teams_conversations: { by: 'chat' },
  chat_places: { stays: 'one small row a thread or chat' },
  chat_homes: { stays: 'deleted as Homes are drawn, if not opened for a while' },
  rate_limits: { stays: 'rows of the past are deleted by the next one' },
  slack_oauth_states: { stays: 'deleted by the next installation, an hour after they end' },
  mcp_sign_ins: { stays: 'one for each hosted MCP server; deleted by who disconnects' },
  model_access: { stays: 'one row; deleted by who disconnects the model' },
  mcp_sign_in_states: { stays: 'deleted by the next sign-in, ten minutes after it began' },
  slack_installations: { stays: 'one row a workspace' },
  slack_workspaces: { stays: 'one row a workspace' },
  backends: { stays: 'deleted seconds after their worker is gone' },
  resource_pools: { stays: 'one row a pool of the settings' },
  interaction_policies: { stays: 'one row a person' },
  memory: { stays: 'what people asked to keep, until they say otherwise; bounded by person' },
  identities: { stays: 'one row a linked account' },
  person_names: { stays: 'one row an account' },
  former_links: { by: 'caches' },
  sign_in_tries: { by: 'caches' },
  sign_in_sessions: { by: 'caches' },
  signed_in: { stays: 'one row an account' },
  access_tokens: { stays: 'one row per token' },
  chat_groups: { stays: 'one row a group that a rule of approvers names' },
  webhook_endpoints: { stays: 'one row an endpoint of the settings' },
  webhook_deliveries: { by: 'caches' },
  playbooks: { stays: 'what people saved, until they remove it; bounded by organisation' },
  audit: { by: 'audit' },
  audit_seals: { by: 'audit' },
};

export type Sweep = {
  kind: Kind;
  table: string;
  key: { column: string; type: 'bigint' | 'text' };
  time: string;
  /** `index`: by an index on `time`. `key`: by keys that grow with time, until a page has no old rows. */
  order: 'index' | 'key';
  days: number;
  atMost?: number;
  also?: SQL;
  with?: { table: string; column: string }[];
  empties?: { column: string; to: SQL };
};

const noPlan = (id: string) =>
  sql`not exists (select 1 from ${countersign}.plans p where p.id = ${sql.raw(id)})`;
const noRun = sql`not exists (select 1 from ${countersign}.runs r where r.id = t.run_id)`;

/** A finished run whose plan, if any, has ended. */
const overRun = (run: string) => sql`${sql.raw(run)}.planning_status in ('complete', 'aborted')
  and not exists (select 1 from ${countersign}.plans p where p.id = ${sql.raw(run)}.plan_id
    and (p.status not in ('completed', 'failed', 'cancelled', 'rejected') or p.revising))`;

const hour = 1 / 24;

/** None if `days` is null. */
export function sweepsOf(settings: Retention): Sweep[] {
  const serial = { key: { column: 'id', type: 'bigint' }, order: 'key' } as const;
  const named = (column: string) => ({ key: { column, type: 'text' }, order: 'index' }) as const;
  const configured: (Omit<Sweep, 'days'> & { days: number | null })[] = [
    {
      kind: 'planning',
      table: 'runs',
      ...named('id'),
      time: 'updated_at',
      atMost: 20,
      days: settings.planning,
      also: sql`${overRun('t')} and (t.trace <> '[]'
        or exists (select 1 from ${countersign}.planning_checkpoints c where c.run_id = t.id)
        or exists (select 1 from ${countersign}.planning_parts c where c.run_id = t.id))`,
      with: [
        { table: 'planning_checkpoints', column: 'run_id' },
        { table: 'planning_parts', column: 'run_id' },
      ],
      empties: { column: 'trace', to: sql`'[]'` },
    },
    {
      kind: 'planning',
      table: 'model_calls',
      ...serial,
      time: 'began_at',
      days: settings.planning,
      also: sql`not exists (select 1 from ${countersign}.runs r where r.id = t.run_id and not (${overRun('r')}))`,
    },
    { kind: 'planning', table: 'spending', ...serial, time: 'at', days: settings.planning },
    {
      kind: 'runs',
      table: 'runs',
      ...named('id'),
      time: 'updated_at',
      atMost: 20,
      days: settings.runs,
      also: sql`t.planning_status <> 'running' and ${noPlan('t.plan_id')}`,
      with: [
        { table: 'planning_checkpoints', column: 'run_id' },
        { table: 'planning_parts', column: 'run_id' },
        { table: 'run_readers', column: 'run_id' },
      ],
    },
    {
      kind: 'messages',
      table: 'messages',
      ...serial,
      time: 'created_at',
      days: settings.messages,
      also: sql`${noPlan('t.plan_id')} and ${noRun}`,
      with: [{ table: 'chat_posts', column: 'message_id' }],
    },
    {
      kind: 'messages',
      table: 'reminders',
      ...named('id'),
      time: 'created_at',
      days: settings.messages,
      also: sql`t.next_at is null and ${noPlan('t.plan_id')}`,
    },
    {
      kind: 'chat',
      table: 'teams_conversations',
      ...named('channel'),
      time: 'removed_at',
      days: settings.messages,
    },
    {
      kind: 'chat',
      table: 'inbox',
      key: serial.key,
      order: 'index',
      time: 'failed_at',
      days: settings.messages,
      with: [{ table: 'inbox_keys', column: 'event_id' }],
    },
  ];
  const always: Sweep[] = [
    {
      // Well beyond any platform's retries: Slack's end after an hour.
      kind: 'chat',
      table: 'inbox',
      key: serial.key,
      order: 'index',
      time: 'handled_at',
      days: 7,
      with: [{ table: 'inbox_keys', column: 'event_id' }],
    },
    { kind: 'chat', table: 'inbox_leases', ...named('thread'), time: 'lease_until', days: 1 },
    { kind: 'chat', table: 'presses', ...named('once'), time: 'at', days: 7 },
    {
      // Cards this old get no presses. The messages stay.
      kind: 'chat',
      table: 'chat_posts',
      key: { column: 'message_id', type: 'bigint' },
      order: 'index',
      time: 'shown_at',
      days: 30,
      also: sql`not t.live and t.state <> 'sending' and t.asked <= t.answered`,
    },
    // Clients have given up long before.
    { kind: 'caches', table: 'kept_answers', ...named('key'), time: 'at', days: 1 },
    {
      kind: 'caches',
      table: 'webhook_deliveries',
      key: serial.key,
      order: 'index',
      time: 'ended_at',
      days: 7,
    },
    { kind: 'caches', table: 'planning_memo', ...named('key'), time: 'created_at', days: 7 },
    {
      kind: 'caches',
      table: 'sign_in_tries',
      ...named('state_hash'),
      time: 'expires_at',
      days: hour,
    },
    { kind: 'caches', table: 'sign_in_sessions', ...named('hash'), time: 'expires_at', days: 1 },
    { kind: 'caches', table: 'link_codes', ...named('account'), time: 'expires_at', days: hour },
    { kind: 'caches', table: 'link_tries', ...named('account'), time: 'since', days: hour },
    {
      // They matter only to plans created before their end, of which none is left.
      kind: 'caches',
      table: 'former_links',
      ...named('account'),
      time: 'ended_at',
      days: 30,
      also: sql`not exists (select 1 from ${countersign}.plans p where p.created_at < t.ended_at)`,
    },
    // Fetched while planning, of runs without a plan.
    ...['artifacts', 'plan_requests'].map(
      (table): Sweep => ({
        kind: 'caches',
        table,
        ...named('id'),
        time: 'created_at',
        days: 30,
        also: sql`t.run_id is not null and t.plan_id is null`,
      }),
    ),
  ];
  return [
    ...configured.flatMap(({ days, ...sweep }) => (days === null ? [] : [{ ...sweep, days }])),
    ...always,
  ];
}
