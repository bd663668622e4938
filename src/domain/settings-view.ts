// What a person may see of how an instance is set up: facts of this process and its configuration, never a secret.
import { z } from 'zod';
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
  /** What a call of it does, before its arguments are known. */
  effect: CallClass,
  destructive: z.boolean(),
  /** It never runs outside an approved plan and is marked on the card. */
  guarded: z.boolean(),
  /** A planner may call it while planning, before anybody approves. */
  planner: z.boolean(),
  /** It hands the step to a person. */
  person: z.boolean(),
});
export type OperationFacts = z.infer<typeof OperationFacts>;

const ToolFacts = z.object({
  name: z.string(),
  source: ToolSource,
  /** The file it is written in, as the settings name it. */
  file: z.string().exactOptional(),
  /** `off`: the configuration switches it off. */
  state: z.enum(['ok', 'down', 'off']),
  /** Why it is down, and what to do. */
  problem: z.string().nullable(),
  /** Of an MCP server; null: not connected since this process began, or a tool of our own. */
  server: z
    .object({
      since: z.string().nullable(),
      name: z.string().nullable(),
      version: z.string().nullable(),
      protocol: z.string().nullable(),
      last_problem: z.object({ at: z.string(), text: z.string() }).nullable(),
      /** Whether a person has to sign in at the server first, or has; null: it takes no sign-in, as far as is known. */
      sign_in: z.enum(['needed', 'done']).nullable(),
      transport: z.enum(['stdio', 'http', 'sse']),
      /** The program or the host it is reached at, without arguments, path or query. */
      at: z.string(),
      /** The operator vouches for what it says about its operations. */
      trusted: z.boolean(),
    })
    .nullable(),
  /** What of an MCP server is not offered, or not checked here, and what to do. */
  notes: z.array(z.string()),
  operations: z.array(OperationFacts),
});
export type ToolFacts = z.infer<typeof ToolFacts>;

const ModelFacts = z.object({
  name: z.string(),
  /** How long it thinks; null: as long as its server has it. */
  effort: z.string().nullable(),
  /** US dollars per million tokens; null: not known, so no budget holds it. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

const Models = z.object({
  /** null: no model; the offline reasoner plans. */
  connected: z
    .object({
      host: z.string(),
      api: z.enum(['responses', 'chat']),
      key: z.boolean(),
      planner: ModelFacts,
      executor: ModelFacts,
    })
    .nullable(),
  /** US dollars of today (UTC), by every process of this database. */
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
  /** Executors of every live worker. */
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
  /** What holds for single operations instead. */
  rules: z.array(
    z.object({
      operation: z.string(),
      timeout_seconds: z.number().nullable(),
      max_attempts: z.int().nullable(),
    }),
  ),
  timezone: z.string(),
  schedule: StrategyProfile,
  /** `problems`: what of it cannot be read. */
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

/** By the platform's name; null: not set up. `allowed`: ids of who may use it; null: any. */
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

/** One setting of the file as it is in force. `value`: null: none; never a secret. */
const SettingLine = z.object({ name: z.string(), value: z.string().nullable() });
export type SettingLine = z.infer<typeof SettingLine>;

/** Everything but the preferences of a person, which `PolicyView` has. */
export const SettingsView = z.object({
  version: z.string(),
  /** When this process began: other processes may know other things. */
  started_at: z.string(),
  /** The file that `countersign.json` stands for here, whether it was there at the start, and what in it was not understood. */
  file: z.object({ path: z.string(), found: z.boolean(), warnings: z.array(z.string()) }),
  tools: z.array(ToolFacts),
  approvals: z.object({
    /** People who may approve besides the requester. */
    approvers: z.array(z.string()),
    guard_mode: z.enum(['block', 'log']),
    /** `offered`: some tool has it now; `rule`: who must approve a plan with it besides. */
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
  /** Programs that are told what becomes of plans, as the worker that was started last has them. */
  webhooks: z.array(
    z.object({
      id: z.string(),
      host: z.string(),
      /** null: all. */
      events: z.array(WebhookEvent).nullable(),
      waiting: z.int(),
      /** Events of the last week that it did not take within a day. */
      given_up: z.int(),
      /** Why the last call failed, if none has got through since. */
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
    /** Days after which what is over is deleted; null: never. */
    kept_days: z.record(z.string(), z.number().nullable()),
    /** The folder of what was deleted; null: it is not kept. */
    archive: z.string().nullable(),
    /** Where traces go; null: nothing is traced. */
    traces: z.string().nullable(),
  }),
  /** All settings of the file, also those that a section shows in words. */
  settings: z.array(SettingLine),
});
export type SettingsView = z.infer<typeof SettingsView>;

/** What is asked whether it works now. */
export const CheckedPart = z.union([
  z.strictObject({ part: z.literal('tool'), tool: z.string().min(1).max(200) }),
  z.strictObject({ part: PlatformName }),
]);
export type CheckedPart = z.infer<typeof CheckedPart>;

/** What a check found about one part, in words, as `countersign doctor` says it. */
export const CheckResult = z.object({
  part: z.string(),
  state: z.enum(['ok', 'off', 'broken']),
  /** What is, in a sentence. */
  text: z.string(),
  /** What to do, when there is something to do. */
  advice: z.string().exactOptional(),
});
export type CheckResult = z.infer<typeof CheckResult>;
