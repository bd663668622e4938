// What `countersign doctor` says of Teams: whether Microsoft gives the bot a token, and what else is to be known.
import type { TeamsAccess } from '#domain/chat/access.ts';
import { createTokens } from './cloud.ts';
import { finishWithin } from './finish-within.ts';
import { explainSignIn } from './port/explain-error.ts';

export type TeamsState = {
  text: string;
  /** What might be done, though it works; null: nothing. */
  advice: string | null;
};

/** Milliseconds that Microsoft's sign-in may take. */
const answeredWithinMs = 10_000;

const openToAll =
  'Set TEAMS_ALLOWED_TENANTS to the ids of tenants: whoever knows the app id can add the bot to one of their own.';

/** Asks Microsoft. @throws CountersignError that says what an operator has to do */
export async function checkTeams(access: TeamsAccess): Promise<TeamsState> {
  if (access.kind === 'Local')
    return { text: 'Without a token, for a client on this machine', advice: null };
  const late = () => new Error('it did not answer within 10 seconds');
  try {
    await finishWithin(answeredWithinMs, createTokens(access, null)(true), late);
  } catch (error) {
    throw explainSignIn(error);
  }
  const open = access.kind === 'MultiTenant' && access.allowed === null;
  return { text: `${access.kind} bot ${access.appId}`, advice: open ? openToAll : null };
}
