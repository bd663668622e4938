// The environment's schema and defaults; `src/app/config.ts` parses it.
import { z } from 'zod';
import { CountersignError } from './errors.ts';
import { readPublicUrl } from './public-url.ts';

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
/** Empty strings count as unset. */
export const Environment = z.object({
  PORT: whole(0, 65_535).default(3978),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  /** If `DATABASE_URL` is a pooler. */
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  /** See `db/instance.ts`. */
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
  /** Default: `responses` with OpenAI, else `chat`. */
  OPENAI_API: z.enum(['responses', 'chat']).optional(),
  /** Ignored if an OpenAI variable is set. */
  ANTHROPIC_API_KEY: optional,
  ANTHROPIC_BASE_URL: z.url().optional(),
  PLANNER_MODEL: z.string().default('gpt-6.2-sol'),
  EXECUTOR_MODEL: z.string().default('gpt-6-luna'),
  PLANNER_REASONING_EFFORT: z
    .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  COUNTERSIGN_API_TOKEN: secret.optional(),
  API_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(1200),
  /** Proxies whose `X-Forwarded-For` is believed. */
  COUNTERSIGN_TRUSTED_PROXIES: proxies.default([]),
  COUNTERSIGN_PUBLIC_URL: publicUrl.optional(),
  /** For Slack tokens. */
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
  ALLOW_NEW_SUBTYPE_PROPOSALS: flag.default(true),
  /** Approve new subtypes before planning. */
  REQUIRE_RFC_FOR_NEW_SUBTYPE: flag.default(true),
  COUNTERSIGN_TIMEZONE: optional,
  COUNTERSIGN_NO_BROWSER: flag.optional(),
  /** Health and metrics; 0 for any free port. */
  HEALTH_PORT: whole(0, 65_535).optional(),
  // The SDK reads more.
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

export const readEncryptionKey = (key: string): Buffer =>
  Buffer.from(key, key.length === 64 ? 'hex' : 'base64');

export function refuseSetting(variable: string, sentence: string): never {
  throw new CountersignError('invalid_configuration', `${variable}: ${sentence}`);
}
