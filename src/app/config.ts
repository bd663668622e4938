// The environment and countersign.json, parsed once at start. Every error names the variable or the key and says what to do.
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { z } from 'zod';
import {
  readSlackAccess,
  readTeamsAccess,
  type SlackAccess,
  type TeamsAccess,
} from '#domain/chat/access.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { isLoopbackHost } from '#domain/public-url.ts';
import { Environment, Settings } from '#domain/settings.ts';

export type Config = {
  env: Environment;
  settings: Settings;
  /** Absolute folder for the database and logs. */
  home: string;
  /** Absolute folder: all that the workspace tool can reach. */
  workspace: string;
  /** Path of the settings file, and whether it exists. */
  settingsFile: { path: string; found: boolean };
  timezone: string;
  /** How the chat platforms are reached; null: not at all. */
  slack: SlackAccess | null;
  teams: TeamsAccess | null;
};

function explain(error: z.ZodError, where: string): string {
  return error.issues
    .map((issue) => `${issue.path.join('.') || where}: ${issue.message}`)
    .join('; ');
}

function readSettings(path: string, required: boolean): { settings: Settings; found: boolean } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing && !required) return { settings: Settings.parse({}), found: false };
    throw new CountersignError(
      'invalid_configuration',
      `COUNTERSIGN_CONFIG: ${path} cannot be read (${errorMessage(cause)}). Create it or point COUNTERSIGN_CONFIG at another file.`,
      { cause },
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CountersignError(
      'invalid_configuration',
      `${path} is not valid JSON: ${errorMessage(cause)}`,
      { cause },
    );
  }
  const parsed = Settings.safeParse(json);
  if (parsed.success) return { settings: parsed.data, found: true };
  throw new CountersignError(
    'invalid_configuration',
    `${path}: ${explain(parsed.error, 'the file')}. See countersign.example.json.`,
  );
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

/** Without a token the API answers this machine only, so nobody else is to be led to it. */
function checkHost({ HOST, COUNTERSIGN_API_TOKEN }: Environment): void {
  if (COUNTERSIGN_API_TOKEN !== undefined || isLoopbackHost(HOST)) return;
  throw new CountersignError(
    'invalid_configuration',
    `HOST: others than this machine reach ${HOST}, and without a token only this machine is answered. Set COUNTERSIGN_API_TOKEN, or set HOST to 127.0.0.1.`,
  );
}

/**
 * The configuration of this process.
 * @throws CountersignError `invalid_configuration` that names the variable or key
 */
export function loadConfig(variables: NodeJS.ProcessEnv, cwd: string): Config {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    throw new CountersignError('invalid_configuration', explain(parsed.error, 'environment'));
  }
  const env = parsed.data;
  const [slack, teams] = [readSlackAccess(env), readTeamsAccess(env)];
  checkHost(env);
  const path = resolve(cwd, env.COUNTERSIGN_CONFIG);
  const { settings, found } = readSettings(path, set.COUNTERSIGN_CONFIG !== undefined);
  const home = resolve(cwd, env.COUNTERSIGN_HOME);
  const workspace = env.COUNTERSIGN_WORKSPACE ?? 'workspace';
  return {
    env,
    settings,
    home,
    workspace: isAbsolute(workspace)
      ? workspace
      : resolve(env.COUNTERSIGN_WORKSPACE === undefined ? home : cwd, workspace),
    settingsFile: { path, found },
    timezone: checkTimezone(
      env.COUNTERSIGN_TIMEZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ),
    slack,
    teams,
  };
}
