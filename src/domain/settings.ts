// The schema of `countersign.json`; `src/app/config.ts` parses it.
import { z } from 'zod';
import { checkRules } from './people/check-rules.ts';
import { IdentitySettings } from './people/identity.ts';
import { ApproverPolicy } from './plan/plan.ts';
import { StrategyProfile } from './planning/schedule.ts';
import { sharing } from './tenancy.ts';
import { Effect } from './tool.ts';
import { WebhookSettings } from './webhook.ts';

/** Default: registered dynamically. */
const McpOauth = z.strictObject({
  client_id: z.string().min(1).optional(),
  client_secret: z.string().min(1).optional(),
  /** Default: as the server asks. */
  scope: z.string().min(1).optional(),
});

export const McpServer = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    /** `sse`: the 2024 transport. */
    type: z.enum(['stdio', 'http', 'sse']).optional(),
    url: z.url().optional(),
    headers: z.record(z.string(), z.string()).default({}),
    oauth: McpOauth.optional(),
    disabled: z.boolean().default(false),
    /** By operation; default: a trusted server's annotations. */
    effects: z.record(z.string(), Effect).default({}),
    /** Read-only tools count as reads; otherwise every call is an external change. */
    trusted: z.boolean().default(false),
    /** By operation, the read that shows its target before approval, with the shared arguments. */
    inspect: z.record(z.string(), z.string()).default({}),
    timeout_ms: z.number().int().positive().default(60_000),
    ...sharing,
  })
  .refine(
    (s) => (s.command === undefined) !== (s.url === undefined) || s.disabled,
    'needs either "command" (stdio) or "url" (HTTP)',
  )
  .refine(
    (s) => s.trusted || Object.keys(s.inspect).length === 0,
    'needs "trusted": true with "inspect", because its reads run before anyone approves',
  );
export type McpServer = z.infer<typeof McpServer>;

const WebOrigin = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => URL.canParse(url) && [url, `${url}/`].includes(`${new URL(url).origin}/`),
    'must be an origin such as https://api.example.com, with nothing after the host',
  )
  .transform((url) => new URL(url).origin);

/** `headroom`: never given away. */
const ResourcePool = z
  .union([
    z.number().positive(),
    z.strictObject({ capacity: z.number().positive(), headroom: z.number().min(0).default(0) }),
  ])
  .transform((pool) => (typeof pool === 'number' ? { capacity: pool, headroom: 0 } : pool))
  .refine(({ capacity, headroom }) => headroom < capacity, 'headroom must be less than capacity');
export type ResourcePool = z.infer<typeof ResourcePool>;

const Calendar = z
  .union([
    z.string(),
    z.strictObject({
      at: z.string(),
      /** People it blocks time of; default: the requester. */
      people: z.array(z.string().min(1).max(200)).min(1).optional(),
      ...sharing,
    }),
  ])
  .transform((calendar) => (typeof calendar === 'string' ? { at: calendar } : calendar));
export type Calendar = z.infer<typeof Calendar>;

const ToolFile = z
  .union([z.string().min(1), z.strictObject({ file: z.string().min(1), ...sharing })])
  .transform((tool) => (typeof tool === 'string' ? { file: tool } : tool));

const Backend = z.strictObject({
  capabilities: z.array(z.string().min(1).max(200)).max(50).default([]),
  /** Default: `executor.concurrency`. */
  concurrency: z.number().int().min(1).max(1000).optional(),
  /** Default: all of this process. */
  operations: z.array(z.string()).optional(),
});
export type Backend = z.infer<typeof Backend>;

const OperationRule = z.strictObject({
  timeout_seconds: z.number().min(0.001).max(86_400).optional(),
  /** For repeatable calls (read-only or idempotent), including the first. */
  max_attempts: z.number().int().min(1).max(100).optional(),
  /** Before the second attempt; doubles, with jitter. */
  backoff_seconds: z.number().min(0).max(3600).optional(),
});
export type OperationRule = z.infer<typeof OperationRule>;

/** Null for never. */
const daysKept = (usual: number) => z.number().min(0).max(36_500).nullable().default(usual);

/** Unfinished plans stay, with all they need. */
const Retention = z.strictObject({
  /** Since their last change. */
  plans: daysKept(365),
  /** After the plan's end. */
  events: daysKept(90),
  /** After the plan's end. */
  attempts: daysKept(180),
  /** Unless their plan or run is kept. */
  messages: daysKept(365),
  /** Unless their plan is kept. */
  runs: daysKept(365),
  /** Sessions, traces, parts, model calls and costs. */
  planning: daysKept(90),
  /** Sealed parts, oldest first. */
  audit: daysKept(1095),
  /** Deleted data: in the home's `archive`, or this folder. */
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
  /** Your own tools; paths are relative to this file. */
  tools: z.array(ToolFile).default([]),
  /** `workspace`, `http`, … */
  disabledTools: z.array(z.string()).default([]),
  /** Run only inside an approved plan, marked on the card. */
  guardedTools: z.array(z.string()).default(['workspace_delete', 'http_request']),
  guardMode: z.enum(['block', 'log']).default('block'),
  /** Read-only operations except `deny`. `http_get` is denied by default: a URL can leak what a planner has read. */
  plannerTools: z
    .strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).default(['http_get']),
    })
    .default({ deny: ['http_get'] }),
  /** Besides the requester. */
  approvers: z.array(z.string()).default([]),
  /** By guarded operation. */
  guardedApprovers: z.record(z.string(), ApproverPolicy).default({}),
  /** Who may answer for whom: `{ "ana": ["ben"] }`. Not approve. */
  delegates: z.record(z.string().min(1).max(200), z.array(z.string().min(1).max(200))).default({}),
  groups: z
    .record(
      z.string().regex(/^[^\s:]+$/, 'no blanks or colons'),
      z.array(z.string().min(1).max(200)),
    )
    .default({}),
  identity: IdentitySettings.prefault({}),
  /** For pg-boss. */
  pgBossBackend: z.enum(['postgres', 'citus', 'yugabytedb', 'cockroachdb']).default('postgres'),
  /** A number, or `{ capacity, headroom }`. */
  resourcePools: z.record(z.string().min(1).max(200), ResourcePool).default({}),
  /** Default: one, without capabilities. */
  backends: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/), Backend).default({}),
  /** Time limits and retries, by exact name. */
  operations: z.record(z.string(), OperationRule).default({}),
  http: z
    .strictObject({
      /** Private hosts and CIDR ranges for http_get and http_request. */
      allowPrivate: z.array(z.string()).default([]),
      /** Origins where a GET shows targets of changes before approval. */
      inspect: z.array(WebOrigin).default([]),
      timeout_ms: z.number().int().positive().default(30_000),
      max_bytes: z.number().int().positive().default(5_000_000),
    })
    .prefault({}),
  /** By name. */
  calendars: z.record(z.string(), Calendar).default({}),
  /** For schedules. */
  schedule: StrategyProfile.prefault({}),
  /** A stage continues above the first, asks a person below the second, else retries. */
  confidence: z
    .strictObject({
      continue: z.number().min(0).max(1).default(0.7),
      escalate: z.number().min(0).max(1).default(0.4),
    })
    .prefault({}),
  /** US dollars per million tokens, by model; `*`: all others. Overrides the built-in table. */
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
  /** Per worker; planners mostly wait for the model. */
  planning: z
    .strictObject({
      /** Runs, except those waiting for their parts. */
      concurrency: z.number().int().min(1).max(200).default(8),
      /** Parts of large plans. */
      part_concurrency: z.number().int().min(1).max(200).default(4),
    })
    .prefault({}),
  executor: z
    .strictObject({
      /** Per back end; up to twice as many if slow ones block. */
      concurrency: z.number().int().min(1).max(1000).default(16),
      /** Steps per transaction. */
      batch: z.number().int().min(1).max(1000).default(500),
      /** A worker that hasn't renewed its lease for this long has lost its steps. */
      lease_seconds: z.number().min(1).max(3600).default(15),
      /** Then the call is stopped and fails. */
      step_timeout_seconds: z.number().min(1).max(86_400).default(300),
      /** Without progress despite an available worker; waiting for people doesn't count. */
      stall_minutes: z.number().min(0.01).max(100_000).default(30),
      on_failure: z.enum(['continue_independent', 'stop_all']).default('continue_independent'),
      /** When a finding leaves stale steps. */
      replan: z.enum(['automatic', 'on_request']).default('automatic'),
      /** For repeatable calls, including the first. */
      max_attempts: z.number().int().min(1).max(100).default(3),
      /** Before the second attempt; doubles, with jitter. */
      backoff_seconds: z.number().min(0).max(3600).default(1),
      max_backoff_seconds: z.number().min(0).max(86_400).default(60),
    })
    .prefault({}),
  limits: z
    .strictObject({
      person: z
        .strictObject({
          /** Being planned. */
          open_runs: z.number().int().min(1).optional(),
          /** Undecided. */
          waiting_plans: z.number().int().min(1).optional(),
          /** UTC day; planning and running steps. */
          usd_per_day: z.number().positive().optional(),
          /** Former name. */
          planning_usd_per_day: z.number().positive().optional(),
          /** Per signed-in person and process, API and MCP. */
          requests_per_minute: z.number().int().min(1).optional(),
        })
        .transform(({ planning_usd_per_day: former, ...limits }) =>
          former === undefined ? limits : { usd_per_day: former, ...limits },
        )
        .prefault({}),
      organisation: z.strictObject({ usd_per_day: z.number().positive().optional() }).prefault({}),
    })
    .prefault({}),
  webhooks: z
    .array(WebhookSettings)
    .refine(
      (all) => new Set(all.map(({ url }) => url)).size === all.length,
      'lists an address twice',
    )
    .default([]),
  /** Repeated, for steps and patches. */
  human_reminder_hours: z.number().positive().default(24),
  /** Reminder at half time, then cancelled. */
  stale_after_days: z.number().positive().default(7),
  /** Terminal plans have no lasting card. */
  terminal_stale_after_days: z.number().positive().default(30),
  retention: Retention.prefault({}),
});
export const Settings = SettingsFile.superRefine((settings, context) => {
  for (const { path, message } of checkRules(settings))
    context.addIssue({ code: 'custom', path, message });
});
export type Settings = z.infer<typeof Settings>;

/** Applied by one process for all. */
export const sharedSettings = ['retention', 'resourcePools'] as const;
export type SharedSettings = Pick<Settings, (typeof sharedSettings)[number]>;
