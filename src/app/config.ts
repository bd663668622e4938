// Environment and countersign.json, parsed once; errors name the key.
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { z } from 'zod';
import type { Platform, PlatformSetup } from '#chat/platform.ts';
import { type AuditKey, deriveAuditKey } from '#db/audit/chain.ts';
import { decodeText } from '#domain/encoding/encoding.ts';
import { Environment, readEncryptionKey } from '#domain/environment.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { admitsSeveral, resolveProviders, type SignInProvider } from '#domain/people/identity.ts';
import { isLoopbackHost } from '#domain/public-url.ts';
import { createRedactor } from '#domain/secrets.ts';
import { Settings } from '#domain/settings.ts';
import { JsonObject, objectIn } from '#domain/text.ts';
import { fillVariables } from './fill-variables.ts';
import { readMcpEntries } from './mcp-entries.ts';
import { chatPlatforms } from './platforms.ts';

/** `setup` is null if not configured. */
export type ConfiguredChat = { platform: Platform; setup: PlatformSetup | null };

export type Config = {
  env: Environment;
  settings: Settings;
  home: string;
  /** Absolute: all that the workspace tool can reach. */
  workspace: string;
  settingsFile: { path: string; found: boolean; warnings: string[] };
  secrets: string[];
  timezone: string;
  /** Organisations sharing the instance are isolated. */
  apart: boolean;
  chats: ConfiguredChat[];
  /** @throws as `loadConfig` */
  readAgain(): Config;
};

function explain(error: z.ZodError, where: string): string {
  return error.issues
    .map(({ path, message }) =>
      [path.join('.') || where, message].filter((part) => part !== '').join(': '),
    )
    .join('; ');
}

type SettingsFile = { settings: Settings; found: boolean; warnings: string[]; secrets: string[] };

/** Disabled servers need no variables but are listed. */
function splitOff(file: JsonObject): { on: JsonObject; off: JsonObject } {
  const servers = Object.entries(objectIn(file.mcpServers) ?? {});
  const off = servers.flatMap(([name, value]): [string, JsonObject][] => {
    const server = objectIn(value);
    if (server?.disabled !== true) return [];
    const plain = Object.entries(server).filter(([, one]) => !JSON.stringify(one).includes('${'));
    return [[name, Object.fromEntries(plain)]];
  });
  if (off.length === 0) return { on: file, off: {} };
  const names = new Set(off.map(([name]) => name));
  const on = Object.fromEntries(servers.filter(([name]) => !names.has(name)));
  return { on: { ...file, mcpServers: on }, off: Object.fromEntries(off) };
}

function parseSettings(path: string, json: unknown, variables: NodeJS.ProcessEnv): SettingsFile {
  const object = JsonObject.safeParse(json);
  const { file, warnings } = readMcpEntries(object.data ?? {}, path);
  const { on, off } = splitOff(file);
  const { value, secrets } = fillVariables(on, variables, path);
  const servers = objectIn(value.mcpServers);
  if (servers !== null) value.mcpServers = { ...servers, ...off };
  const parsed = Settings.safeParse(object.success ? value : json);
  if (parsed.success) return { settings: parsed.data, found: true, warnings, secrets };
  throw new CountersignError(
    'invalid_configuration',
    createRedactor(secrets)(`${path}: ${explain(parsed.error, '')}. See countersign.example.json.`),
  );
}

function readSettings(path: string, required: boolean, variables: NodeJS.ProcessEnv): SettingsFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing && !required)
      return { settings: Settings.parse({}), found: false, warnings: [], secrets: [] };
    throw new CountersignError(
      'invalid_configuration',
      `COUNTERSIGN_CONFIG: ${path} cannot be read (${errorMessage(cause)}). Create it or point COUNTERSIGN_CONFIG at another file.`,
      { cause },
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(decodeText(bytes)?.text ?? bytes.toString());
  } catch (cause) {
    throw new CountersignError(
      'invalid_configuration',
      `${path} is not valid JSON: ${errorMessage(cause)}`,
      { cause },
    );
  }
  return parseSettings(path, json, variables);
}

function checkTimezone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch (cause) {
    throw new CountersignError(
      'invalid_configuration',
      `COUNTERSIGN_TIMEZONE: "${zone}" is not an IANA time zone such as Europe/Madrid.`,
      { cause },
    );
  }
}

/** Without sign-in and token the API answers this machine only. */
function checkHost({ HOST, COUNTERSIGN_API_TOKEN }: Environment, signIn: boolean): void {
  if (COUNTERSIGN_API_TOKEN !== undefined || signIn || isLoopbackHost(HOST)) return;
  throw new CountersignError(
    'invalid_configuration',
    `HOST: others than this machine reach ${HOST}, and without a token only this machine is answered. Set COUNTERSIGN_API_TOKEN, or set HOST to 127.0.0.1.`,
  );
}

/** Null without COUNTERSIGN_ENCRYPTION_KEY. */
export function auditKeyOf({ COUNTERSIGN_ENCRYPTION_KEY: key }: Environment): AuditKey | null {
  return key === undefined ? null : deriveAuditKey(readEncryptionKey(key));
}

/** @throws `invalid_configuration` */
function checkIdentity(
  { COUNTERSIGN_PUBLIC_URL }: Environment,
  providers: SignInProvider[],
  apart: boolean,
): void {
  if (providers.length > 0 && COUNTERSIGN_PUBLIC_URL === undefined) {
    throw new CountersignError(
      'invalid_configuration',
      'COUNTERSIGN_PUBLIC_URL: people who sign in (identity.providers) come back to it, so it must be set, such as https://bot.example.com.',
    );
  }
  const adrift = providers.find(
    ({ tenant, tenant_claim }) => apart && tenant === null && tenant_claim === undefined,
  );
  if (adrift === undefined) return;
  throw new CountersignError(
    'invalid_configuration',
    `identity.providers.${adrift.name}: several organisations share this Countersign, so it must name the organisation of the people who sign in: set "tenant" to one of them (such as slack:T0123ABCD), or "tenant_claim".`,
  );
}

/** @throws `invalid_configuration`, naming all variables */
function readEnvironment(set: NodeJS.ProcessEnv, platforms: readonly Platform[]): Environment {
  const parsed = Environment.safeParse(set);
  const own = platforms.map(({ variables }) => variables.safeParse(set));
  const wrong = [parsed, ...own].flatMap(({ error }) =>
    error === undefined ? [] : explain(error, 'environment'),
  );
  if (!parsed.success || wrong.length > 0)
    throw new CountersignError('invalid_configuration', wrong.join('; '));
  return parsed.data;
}

/** @throws CountersignError `invalid_configuration` */
export function loadConfig(
  variables: NodeJS.ProcessEnv,
  cwd: string,
  platforms: readonly Platform[] = chatPlatforms,
): Config {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const env = readEnvironment(set, platforms);
  const chats = platforms.map((platform) => ({ platform, setup: platform.configure(set, env) }));
  const path = resolve(cwd, env.COUNTERSIGN_CONFIG);
  const file = readSettings(path, set.COUNTERSIGN_CONFIG !== undefined, variables);
  const providers = resolveProviders(file.settings.identity);
  checkHost(env, providers.length > 0);
  const shared = chats.some(({ setup }) => setup?.shared);
  const apart = shared || providers.some(admitsSeveral);
  checkIdentity(env, providers, apart);
  const home = resolve(cwd, env.COUNTERSIGN_HOME);
  const workspace = env.COUNTERSIGN_WORKSPACE ?? 'workspace';
  return {
    env,
    settings: file.settings,
    secrets: file.secrets,
    home,
    workspace: isAbsolute(workspace)
      ? workspace
      : resolve(env.COUNTERSIGN_WORKSPACE === undefined ? home : cwd, workspace),
    settingsFile: { path, found: file.found, warnings: file.warnings },
    timezone: checkTimezone(
      env.COUNTERSIGN_TIMEZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ),
    chats,
    apart,
    readAgain: () => loadConfig(variables, cwd, platforms),
  };
}
