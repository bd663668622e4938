// What `countersign doctor` says of Slack: whose token is set, and whether the app may do all that its manifest asks for.
import type { SlackAccess } from '#contracts/chat-access.ts';
import manifest from '../../manifest.json' with { type: 'json' };
import { explainSlackError } from './port/explain-error.ts';
import { createSlackLogger } from './slack-logger.ts';
import { createClient } from './workspaces.ts';

export type SlackState = {
  text: string;
  /** Scopes of the manifest that the token was not given. */
  missing: string[];
};

/** Asks Slack. @throws CountersignError that says what an operator has to do */
export async function checkSlack(
  { apiUrl, transport, workspaces }: SlackAccess,
  warn: (message: string) => void,
): Promise<SlackState> {
  const way = transport.kind === 'socket' ? 'in Socket Mode' : 'over HTTP';
  if (workspaces.kind === 'many') return { text: `Several workspaces, ${way}`, missing: [] };
  const client = createClient(workspaces.botToken, { apiUrl, logger: createSlackLogger(warn) });
  try {
    const { team, user, response_metadata } = await client.auth.test();
    const given = new Set(response_metadata?.scopes ?? []);
    return {
      text: `${team ?? 'A workspace'} as @${user ?? 'the app'}, ${way}`,
      missing: manifest.oauth_config.scopes.bot.filter((scope) => !given.has(scope)),
    };
  } catch (error) {
    throw explainSlackError(error, 'say whose token this is');
  }
}
