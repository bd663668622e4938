// What `countersign doctor` says of Teams: whether Microsoft gives the bot a token, and what else is to be known.
import type { TeamsAccess } from '#contracts/chat-access.ts';
import { createTokens } from './cloud.ts';
import { explainSignIn } from './port/explain-error.ts';

export type TeamsState = {
  text: string;
  /** What might be done, though it works; null: nothing. */
  advice: string | null;
};

/** Milliseconds that Microsoft's sign-in may take. */
const answeredWithinMs = 10_000;

const openToAll =
  'Set TEAMS_ALLOWED_TENANTS: whoever knows the app id can add the bot to a tenant of their own.';
const byDomain =
  'Set MicrosoftAppTenantId to the id of the tenant: by its domain people cannot be known by their addresses, nor other tenants kept out.';

/** Asks Microsoft. @throws CountersignError that says what an operator has to do */
export async function checkTeams(access: TeamsAccess): Promise<TeamsState> {
  if (access.kind === 'Local')
    return { text: 'Without a token, for a client on this machine', advice: null };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error('it did not answer within 10 seconds')),
    answeredWithinMs,
  );
  try {
    await Promise.race([createTokens(access, null)(true), late.promise]);
  } catch (error) {
    throw explainSignIn(error);
  } finally {
    clearTimeout(timer);
  }
  const text = `${access.kind} bot ${access.appId}`;
  if (access.kind === 'MultiTenant')
    return { text, advice: access.allowed === undefined ? openToAll : null };
  return { text, advice: access.tenantId.includes('.') ? byDomain : null };
}
