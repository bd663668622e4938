// Who the person at this page is, signing out, and personal tokens. Loaded with the dialog of settings only; each press is stored at
// once, and the list is what the server answers.
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

/** Reads who asks and which tokens they see. @throws ApiError */
export async function readIdentity(): Promise<IdentityState> {
  const [me, tokens] = await Promise.all([get<Principal>('/api/me'), readTokens()]);
  return { me, tokens, made: null, revoking: null, busy: false, problem: null };
}

/** Does it with the buttons off, and shows why it was refused if it was. @returns whether it was done */
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

/** Ends this sign-in, or all of the person's, and comes back to where people sign in. */
export async function signOut(everywhere: boolean): Promise<void> {
  const done = await carryOut(async () => {
    await post('/api/sign-out', { everywhere });
  });
  if (done) location.assign('/');
}

/**
 * Makes a token and shows it this once.
 * @param wanted days: after which it expires, or null for never
 * @returns whether it was made
 */
export function createToken(wanted: {
  name: string;
  role: string;
  days: number | null;
}): Promise<boolean> {
  return carryOut(async () => {
    const { token, ...made } = await post<Token & { token: string }>('/api/tokens', wanted);
    // Listed from the answer: a list that cannot be read now must not hide a secret that is shown once.
    changeIdentity(({ tokens }) => ({
      made: { name: made.name, token, copied: false },
      tokens: [made, ...tokens],
    }));
  });
}

/** Puts the new token on the clipboard. Only secure addresses have one; elsewhere the person copies it from the field. */
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

/** Asks whether to revoke a token; null takes the question back. */
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
