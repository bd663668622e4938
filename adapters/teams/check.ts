// What `countersign doctor` says of Teams: whether Microsoft gives the bot a token, and what else is to be known.
import type { TeamsAccess } from '#domain/chat/access.ts';
import { tryToSignIn } from './connector/open.ts';

export type TeamsState = {
  text: string;
  /** What might be done, though it works; null: nothing. */
  advice: string | null;
};

const openToAll =
  'Set TEAMS_ALLOWED_TENANTS to the ids of tenants: whoever knows the app id can add the bot to one of their own.';

/** Asks Microsoft. @throws CountersignError that says what an operator has to do */
export async function checkTeams(access: TeamsAccess): Promise<TeamsState> {
  if (access.kind === 'Local')
    return { text: 'Without a token, for a client on this machine', advice: null };
  await tryToSignIn(access);
  const open = access.kind === 'MultiTenant' && access.allowed === null;
  return { text: `${access.kind} bot ${access.appId}`, advice: open ? openToAll : null };
}
