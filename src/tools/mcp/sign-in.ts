// Sign-in at a hosted MCP server through the SDK; checks state and browser.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { isLoopbackHost } from '#domain/public-url.ts';
import type { McpServer } from '#domain/settings.ts';
import {
  describeClient,
  type PendingSignIn,
  type SignIn,
  type SignInStore,
  type SignIns,
} from '#domain/tool-sign-in.ts';
import type { AddressRules } from '../http/addresses.ts';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { endOf, takesSignIn } from './tokens.ts';

const askWithinMs = 15_000;

type Draft = {
  client?: StoredOAuthClientInformation;
  authorizationServer?: string;
  resourceMetadata?: string;
  resource?: string;
  verifier?: string;
  tokens?: SignIn['tokens'];
  address?: URL;
};

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function createProvider(
  draft: Draft,
  server: McpServer,
  { redirect, state, metadata }: { redirect: string; state: string; metadata: string | null },
): OAuthClientProvider {
  const { oauth } = server;
  const own =
    oauth?.client_id === undefined
      ? undefined
      : {
          client_id: oauth.client_id,
          ...(oauth.client_secret === undefined ? {} : { client_secret: oauth.client_secret }),
        };
  return {
    redirectUrl: redirect,
    ...(metadata === null ? {} : { clientMetadataUrl: metadata }),
    clientMetadata: describeClient(redirect, own?.client_secret !== undefined),
    state: () => state,
    clientInformation() {
      if (own !== undefined) draft.client ??= own;
      return draft.client;
    },
    saveClientInformation(client) {
      draft.client = client;
    },
    // A sign-in needs new tokens, with the rights requested now.
    tokens: () => undefined,
    saveTokens(tokens) {
      draft.tokens = { ...tokens };
    },
    redirectToAuthorization(address) {
      draft.address = address;
    },
    saveCodeVerifier(verifier) {
      draft.verifier = verifier;
    },
    codeVerifier: () => draft.verifier ?? '',
    saveResourceUrl(resource) {
      draft.resource = resource;
    },
    saveDiscoveryState({ authorizationServerUrl, resourceMetadataUrl }) {
      draft.authorizationServer = authorizationServerUrl;
      if (resourceMetadataUrl !== undefined) draft.resourceMetadata = resourceMetadataUrl;
    },
    discoveryState: () =>
      draft.authorizationServer === undefined
        ? undefined
        : {
            authorizationServerUrl: draft.authorizationServer,
            ...(draft.resourceMetadata === undefined
              ? {}
              : { resourceMetadataUrl: draft.resourceMetadata }),
          },
  };
}

async function readChallenge(
  url: string,
  fetchFn: GuardedFetch,
): Promise<{ scope?: string; resourceMetadataUrl?: URL }> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  };
}

function fail(server: string, why: string, cause?: unknown): CountersignError {
  return new CountersignError('tool_unavailable', `Signing in at ${server} failed: ${why}.`, {
    cause,
  });
}

function requireWeb(server: string, address: URL | undefined): URL {
  const isWeb =
    address?.protocol === 'https:' ||
    (address?.protocol === 'http:' && isLoopbackHost(address.hostname));
  if (address !== undefined && isWeb) return address;
  throw fail(server, 'its authorization server names no https address to sign in at');
}

export function createSignIns(
  servers: Record<string, McpServer>,
  store: SignInStore,
  clock: Clock,
  rules: AddressRules,
): SignIns {
  async function fetchFor(url: string): Promise<GuardedFetch> {
    const { createGuardedFetch } = await import('../http/guarded-fetch.ts');
    return createGuardedFetch(rules, url, { timeoutMs: askWithinMs });
  }

  function find(name: string): McpServer & { url: string } {
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    const { url } = server ?? {};
    if (server === undefined || url === undefined || server.disabled || !takesSignIn(server))
      throw new CountersignError(
        'not_found',
        `${name} doesn't use sign-in. Only hosted MCP servers without a token in mcpServers do.`,
      );
    if (store.lack !== null) throw new CountersignError('invalid_configuration', store.lack);
    return { ...server, url };
  }

  return {
    async begin(name, { redirect, browser, by, account, metadata }) {
      const server = find(name);
      const state = randomBytes(32).toString('base64url');
      const draft: Draft = {};
      const former = await store.read(name);
      // A client registered with another redirect address can't return here.
      if (former?.signIn.url === server.url && former.signIn.redirect === redirect)
        draft.client = former.signIn.client;
      try {
        const fetchFn = await fetchFor(server.url);
        const challenge = await readChallenge(server.url, fetchFn);
        const scope = computeScopeUnion(
          server.oauth?.scope ?? challenge.scope,
          former?.wants ?? undefined,
        );
        const provider = createProvider(draft, server, { redirect, state, metadata });
        await auth(provider, {
          serverUrl: server.url,
          ...(scope === undefined ? {} : { scope }),
          ...(challenge.resourceMetadataUrl === undefined
            ? {}
            : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
          fetchFn,
        });
      } catch (error) {
        throw fail(name, errorMessage(error).replace(/\.$/, ''), error);
      }
      const address = requireWeb(name, draft.address);
      const { client } = draft;
      if (client === undefined)
        throw fail(name, 'its authorization server knows no client of ours');
      await store.keepPending(state, {
        server: name,
        url: server.url,
        redirect,
        client,
        authorization_server: draft.authorizationServer ?? new URL(server.url).origin,
        resource_metadata: draft.resourceMetadata ?? null,
        resource: draft.resource ?? null,
        verifier: draft.verifier ?? '',
        browser: digest(browser),
        by,
        account,
      });
      return { url: address.href };
    },

    async finish(params, browser, letIn) {
      const state = params.get('state') ?? '';
      const pending = state === '' ? null : await store.takePending(state);
      if (pending === null || !isSame(pending.browser, digest(browser)))
        throw new CountersignError(
          'not_allowed',
          'This sign-in was started in another browser or more than ten minutes ago. Start it again.',
        );
      const { server: name, account = null } = pending;
      if (account !== null) await letIn(account);
      const server = find(name);
      if (server.url !== pending.url) throw fail(name, 'its address has changed meanwhile');
      return { server: await exchange(name, server, pending, params) };
    },

    forget: (name) => store.remove(name),
  };

  async function exchange(
    name: string,
    server: McpServer & { url: string },
    pending: PendingSignIn,
    params: URLSearchParams,
  ): Promise<string> {
    const code = params.get('code');
    if (code === null) {
      // Only the code: its description may come from an attacker.
      const reason = /^[a-z_]{1,60}$/.exec(params.get('error') ?? '')?.[0] ?? 'no code came back';
      throw fail(name, reason);
    }
    const { redirect, url, client, authorization_server, resource_metadata, by } = pending;
    const draft: Draft = {
      client,
      authorizationServer: authorization_server,
      verifier: pending.verifier,
      ...(resource_metadata === null ? {} : { resourceMetadata: resource_metadata }),
    };
    const iss = params.get('iss');
    try {
      const provider = createProvider(draft, server, { redirect, state: '', metadata: null });
      await auth(provider, {
        serverUrl: url,
        authorizationCode: code,
        ...(iss === null ? {} : { iss }),
        fetchFn: await fetchFor(url),
      });
    } catch (error) {
      throw fail(name, errorMessage(error).replace(/\.$/, ''), error);
    }
    const { tokens } = draft;
    if (tokens === undefined) throw fail(name, 'no token came back');
    await store.store(
      name,
      {
        url,
        client: draft.client ?? client,
        redirect,
        authorization_server,
        resource_metadata,
        resource: draft.resource ?? pending.resource,
        tokens,
        expires_at: endOf(tokens.expires_in, clock.now()),
      },
      by,
    );
    return name;
  }
}
