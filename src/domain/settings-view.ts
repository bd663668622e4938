// An instance's visible settings, without secrets.
import { z } from 'zod';
import { type ModelApi, modelApis } from './model-apis.ts';
import { CallClass } from './plan/call.ts';
import { ApproverPolicy } from './plan/plan.ts';
import { StrategyProfile } from './planning/schedule.ts';
import { PlatformName } from './platform-name.ts';
import { JsonObject } from './text.ts';
import { ToolSource } from './tool.ts';
import { WebhookEvent } from './webhook.ts';

const OperationFacts = z.object({
  name: z.string(),
  description: z.string(),
  effect: CallClass,
  destructive: z.boolean(),
  /** Only inside an approved plan; marked on the card. */
  guarded: z.boolean(),
  /** Callable by planners before approval. */
  planner: z.boolean(),
  person: z.boolean(),
});
export type OperationFacts = z.infer<typeof OperationFacts>;

const ToolFacts = z.object({
  name: z.string(),
  source: ToolSource,
  /** As in the settings. */
  file: z.string().exactOptional(),
  /** `off`: disabled. */
  state: z.enum(['ok', 'down', 'off']),
  problem: z.string().nullable(),
  /** Null if not connected or not MCP. */
  server: z
    .object({
      since: z.string().nullable(),
      name: z.string().nullable(),
      version: z.string().nullable(),
      protocol: z.string().nullable(),
      last_problem: z.object({ at: z.string(), text: z.string() }).nullable(),
      /** Null if it takes none, as far as known. */
      sign_in: z.enum(['needed', 'done']).nullable(),
      transport: z.enum(['stdio', 'http', 'sse']),
      at: z.string(),
      trusted: z.boolean(),
    })
    .nullable(),
  /** On missing or unchecked operations. */
  notes: z.array(z.string()),
  operations: z.array(OperationFacts),
});
export type ToolFacts = z.infer<typeof ToolFacts>;

const ModelFacts = z.object({
  name: z.string(),
  /** Null: the server's default. */
  effort: z.string().nullable(),
  /** US dollars per million tokens; null if unknown, so that no budget holds. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

const Models = z.object({
  /** Null: the offline planner works. */
  connected: z
    .object({
      host: z.string(),
      api: z.enum(Object.keys(modelApis) as ModelApi[]),
      key: z.boolean(),
      planner: ModelFacts,
      executor: ModelFacts,
      /** Null: from the environment. */
      entered_by: z.string().nullable(),
    })
    .nullable(),
  /** US dollars (UTC day), all processes. */
  spent_today_usd: z.number(),
});

const Planning = z.object({
  planning_mode: z.enum(['normal', 'extensive']),
  plan_reasoning_mode: z.enum(['normal', 'extensive']),
  reasoning_level: z.int(),
  turn_limit: z.int(),
  wall_time_seconds: z.number(),
  retry_limit_per_stage: z.int(),
  soft_budget_per_turn_usd: z.number(),
  budget_per_session_usd: z.number(),
  budget_per_day_usd: z.number(),
  new_subtypes: z.boolean(),
  ask_for_new_subtype: z.boolean(),
  confidence: z.object({ continue: z.number(), escalate: z.number() }),
});

const Running = z.object({
  back_ends: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      operations: z.int(),
      capabilities: z.array(z.string()),
      concurrency: z.int(),
    }),
  ),
  pools: z.array(
    z.object({
      name: z.string(),
      capacity: z.number(),
      headroom: z.number(),
      in_use: z.number(),
      waiting_plans: z.int(),
    }),
  ),
  concurrency: z.int(),
  step_timeout_seconds: z.number(),
  max_attempts: z.int(),
  stall_minutes: z.number(),
  on_failure: z.enum(['continue_independent', 'stop_all']),
  replan: z.enum(['automatic', 'on_request']),
  rules: z.array(
    z.object({
      operation: z.string(),
      timeout_seconds: z.number().nullable(),
      max_attempts: z.int().nullable(),
    }),
  ),
  timezone: z.string(),
  schedule: StrategyProfile,
  /** `problems`: unreadable parts. */
  calendars: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['file', 'address']),
      problems: z.array(z.string()),
    }),
  ),
  human_reminder_hours: z.number(),
  stale_after_days: z.number(),
  terminal_stale_after_days: z.number(),
});

/** Null if not configured. `allowed`: user IDs, null for any. */
const Chats = z
  .object({
    slack: z
      .object({
        transport: z.enum(['socket', 'http']),
        workspaces: z.enum(['one', 'many']),
        install_at: z.string().nullable(),
        allowed: z.array(z.string()).nullable(),
      })
      .nullable(),
    teams: z
      .object({
        kind: z.enum(['MultiTenant', 'SingleTenant', 'UserAssignedMSI', 'Local']),
        app_id: z.string().nullable(),
        allowed: z.array(z.string()).nullable(),
      })
      .nullable(),
  })
  .catchall(JsonObject.nullable());

/** Never a secret; null if unset. */
const SettingLine = z.object({ name: z.string(), value: z.string().nullable() });
export type SettingLine = z.infer<typeof SettingLine>;

/** Without personal preferences (`PolicyView`). */
export const SettingsView = z.object({
  version: z.string(),
  /** Other processes may have other settings. */
  started_at: z.string(),
  file: z.object({ path: z.string(), found: z.boolean(), warnings: z.array(z.string()) }),
  tools: z.array(ToolFacts),
  approvals: z.object({
    /** Besides the requester. */
    approvers: z.array(z.string()),
    guard_mode: z.enum(['block', 'log']),
    /** `offered`: by some tool; `rule`: additional approvers. */
    guarded: z.array(
      z.object({
        operation: z.string(),
        offered: z.boolean(),
        rule: ApproverPolicy.nullable(),
      }),
    ),
  }),
  models: Models,
  planning: Planning,
  running: Running,
  chats: Chats,
  /** As of the last worker started. */
  webhooks: z.array(
    z.object({
      id: z.string(),
      host: z.string(),
      events: z.array(WebhookEvent).nullable(),
      waiting: z.int(),
      /** Last week, not delivered within a day. */
      given_up: z.int(),
      /** The last call's failure, or null after a success. */
      problem: z.string().nullable(),
    }),
  ),
  access: z.object({
    token: z.boolean(),
    host: z.string(),
    loopback_only: z.boolean(),
    public_url: z.string().nullable(),
    requests_per_minute: z.int(),
    home: z.string(),
    workspace: z.string(),
    database: z.enum(['embedded', 'external']),
    private_addresses: z.array(z.string()),
    /** Null for never. */
    kept_days: z.record(z.string(), z.number().nullable()),
    archive: z.string().nullable(),
    traces: z.string().nullable(),
  }),
  /** Including those above. */
  settings: z.array(SettingLine),
});
export type SettingsView = z.infer<typeof SettingsView>;

export const CheckedPart = z.union([
  z.strictObject({ part: z.literal('tool'), tool: z.string().min(1).max(200) }),
  z.strictObject({ part: PlatformName }),
]);
export type CheckedPart = z.infer<typeof CheckedPart>;

/** As in `countersign doctor`. */
export const CheckResult = z.object({
  part: z.string(),
  state: z.enum(['ok', 'off', 'broken']),
  text: z.string(),
  advice: z.string().exactOptional(),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** Connects a model, for admins. */
export const ModelEntry = z.strictObject({
  api_key: z.string().trim().min(1).max(1000).optional(),
  base_url: z
    .url({ protocol: /^https?$/, error: 'Enter an address that begins with https:// or http://.' })
    .max(2000)
    .optional(),
});
export type ModelEntry = z.infer<typeof ModelEntry>;
