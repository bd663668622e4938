// A hosted MCP server's bearer tokens, refreshed once for all processes.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuthProvider,
  discoverAuthorizationServerMetadata,
  InsufficientScopeError,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import type { McpServer } from '#domain/settings.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { KeptSignIn, SignIn, SignInStore } from '#domain/tool-sign-in.ts';
import type { AddressRules } from '../http/addresses.ts';

/** Nothing was done: sign-in is needed, or the refresh failed. */
export class SignInError extends Error {
  readonly needed: boolean;

  constructor(message: string, needed: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInError';
    this.needed = needed;
  }
}

export type Tokens = AuthProvider & {
  judge(error: unknown): Promise<unknown>;
  onChange(wake: () => void): () => void;
  has(): boolean;
};

const earlyMs = 30_000;
const refreshWithinMs = 15_000;
/** Then a dead process's refresh is taken over. */
const claimMs = 20_000;
const lookEveryMs = 200;
/** The cache is trusted this long without a notification. */
const believeMs = 30_000;

const lasting: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

function hasOwnCredentials({ headers }: McpServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

export function takesSignIn(server: McpServer): boolean {
  return server.url !== undefined && !hasOwnCredentials(server);
}

export function endOf(seconds: unknown, now: Date): string | null {
  return typeof seconds === 'number'
    ? new Date(now.getTime() + seconds * 1000).toISOString()
    : null;
}

export function createTokens(
  name: string,
  url: string,
  store: SignInStore,
  { clock, rules }: { clock: Clock; rules: AddressRules },
): Tokens {
  let known: { kept: KeptSignIn | null; at: number } | null = null;
  let refreshing: Promise<KeptSignIn> | null = null;
  let given: string | null = null;
  store.onChange(name, () => {
    known = null;
  });

  const how = `Open Settings → Tools in the console and press Connect, or run "countersign mcp login ${name}"`;
  const needed = (why: string) => new SignInError(`needs you to sign in: ${why} ${how}`, true);

  async function read(): Promise<KeptSignIn | null> {
    const now = clock.now().getTime();
    if (known !== null && now - known.at < believeMs) return known.kept;
    const kept = await store.read(name);
    known = { kept: kept?.signIn.url === url ? kept : null, at: now };
    return known.kept;
  }

  function isEnding({ signIn: { expires_at } }: KeptSignIn): boolean {
    return expires_at !== null && Date.parse(expires_at) - clock.now().getTime() < earlyMs;
  }

  async function giveUp(kept: KeptSignIn, why: string, wants: string | null): Promise<SignInError> {
    known = null;
    await store.note(name, kept.generation, why, wants);
    return needed(why);
  }

  async function askForTokens({ signIn }: KeptSignIn, refreshToken: string): Promise<SignIn> {
    const { authorization_server: issuer, client, resource } = signIn;
    const { createGuardedFetch } = await import('../http/guarded-fetch.ts');
    const fetchFn = createGuardedFetch(rules, url, { timeoutMs: refreshWithinMs });
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    const tokens = await refreshAuthorization(issuer, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: client,
      refreshToken,
      ...(resource === null ? {} : { resource }),
      fetchFn,
    });
    const { issuer: issuedBy } = signIn.tokens;
    return {
      ...signIn,
      tokens: { ...tokens, ...(issuedBy === undefined ? {} : { issuer: issuedBy }) },
      expires_at: endOf(tokens.expires_in, clock.now()),
    };
  }

  /** If another process is refreshing, waits for it. */
  async function refreshOnce(old: KeptSignIn): Promise<KeptSignIn> {
    const { generation } = old;
    const refreshToken = old.signIn.tokens.refresh_token;
    if (refreshToken === undefined) throw await giveUp(old, 'The sign-in has ended.', null);
    while (!(await store.claimRefresh(name, generation, claimMs))) {
      await pause(lookEveryMs);
      const kept = await store.read(name);
      if (kept === null) throw needed('No one has signed in.');
      if (kept.problem !== null) throw needed(kept.problem);
      if (kept.generation !== generation) return kept;
    }
    let signIn: SignIn;
    try {
      signIn = await askForTokens(old, refreshToken);
    } catch (error) {
      if (error instanceof OAuthError && lasting.has(error.code))
        throw await giveUp(old, 'The sign-in is no longer accepted.', null);
      await store.releaseRefresh(name, generation);
      const why = `its sign-in could not be renewed (${errorMessage(error)})`;
      throw new SignInError(`is not usable now: ${why}`, false, error);
    }
    // Stored before use: the old refresh token may be spent.
    if (!(await store.storeRefreshed(name, generation, signIn))) {
      const kept = await store.read(name);
      if (kept === null) throw needed('No one has signed in.');
      return kept;
    }
    return { ...old, generation: generation + 1, signIn };
  }

  async function refresh(old: KeptSignIn): Promise<KeptSignIn> {
    refreshing ??= refreshOnce(old).finally(() => {
      refreshing = null;
    });
    const kept = await refreshing;
    known = { kept, at: clock.now().getTime() };
    return kept;
  }

  return {
    async token() {
      let kept = await read();
      if (kept === null) {
        given = null;
        return undefined;
      }
      if (kept.problem !== null) throw needed(kept.problem);
      if (isEnding(kept) && kept.signIn.tokens.refresh_token !== undefined)
        kept = await refresh(kept);
      given = kept.signIn.tokens.access_token;
      return given;
    },
    async onUnauthorized() {
      known = null;
      const kept = await read();
      if (kept === null) throw needed(store.lack ?? 'No one has signed in.');
      if (kept.problem !== null) throw needed(kept.problem);
      if (given !== null && kept.signIn.tokens.access_token !== given) return;
      await refresh(kept);
    },
    async judge(error) {
      if (error instanceof InsufficientScopeError) {
        const kept = await read();
        if (kept === null) return needed('No one has signed in.');
        const scope = error.requiredScope ?? null;
        const more = scope === null ? 'more rights' : `the rights ${quoteWords(scope, 200)}`;
        return giveUp(kept, `The server asks for ${more}.`, scope);
      }
      const refused =
        error instanceof UnauthorizedError ||
        (error instanceof SdkHttpError && error.status === 401);
      if (!refused) return error;
      const kept = await read();
      return kept === null
        ? needed(store.lack ?? 'No one has signed in.')
        : giveUp(kept, 'The server refuses the sign-in.', null);
    },
    onChange: (wake) => store.onChange(name, wake),
    has: () => given !== null,
  };
}
