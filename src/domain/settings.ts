// The schema of `countersign.json` and of the environment, with every default. `src/app/config.ts` parses them.
import { z } from 'zod';
import { CountersignError } from './errors.ts';
import { checkRules } from './people/check-rules.ts';
import { IdentitySettings } from './people/identity.ts';
import { ApproverPolicy } from './plan/plan.ts';
import { StrategyProfile } from './planning/schedule.ts';
import { readPublicUrl } from './public-url.ts';
import { sharing } from './tenancy.ts';
import { Effect } from './tool.ts';
import { WebhookSettings } from './webhook.ts';

/** How Countersign signs in at a hosted server; without it, it registers itself there. */
const McpOauth = z.strictObject({
  client_id: z.string().min(1).optional(),
  client_secret: z.string().min(1).optional(),
  /** What is asked for; by default what the server says it needs. */
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
    /** What operations do; for those that are not named, only a trusted server's own annotations count. */
    effects: z.record(z.string(), Effect).default({}),
    /** Believe its annotations: what it calls read-only is a read, and shown as one; else each call is a change outside. */
    trusted: z.boolean().default(false),
    /** By operation, the read that shows what its target is now: called with the arguments that both have, before anybody approves. */
    inspect: z.record(z.string(), z.string()).default({}),
    /** Milliseconds a call may take. */
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

/** A resource that steps share: how much there is, and how much of it is never given away. */
const ResourcePool = z
  .union([
    z.number().positive(),
    z.strictObject({ capacity: z.number().positive(), headroom: z.number().min(0).default(0) }),
  ])
  .transform((pool) => (typeof pool === 'number' ? { capacity: pool, headroom: 0 } : pool))
  .refine(({ capacity, headroom }) => headroom < capacity, 'headroom must be less than capacity');
export type ResourcePool = z.infer<typeof ResourcePool>;

/** An ICS file or address, and the organisations that use it. */
const Calendar = z
  .union([z.string(), z.strictObject({ at: z.string(), ...sharing })])
  .transform((calendar) => (typeof calendar === 'string' ? { at: calendar } : calendar));
export type Calendar = z.infer<typeof Calendar>;

/** A tool file, and the organisations that use it. */
const ToolFile = z
  .union([z.string().min(1), z.strictObject({ file: z.string().min(1), ...sharing })])
  .transform((tool) => (typeof tool === 'string' ? { file: tool } : tool));

/** One executor of a worker process: what it can do beyond its operations, and how much at once. */
const Backend = z.strictObject({
  capabilities: z.array(z.string().min(1).max(200)).max(50).default([]),
  /** Calls under way at once, never more; default: `executor.concurrency`. */
  concurrency: z.number().int().min(1).max(1000).optional(),
  /** Only these operations; default: every one this process has. */
  operations: z.array(z.string()).optional(),
});
export type Backend = z.infer<typeof Backend>;

/** What the executor does about one operation instead of what it does about all. */
const OperationRule = z.strictObject({
  timeout_seconds: z.number().min(0.001).max(86_400).optional(),
  /** Attempts of a call that may be repeated (read-only or idempotent), the first included. */
  max_attempts: z.number().int().min(1).max(100).optional(),
  /** Seconds before the second attempt; each further one waits twice as long, with jitter. */
  backoff_seconds: z.number().min(0).max(3600).optional(),
});
export type OperationRule = z.infer<typeof OperationRule>;

/** Days after which something is deleted; null: never. */
const daysKept = (usual: number) => z.number().min(0).max(36_500).nullable().default(usual);

/** How long is kept what is over. Plans that have not ended stay, with all they need. */
const Retention = z.strictObject({
  /** Plans since they last changed, with all that is theirs. */
  plans: daysKept(365),
  /** Of plans that have ended: the stream of changes. */
  events: daysKept(90),
  /** Of plans that have ended: attempts of steps. */
  attempts: daysKept(180),
  /** What was said, unless it is about a plan or a run that is still kept. */
  messages: daysKept(365),
  /** Runs of planners, unless their plan is still kept. */
  runs: daysKept(365),
  /** How it was planned: sessions, traces, parts, calls of models and their cost. */
  planning: daysKept(90),
  /** The audit log, from its old end, as far as it is sealed. */
  audit: daysKept(1095),
  /** Write what is deleted to files first: in `archive` of the home, or in this folder. */
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
  /** Files of your own tools in TypeScript or JavaScript; relative paths start at the folder of the settings file. */
  tools: z.array(ToolFile).default([]),
  /** Built-in tools to switch off: `workspace`, `http`, … */
  disabledTools: z.array(z.string()).default([]),
  /** Exact operation names that are never called outside an approved plan and are marked on the card. */
  guardedTools: z.array(z.string()).default(['workspace_delete', 'http_request']),
  guardMode: z.enum(['block', 'log']).default('block'),
  /**
   * Operations a planner may call while planning: the read-only ones less `deny`. `http_get` is denied by default:
   * an address can carry out what a planner has read.
   */
  plannerTools: z
    .strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).default(['http_get']),
    })
    .default({ deny: ['http_get'] }),
  /** People who may approve besides the requester. */
  approvers: z.array(z.string()).default([]),
  /** Who must approve a plan that uses one of these operations, besides what the plan itself asks for. */
  guardedApprovers: z.record(z.string(), ApproverPolicy).default({}),
  /** Who may answer questions for a person: `{ "ana": ["ben"] }`. Approvals are not delegated. */
  delegates: z.record(z.string().min(1).max(200), z.array(z.string().min(1).max(200))).default({}),
  /** Groups of people by name; the roles of sign-in providers name them as `group:NAME`. */
  groups: z
    .record(
      z.string().regex(/^[^\s:]+$/, 'no blanks or colons'),
      z.array(z.string().min(1).max(200)),
    )
    .default({}),
  /** How people sign in to the console and the API. */
  identity: IdentitySettings.prefault({}),
  /** The backend pg-boss runs on. */
  pgBossBackend: z.enum(['postgres', 'citus', 'yugabytedb', 'cockroachdb']).default('postgres'),
  /** Resources by name: a number, or `{ capacity, headroom }`. */
  resourcePools: z.record(z.string().min(1).max(200), ResourcePool).default({}),
  /** Executors of a worker process, by name. Without any there is one, `default`, without capabilities. */
  backends: z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/), Backend).default({}),
  /** Time limits and retries of single operations, by exact name. */
  operations: z.record(z.string(), OperationRule).default({}),
  http: z
    .strictObject({
      /** Hosts and CIDR ranges that http_get and http_request may reach although they are private. */
      allowPrivate: z.array(z.string()).default([]),
      /** Origins where GET shows what a PUT, PATCH or DELETE would change; it is sent before anybody approves. */
      inspect: z.array(WebOrigin).default([]),
      timeout_ms: z.number().int().positive().default(30_000),
      max_bytes: z.number().int().positive().default(5_000_000),
    })
    .prefault({}),
  /** ICS files or addresses, by name. */
  calendars: z.record(z.string(), Calendar).default({}),
  /** When people work, for schedules. */
  schedule: StrategyProfile.prefault({}),
  /** From which confidence on a stage of planning goes on, and below which a person is asked at once; between, it is tried again. */
  confidence: z
    .strictObject({
      continue: z.number().min(0).max(1).default(0.7),
      escalate: z.number().min(0).max(1).default(0.4),
    })
    .prefault({}),
  /** US dollars per million tokens, by model name; overrides the built-in table. `*`: every model that neither names. */
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
      /** Turns of runs. One that waits for its parts does not count. */
      concurrency: z.number().int().min(1).max(200).default(8),
      /** Parts of large plans. */
      part_concurrency: z.number().int().min(1).max(200).default(4),
    })
    .prefault({}),
  executor: z
    .strictObject({
      /** Calls under way at once in one back end; up to twice as many where slow ones would hold up all others. */
      concurrency: z.number().int().min(1).max(1000).default(16),
      /** Steps settled and claimed in one transaction. */
      batch: z.number().int().min(1).max(1000).default(500),
      /** A worker that has not renewed its lease for this long has lost its steps. */
      lease_seconds: z.number().min(1).max(3600).default(15),
      /** A call that takes longer is stopped and its step fails. */
      step_timeout_seconds: z.number().min(1).max(86_400).default(300),
      /** A plan without progress for this long, with a worker that could go on, is stalled (waiting for a person never counts). */
      stall_minutes: z.number().min(0.01).max(100_000).default(30),
      on_failure: z.enum(['continue_independent', 'stop_all']).default('continue_independent'),
      /** Whether a plan proposes a change of itself as soon as a finding leaves stale steps, or when a person asks for it. */
      replan: z.enum(['automatic', 'on_request']).default('automatic'),
      /** Attempts of a call that may be repeated, the first included. */
      max_attempts: z.number().int().min(1).max(100).default(3),
      /** Seconds before the second attempt; each further one waits twice as long, with jitter. */
      backoff_seconds: z.number().min(0).max(3600).default(1),
      max_backoff_seconds: z.number().min(0).max(86_400).default(60),
    })
    .prefault({}),
  /** Without a number there is no limit. `person`: limits of one person. */
  limits: z
    .strictObject({
      person: z
        .strictObject({
          /** Requests that are being planned at once. */
          open_runs: z.number().int().min(1).optional(),
          /** Proposals of theirs that wait for a decision. */
          waiting_plans: z.number().int().min(1).optional(),
          /** US dollars a day (UTC) for models: planning, and steps of running plans. */
          usd_per_day: z.number().positive().optional(),
          /** A former name of `usd_per_day`. */
          planning_usd_per_day: z.number().positive().optional(),
          /** Requests of the API and over MCP that somebody who is signed in makes in a minute, in one process. */
          requests_per_minute: z.number().int().min(1).optional(),
        })
        .transform(({ planning_usd_per_day: former, ...limits }) =>
          former === undefined ? limits : { usd_per_day: former, ...limits },
        )
        .prefault({}),
      /** Limits of all people of one organisation together. */
      organisation: z.strictObject({ usd_per_day: z.number().positive().optional() }).prefault({}),
    })
    .prefault({}),
  /** Programs that are told what becomes of plans. */
  webhooks: z
    .array(WebhookSettings)
    .refine(
      (all) => new Set(all.map(({ url }) => url)).size === all.length,
      'an address stands there twice',
    )
    .default([]),
  /** A person for whom a step or a patch waits is reminded after this long, and again each time as much has passed. */
  human_reminder_hours: z.number().positive().default(24),
  /** A proposed plan nobody decides about: reminder at half time, then cancelled. */
  stale_after_days: z.number().positive().default(7),
  /** The same for a plan asked for in the terminal, where no card is in view. */
  terminal_stale_after_days: z.number().positive().default(30),
  retention: Retention.prefault({}),
});
export const Settings = SettingsFile.superRefine((settings, context) => {
  for (const { path, message } of checkRules(settings))
    context.addIssue({ code: 'custom', path, message });
});
export type Settings = z.infer<typeof Settings>;

/** Settings that hold for the whole instance, and which one process applies for all. */
export const sharedSettings = ['retention', 'resourcePools'] as const;
export type SharedSettings = Pick<Settings, (typeof sharedSettings)[number]>;

/** A number of the environment that names its range when it does not fit. */
function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

function amount(min: number, max: number) {
  const error = `must be a number from ${min} to ${max}`;
  return z.coerce.number({ error }).min(min, { error }).max(max, { error });
}

export const flag = z.stringbool();
export const optional = z.string().min(1).optional();
export const secret = z.string().min(16, 'must have at least 16 characters');
const publicUrl = z.string().transform((text, issues) => {
  const url = readPublicUrl(text);
  if (url !== null) return url;
  issues.addIssue(
    'must be an address such as https://bot.example.com: https (or http on this machine), with nothing after its path',
  );
  return z.NEVER;
});
const networks = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).array();
const proxies = z.string().transform((text, issues) => {
  const { data } = networks.safeParse(text.split(/[\s,]+/).filter((one) => one !== ''));
  if (data !== undefined && !data.some((one) => one.endsWith('/0'))) return data;
  issues.addIssue(
    'must be addresses and networks such as 10.0.0.0/8, with commas between them, and not everybody (/0)',
  );
  return z.NEVER;
});
/** The environment. Empty strings count as not set. */
export const Environment = z.object({
  PORT: whole(0, 65_535).default(3978),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  /** What leads to the database itself where `DATABASE_URL` leads to a pooler. */
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  /** The instance's schema (`db/instance.ts`). */
  DATABASE_SCHEMA: z
    .string()
    .regex(
      /^(?!pg_|public$|pgboss$|information_schema$)[a-z_][a-z0-9_]{0,39}$/,
      'must be up to 40 small letters, digits and underscores, such as countersign_eu',
    )
    .default('countersign'),
  DATABASE_POOL_SIZE: whole(4, 100).default(10),
  OPENAI_API_KEY: optional,
  OPENAI_BASE_URL: z.url().optional(),
  /** Which of OpenAI's APIs the server is spoken to in; by default `responses` with OpenAI itself, else `chat`. */
  OPENAI_API: z.enum(['responses', 'chat']).optional(),
  PLANNER_MODEL: z.string().default('gpt-6.2-sol'),
  EXECUTOR_MODEL: z.string().default('gpt-6-luna'),
  /** How long the planner's model thinks; by default what the server has as its own. */
  PLANNER_REASONING_EFFORT: z
    .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  COUNTERSIGN_API_TOKEN: secret.optional(),
  /** Of one caller that is not on this machine. */
  API_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(1200),
  /** Proxies beside those on this machine: of their requests the address counts that `X-Forwarded-For` names. */
  COUNTERSIGN_TRUSTED_PROXIES: proxies.default([]),
  COUNTERSIGN_PUBLIC_URL: publicUrl.optional(),
  /** Encrypts the tokens of Slack's workspaces. */
  COUNTERSIGN_ENCRYPTION_KEY: z
    .string()
    .regex(
      /^(?:[\da-f]{64}|[\w+/-]{43}=?)$/i,
      'must be 32 bytes in base64 or hex, as "openssl rand -base64 32" prints them',
    )
    .optional(),
  COUNTERSIGN_HOME: z.string().default('.countersign'),
  COUNTERSIGN_WORKSPACE: optional,
  COUNTERSIGN_CONFIG: z.string().default('countersign.json'),
  PLAN_REASONING_MODE_DEFAULT: z.enum(['normal', 'extensive']).default('normal'),
  PLANNING_MODE_DEFAULT: z.enum(['normal', 'extensive']).default('normal'),
  REASONING_LEVEL_DEFAULT: whole(0, 10).default(3),
  TURN_LIMIT: whole(1, 1000).default(10),
  RETRY_LIMIT_PER_STAGE: whole(0, 100).default(2),
  WALL_TIME_SEC: amount(1, 3600).default(45),
  BUDGET_PER_SESSION_USD: amount(0, 1_000_000).default(2),
  SOFT_BUDGET_PER_TURN_USD: amount(0, 1_000_000).default(0.3),
  BUDGET_PER_DAY_USD: amount(0, 1_000_000).default(5),
  /** Planners may propose subtypes of patterns that are not known yet. */
  ALLOW_NEW_SUBTYPE_PROPOSALS: flag.default(true),
  /** A new subtype waits for a person's word before it is planned with. */
  REQUIRE_RFC_FOR_NEW_SUBTYPE: flag.default(true),
  COUNTERSIGN_TIMEZONE: optional,
  COUNTERSIGN_NO_BROWSER: flag.optional(),
  /** Where a worker answers health checks and shows its metrics; 0: any free port. Left out: nowhere. */
  HEALTH_PORT: whole(0, 65_535).optional(),
  // OpenTelemetry's own variables, of which its SDK reads more by itself: here is what says whether anything is traced.
  OTEL_SDK_DISABLED: optional,
  OTEL_CONFIG_FILE: optional,
  OTEL_TRACES_EXPORTER: optional,
  OTEL_EXPORTER_OTLP_ENDPOINT: optional,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional,
  OTEL_EXPORTER_OTLP_PROTOCOL: optional,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
export type Environment = z.infer<typeof Environment>;

/** The 32 bytes of COUNTERSIGN_ENCRYPTION_KEY. */
export const readEncryptionKey = (key: string): Buffer =>
  Buffer.from(key, key.length === 64 ? 'hex' : 'base64');

/** Refuses settings that do not belong together. */
export function refuseSetting(variable: string, sentence: string): never {
  throw new CountersignError('invalid_configuration', `${variable}: ${sentence}`);
}
