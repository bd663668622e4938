// What `countersign doctor` says of Teams: whether Microsoft gives the bot a token, and what else is to be known.
import type { CheckResult } from '#domain/settings-view.ts';
import type { TeamsAccess } from './access.ts';
import { tryToSignIn } from './connector/open.ts';

const openToAll =
  'Set TEAMS_ALLOWED_TENANTS to the ids of tenants: whoever knows the app id can add the bot to one of their own.';

/** Asks Microsoft. @throws CountersignError that says what an operator has to do */
export async function checkTeams(access: TeamsAccess): Promise<Omit<CheckResult, 'part'>> {
  if (access.kind === 'Local')
    return { state: 'ok', text: 'Without a token, for a client on this machine' };
  await tryToSignIn(access);
  const open = access.kind === 'MultiTenant' && access.allowed === null;
  const text = `${access.kind} bot ${access.appId}`;
  return { state: 'ok', text, ...(open ? { advice: openToAll } : {}) };
}
