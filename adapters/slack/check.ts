// What `countersign doctor` says of Slack: whose tokens there are, and whether the app may do all that its manifest asks for.
import type { SlackAccess } from '#domain/chat/access.ts';
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import { errorMessage } from '#domain/errors.ts';
import { listOf } from '#domain/words.ts';
import manifest from '../../manifest.json' with { type: 'json' };
import { explainSlackError } from './port/explain-error.ts';
import { createSlackLogger } from './slack-logger.ts';
import { type ClientOptions, createClient } from './workspaces.ts';

export type SlackState = {
  text: string;
  /** Scopes of the manifest that the token was not given. */
  missing: string[];
};

type Known = SlackState & { team: string; user: string };

/** Asks Slack whose token it is and what it may do. @throws CountersignError that says what an operator has to do */
async function checkToken(token: string, options: ClientOptions): Promise<Omit<Known, 'text'>> {
  try {
    const { team, user, response_metadata } = await createClient(token, options).auth.test();
    const given = new Set(response_metadata?.scopes ?? []);
    return {
      team: team ?? 'A workspace',
      user: user ?? 'the app',
      missing: manifest.oauth_config.scopes.bot.filter((scope) => !given.has(scope)),
    };
  } catch (error) {
    throw explainSlackError(error, 'say whose token this is');
  }
}

function describeAllowed(allowed: string[] | null): string {
  if (allowed === null) return 'Any workspace that adds it';
  return `${allowed.length === 1 ? 'The workspace' : 'The workspaces'} ${listOf(allowed)}`;
}

/** @throws CountersignError that says what an operator has to do */
export async function checkSlack(
  { apiUrl, transport, workspaces }: SlackAccess,
  warn: (message: string) => void,
): Promise<SlackState> {
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'over HTTP';
  if (workspaces.kind === 'many')
    return {
      text: `${describeAllowed(workspaces.allowed)}, ${way}; they add it at ${workspaces.installAt}`,
      missing: [],
    };
  const logger = createSlackLogger(warn);
  const { team, user, missing } = await checkToken(workspaces.botToken, { apiUrl, logger });
  return { text: `${team} as @${user}, ${way}`, missing };
}

/** A workspace that added the app, or an organisation that did. */
export type WorkspaceState = {
  name: string;
  /** `unreadable`: its token was encrypted with another key. */
  state: 'ok' | 'removed' | 'unreadable' | 'broken';
  text: string;
  missing: string[];
};

const listedAtMost = 500;
const askedAtOnce = 8;

/** Asks Slack about each of them. */
export async function checkWorkspaces(
  installations: Pick<SlackInstallations, 'list' | 'read'>,
  options: ClientOptions,
): Promise<WorkspaceState[]> {
  async function check(
    found: Awaited<ReturnType<SlackInstallations['list']>>[number],
  ): Promise<WorkspaceState> {
    const { owner, org_wide, removed_at, installed_at, readable } = found;
    const name = `${found.name} (${owner})`;
    const since = (when: Date) => when.toISOString().slice(0, 10);
    if (removed_at !== null)
      return { name, state: 'removed', text: `Removed on ${since(removed_at)}`, missing: [] };
    if (!readable)
      return {
        name,
        state: 'unreadable',
        text: 'Its token was encrypted with another key',
        missing: [],
      };
    const token = (await installations.read(owner))?.token ?? null;
    if (token === null) return { name, state: 'removed', text: 'Removed just now', missing: [] };
    try {
      const { user, missing } = await checkToken(token, options);
      const whole = org_wide ? ', all its workspaces' : '';
      return { name, state: 'ok', text: `@${user}${whole}, since ${since(installed_at)}`, missing };
    } catch (error) {
      return { name, state: 'broken', text: errorMessage(error), missing: [] };
    }
  }

  const waiting = await installations.list(listedAtMost);
  const states: WorkspaceState[] = [];
  while (waiting.length > 0)
    states.push(...(await Promise.all(waiting.splice(0, askedAtOnce).map(check))));
  return states;
}
