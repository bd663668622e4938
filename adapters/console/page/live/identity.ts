// The page's person, sign-out and personal tokens.
import type { Principal } from '#domain/people/principal.ts';
import { describeError, get, post, request } from './api.ts';
import type { IdentityState, Token } from './state.ts';
import { change } from './store.ts';

function changeIdentity(apply: (identity: IdentityState) => Partial<IdentityState>): void {
  change((s) => {
    const identity = s.settings?.identity ?? null;
    if (s.settings === null || identity === null) return;
    s.settings = { ...s.settings, identity: { ...identity, ...apply(identity) } };
  });
}

const readTokens = async () => (await get<{ tokens: Token[] }>('/api/tokens')).tokens;

export async function readIdentity(): Promise<IdentityState> {
  const [me, tokens] = await Promise.all([get<Principal>('/api/me'), readTokens()]);
  return { me, tokens, made: null, revoking: null, busy: false, problem: null };
}

/** @returns whether it was done */
async function carryOut(act: () => Promise<void>): Promise<boolean> {
  changeIdentity(() => ({ busy: true, problem: null }));
  try {
    await act();
    changeIdentity(() => ({ busy: false }));
    return true;
  } catch (error) {
    changeIdentity(() => ({ busy: false, problem: describeError(error) }));
    return false;
  }
}

export async function signOut(everywhere: boolean): Promise<void> {
  const done = await carryOut(async () => {
    await post('/api/sign-out', { everywhere });
  });
  if (done) location.assign('/');
}

/** Shows the token this once. @param wanted days until expiry, null for never */
export function createToken(wanted: {
  name: string;
  role: string;
  days: number | null;
}): Promise<boolean> {
  return carryOut(async () => {
    const { token, ...made } = await post<Token & { token: string }>('/api/tokens', wanted);
    // Not reloaded: a failure would hide a secret shown once.
    changeIdentity(({ tokens }) => ({
      made: { name: made.name, token, copied: false },
      tokens: [made, ...tokens],
    }));
  });
}

/** Insecure addresses have no clipboard. */
export async function copyToken(token: string): Promise<void> {
  await carryOut(async () => {
    if (!isSecureContext)
      throw new Error('This browser copies only at https addresses. Select the token and copy it.');
    await navigator.clipboard.writeText(token);
    changeIdentity(({ made }) => ({
      made: made?.token === token ? { ...made, copied: true } : made,
    }));
  });
}

/** Null withdraws the question. */
export function askToRevoke(id: string | null): void {
  changeIdentity(() => ({ revoking: id }));
}

export async function revokeToken(id: string): Promise<void> {
  await carryOut(async () => {
    await request('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
    changeIdentity(({ tokens }) => ({
      tokens: tokens.filter((token) => token.id !== id),
      revoking: null,
    }));
  });
}
