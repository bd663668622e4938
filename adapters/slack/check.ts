// The `countersign doctor` check of Slack.
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import { errorMessage } from '#domain/errors.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { listOf } from '#domain/words.ts';
import manifest from '../../manifest.json' with { type: 'json' };
import type { SlackAccess } from './access.ts';
import { explainSlackError } from './calls/explain-error.ts';
import { createSlackLogger } from './slack-logger.ts';
import { type ClientOptions, createClient } from './workspaces.ts';

/** `missing`: manifest scopes the token lacks. */
type Known = { team: string; user: string; missing: string[] };

function lackScopes(text: string, missing: string[], again: string) {
  const scopes = `${missing.length === 1 ? 'the scope' : 'the scopes'} ${listOf(missing)}`;
  const advice = `Paste the output of npm run slack:manifest under "App Manifest" of the Slack app and ${again}.`;
  return { state: 'broken' as const, text: `${text}, without ${scopes}`, advice };
}

/** @throws CountersignError with advice for an operator */
async function checkToken(token: string, options: ClientOptions): Promise<Known> {
  try {
    const { team, user, response_metadata } = await createClient(token, options).auth.test();
    const given = new Set(response_metadata?.scopes ?? []);
    return {
      team: team ?? 'A workspace',
      user: user ?? 'the app',
      missing: manifest.oauth_config.scopes.bot.filter((scope) => !given.has(scope)),
    };
  } catch (error) {
    throw explainSlackError(error, 'say who owns this token');
  }
}

function describeAllowed(allowed: string[] | null): string {
  if (allowed === null) return 'Any workspace that adds it';
  return `${allowed.length === 1 ? 'The workspace' : 'The workspaces'} ${listOf(allowed)}`;
}

/** @throws CountersignError with advice for an operator */
export async function checkSlack(
  { apiUrl, transport, workspaces }: SlackAccess,
  warn: (message: string) => void,
): Promise<Omit<CheckResult, 'part'>> {
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'over HTTP';
  if (workspaces.kind === 'many')
    return {
      state: 'ok',
      text: `${describeAllowed(workspaces.allowed)}, ${way}; they add it at ${workspaces.installAt}`,
    };
  const logger = createSlackLogger(warn);
  const { team, user, missing } = await checkToken(workspaces.botToken, { apiUrl, logger });
  const text = `${team} as @${user}, ${way}`;
  return missing.length === 0
    ? { state: 'ok', text }
    : lackScopes(text, missing, 'install it again');
}

const maxListed = 500;
const askedAtOnce = 8;

/** Every workspace or organisation with the app. */
export async function checkWorkspaces(
  {
    installations,
    workspaces: { installAt },
  }: {
    installations: Pick<SlackInstallations, 'list' | 'read'>;
    workspaces: { installAt: string };
  },
  options: ClientOptions,
): Promise<CheckResult[]> {
  async function check(
    found: Awaited<ReturnType<SlackInstallations['list']>>[number],
  ): Promise<CheckResult> {
    const { owner, org_wide, removed_at, installed_at, readable } = found;
    const part = `Slack ${found.name} (${owner})`;
    const since = (when: Date) => when.toISOString().slice(0, 10);
    if (removed_at !== null) return { part, state: 'off', text: `Removed on ${since(removed_at)}` };
    if (!readable)
      return {
        part,
        state: 'broken',
        text: 'Its token was encrypted with another key',
        advice: `Set COUNTERSIGN_ENCRYPTION_KEY to the former key, or have the app added there again at ${installAt}.`,
      };
    const token = (await installations.read(owner))?.token ?? null;
    if (token === null) return { part, state: 'off', text: 'Removed just now' };
    try {
      const { user, missing } = await checkToken(token, options);
      const text = `@${user}${org_wide ? ', all its workspaces' : ''}, since ${since(installed_at)}`;
      if (missing.length === 0) return { part, state: 'ok', text };
      return { part, ...lackScopes(text, missing, `add it again at ${installAt}`) };
    } catch (error) {
      const advice = `Have the app added there again at ${installAt}.`;
      return { part, state: 'broken', text: errorMessage(error), advice };
    }
  }

  const waiting = await installations.list(maxListed);
  const states: CheckResult[] = [];
  while (waiting.length > 0)
    states.push(...(await Promise.all(waiting.splice(0, askedAtOnce).map(check))));
  return states;
}
