// The schema of `countersign.json`, with every default. `src/app/config.ts` parses it.
import { z } from 'zod';
import { checkRules } from './people/check-rules.ts';
import { IdentitySettings } from './people/identity.ts';
import { ApproverPolicy } from './plan/plan.ts';
import { StrategyProfile } from './planning/schedule.ts';
import { sharing } from './tenancy.ts';
import { Effect } from './tool.ts';
import { WebhookSettings } from './webhook.ts';

/** OAuth client at a hosted server; by default it is registered dynamically. */
const McpOauth = z.strictObject({
  client_id: z.string().min(1).optional(),
  client_secret: z.string().min(1).optional(),
  /** The requested scope; default: what the server asks for. */
  scope: z.string().min(1).optional(),
});

export const McpServer = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    /** `sse`: the transport of 2024, for servers that have no other. */
    type: z.enum(['stdio', 'http', 'sse']).optional(),
    url: z.url().optional(),
    headers: z.record(z.string(), z.string()).default({}),
    oauth: McpOauth.optional(),
    disabled: z.boolean().default(false),
    /** Effects by operation; others follow a trusted server's annotations only. */
    effects: z.record(z.string(), Effect).default({}),
    /** Believe its annotations, so that read-only tools count as reads; otherwise every call is an external change. */
    trusted: z.boolean().default(false),
    /** By operation, the read that shows its target before approval, called with the arguments they share. */
    inspect: z.record(z.string(), z.string()).default({}),
    /** Timeout of a call in milliseconds. */
    timeout_ms: z.number().int().positive().default(60_000),
    ...sharing,
  })
  .refine(
    (s) => (s.command === undefined) !== (s.url === undefined) || s.disabled,
    'needs either "command" (stdio) or "url" (HTTP)',
  )
  .refine(
    (s) => s.trusted || Object.keys(s.inspect).length === 0,
    'needs "trusted": true beside "inspect", since its reads are called before anybody approves',
  );
export type McpServer = z.infer<typeof McpServer>;

const WebOrigin = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => URL.canParse(url) && [url, `${url}/`].includes(`${new URL(url).origin}/`),
    'must be an origin such as https://api.example.com, with nothing after the host',
  )
  .transform((url) => new URL(url).origin);

/** A shared resource: its capacity, and the part never given away. */
const ResourcePool = z
  .union([
    z.number().positive(),
    z.strictObject({ capacity: z.number().positive(), headroom: z.number().min(0).default(0) }),
  ])
  .transform((pool) => (typeof pool === 'number' ? { capacity: pool, headroom: 0 } : pool))
  .refine(({ capacity, headroom }) => headroom < capacity, 'headroom must be less than capacity');
export type ResourcePool = z.infer<typeof ResourcePool>;

/** An ICS file or address, the people it belongs to, and the organisations that use it. */
const Calendar = z
  .union([
    z.string(),
    z.strictObject({
      at: z.string(),
      /** Accounts or addresses whose time it blocks; default: the requester's. */
      people: z.array(z.string().min(1).max(200)).min(1).optional(),
      ...sharing,
    }),
  ])
  .transform((calendar) => (typeof calendar === 'string' ? { at: calendar } : calendar));
export type Calendar = z.infer<typeof Calendar>;

/** A tool file, and the organisations that use it. */
const ToolFile = z
  .union([z.string().min(1), z.strictObject({ file: z.string().min(1), ...sharing })])
  .transform((tool) => (typeof tool === 'string' ? { file: tool } : tool));

/** One executor of a worker: additional capabilities, and concurrency. */
const Backend = z.strictObject({
  capabilities: z.array(z.string().min(1).max(200)).max(50).default([]),
  /** Maximum concurrent calls; default: `executor.concurrency`. */
  concurrency: z.number().int().min(1).max(1000).optional(),
  /** Only these operations; default: all of this process. */
  operations: z.array(z.string()).optional(),
});
export type Backend = z.infer<typeof Backend>;

const OperationRule = z.strictObject({
  timeout_seconds: z.number().min(0.001).max(86_400).optional(),
  /** Attempts of a repeatable call (read-only or idempotent), including the first. */
  max_attempts: z.number().int().min(1).max(100).optional(),
  /** Seconds before the second attempt; doubles each time, with jitter. */
  backoff_seconds: z.number().min(0).max(3600).optional(),
});
export type OperationRule = z.infer<typeof OperationRule>;

/** Days until deletion, or null for never. */
const daysKept = (usual: number) => z.number().min(0).max(36_500).nullable().default(usual);

/** Retention. Unfinished plans stay, with all they need. */
const Retention = z.strictObject({
  /** Plans since their last change, with all their data. */
  plans: daysKept(365),
  /** Changes of ended plans. */
  events: daysKept(90),
  /** Step attempts of ended plans. */
  attempts: daysKept(180),
  /** Messages, unless their plan or run is still kept. */
  messages: daysKept(365),
  /** Planner runs, unless their plan is still kept. */
  runs: daysKept(365),
  /** Planning data: sessions, traces, parts, model calls and costs. */
  planning: daysKept(90),
  /** Sealed parts of the audit log, oldest first. */
  audit: daysKept(1095),
  /** Write deleted data to files: in the home's `archive`, or in this folder. */
  archive: z.union([z.boolean(), z.string().min(1)]).default(true),
});
export type Retention = z.infer<typeof Retention>;

const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: z
    .record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'letters, digits and hyphens'),
      McpServer,
    )
    .default({}),
  /** Your own tools in TypeScript or JavaScript; paths are relative to the settings file. */
  tools: z.array(ToolFile).default([]),
  /** Built-in tools to switch off: `workspace`, `http`, … */
  disabledTools: z.array(z.string()).default([]),
  /** Exact names of operations that run only inside an approved plan and are marked on the card. */
  guardedTools: z.array(z.string()).default(['workspace_delete', 'http_request']),
  guardMode: z.enum(['block', 'log']).default('block'),
  /**
   * Operations a planner may call: read-only ones except `deny`. `http_get` is denied by default: a URL can leak what a planner
   * has read.
   */
  plannerTools: z
    .strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).default(['http_get']),
    })
    .default({ deny: ['http_get'] }),
  /** Additional approvers besides the requester. */
  approvers: z.array(z.string()).default([]),
  /** Additional approvers for plans that use these operations. */
  guardedApprovers: z.record(z.string(), ApproverPolicy).default({}),
  /** Who may answer questions for a person: `{ "ana": ["ben"] }`. Approvals are not delegated. */
  delegates: z.record(z.string().min(1).max(200), z.array(z.string().min(1).max(200))).default({}),
  /** Groups of people by name, used as `group:NAME`. */
  groups: z
    .record(
      z.string().regex(/^[^\s:]+$/, 'no blanks or colons'),
      z.array(z.string().min(1).max(200)),
    )
    .default({}),
  /** Sign-in to the console and the API. */
  identity: IdentitySettings.prefault({}),
  /** The backend pg-boss runs on. */
  pgBossBackend: z.enum(['postgres', 'citus', 'yugabytedb', 'cockroachdb']).default('postgres'),
  /** Resources by name: a number, or `{ capacity, headroom }`. */
  resourcePools: z.record(z.string().min(1).max(200), ResourcePool).default({}),
  /** Executors of a worker by name. Default: one, `default`, without capabilities. */
  backends: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/), Backend).default({}),
  /** Time limits and retries of single operations, by exact name. */
  operations: z.record(z.string(), OperationRule).default({}),
  http: z
    .strictObject({
      /** Private hosts and CIDR ranges that http_get and http_request may reach. */
      allowPrivate: z.array(z.string()).default([]),
      /** Origins whose targets of PUT, PATCH and DELETE are shown by a GET before approval. */
      inspect: z.array(WebOrigin).default([]),
      timeout_ms: z.number().int().positive().default(30_000),
      max_bytes: z.number().int().positive().default(5_000_000),
    })
    .prefault({}),
  /** ICS files or addresses by name, and the people they belong to. */
  calendars: z.record(z.string(), Calendar).default({}),
  /** Working hours for schedules. */
  schedule: StrategyProfile.prefault({}),
  /** The confidence at which a planning stage continues, and below which a person is asked at once; in between, it is retried. */
  confidence: z
    .strictObject({
      continue: z.number().min(0).max(1).default(0.7),
      escalate: z.number().min(0).max(1).default(0.4),
    })
    .prefault({}),
  /** US dollars per million tokens, by model; overrides the built-in table. `*` applies to all others. */
  prices: z
    .record(
      z.string(),
      z.strictObject({
        input: z.number().min(0),
        output: z.number().min(0),
        cached_input: z.number().min(0).optional(),
        cache_write: z.number().min(0).optional(),
      }),
    )
    .default({}),
  /** Concurrent planners per worker. They mostly wait for the model. */
  planning: z
    .strictObject({
      /** Turns of runs, except those waiting for their parts. */
      concurrency: z.number().int().min(1).max(200).default(8),
      /** Parts of large plans. */
      part_concurrency: z.number().int().min(1).max(200).default(4),
    })
    .prefault({}),
  executor: z
    .strictObject({
      /** Concurrent calls per back end; up to twice as many if slow ones would block all others. */
      concurrency: z.number().int().min(1).max(1000).default(16),
      /** Steps settled and claimed in one transaction. */
      batch: z.number().int().min(1).max(1000).default(500),
      /** A worker that has not renewed its lease for this long has lost its steps. */
      lease_seconds: z.number().min(1).max(3600).default(15),
      /** Calls that take longer are stopped and their step fails. */
      step_timeout_seconds: z.number().min(1).max(86_400).default(300),
      /** A plan without progress for this long, despite an available worker, is stalled (waiting for a person never counts). */
      stall_minutes: z.number().min(0.01).max(100_000).default(30),
      on_failure: z.enum(['continue_independent', 'stop_all']).default('continue_independent'),
      /** Whether a plan proposes a change when a finding leaves stale steps, or when a person asks. */
      replan: z.enum(['automatic', 'on_request']).default('automatic'),
      /** Attempts of a repeatable call, including the first. */
      max_attempts: z.number().int().min(1).max(100).default(3),
      /** Seconds before the second attempt; doubles each time, with jitter. */
      backoff_seconds: z.number().min(0).max(3600).default(1),
      max_backoff_seconds: z.number().min(0).max(86_400).default(60),
    })
    .prefault({}),
  /** Unlimited by default. `person`: limits per person. */
  limits: z
    .strictObject({
      person: z
        .strictObject({
          /** Requests being planned at once. */
          open_runs: z.number().int().min(1).optional(),
          /** Proposals waiting for a decision. */
          waiting_plans: z.number().int().min(1).optional(),
          /** US dollars per day (UTC) for models: planning, and steps of running plans. */
          usd_per_day: z.number().positive().optional(),
          /** Former name of `usd_per_day`. */
          planning_usd_per_day: z.number().positive().optional(),
          /** API and MCP requests per minute of a signed-in person, per process. */
          requests_per_minute: z.number().int().min(1).optional(),
        })
        .transform(({ planning_usd_per_day: former, ...limits }) =>
          former === undefined ? limits : { usd_per_day: former, ...limits },
        )
        .prefault({}),
      organisation: z.strictObject({ usd_per_day: z.number().positive().optional() }).prefault({}),
    })
    .prefault({}),
  /** Webhook endpoints. */
  webhooks: z
    .array(WebhookSettings)
    .refine(
      (all) => new Set(all.map(({ url }) => url)).size === all.length,
      'an address stands there twice',
    )
    .default([]),
  /** A person for whom a step or patch waits is reminded after this long, repeatedly. */
  human_reminder_hours: z.number().positive().default(24),
  /** An undecided proposal: reminder at half time, then cancelled. */
  stale_after_days: z.number().positive().default(7),
  /** The same for plans from the terminal, which has no lasting card. */
  terminal_stale_after_days: z.number().positive().default(30),
  retention: Retention.prefault({}),
});
export const Settings = SettingsFile.superRefine((settings, context) => {
  for (const { path, message } of checkRules(settings))
    context.addIssue({ code: 'custom', path, message });
});
export type Settings = z.infer<typeof Settings>;

/** Instance-wide settings that one process applies for all. */
export const sharedSettings = ['retention', 'resourcePools'] as const;
export type SharedSettings = Pick<Settings, (typeof sharedSettings)[number]>;
