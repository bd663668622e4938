// OpenID Connect sign-in by openid-client, loaded only if configured.
import * as client from 'openid-client';
import { readBody, withBody } from '#domain/bounded-body.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { SignInProvider } from '#domain/people/identity.ts';
import { isLoopbackHost } from '#domain/public-url.ts';

const keptForMs = 3_600_000;
const timeoutSeconds = 10;

export type Claims = Record<string, unknown>;
export type Challenge = { state: string; nonce: string; verifier: string };

/** Bytes. */
const longestAnswer = 1_000_000;

const fetchBounded: client.CustomFetch = async (address, { body, ...options }) => {
  const response = await fetch(address, { ...options, ...(body === undefined ? {} : { body }) });
  if (response.body === null) return response;
  const { bytes, isCut } = await readBody(response.body, longestAnswer);
  if (isCut) throw new Error(`${address} answered more than 1 MB`);
  return withBody(response, bytes);
};

/** @throws `invalid_configuration`, naming the key, if the issuer can't be reached */
async function discover(provider: SignInProvider): Promise<client.Configuration> {
  const { name, issuer, client_id: id, client_secret: secret } = provider;
  const url = new URL(issuer);
  // http is allowed on this machine only.
  const execute = isLoopbackHost(url.hostname) ? [client.allowInsecureRequests] : [];
  try {
    return await client.discovery(url, id, secret, undefined, {
      execute,
      timeout: timeoutSeconds,
      [client.customFetch]: fetchBounded,
    });
  } catch (cause) {
    throw new CountersignError(
      'invalid_configuration',
      `identity.providers.${name}: ${issuer} does not answer as a sign-in provider (${errorMessage(cause)}). Check "issuer".`,
      { cause },
    );
  }
}

export function createOpenId() {
  const known = new Map<string, { until: number; found: Promise<client.Configuration> }>();

  function configurationOf(provider: SignInProvider): Promise<client.Configuration> {
    const kept = known.get(provider.name);
    if (kept !== undefined && kept.until > performance.now()) return kept.found;
    const found = discover(provider);
    known.set(provider.name, { until: performance.now() + keptForMs, found });
    // Failures are not cached.
    found.catch(() => known.delete(provider.name));
    return found;
  }

  return {
    /** @throws `invalid_configuration` if the issuer can't be reached */
    check: async (provider: SignInProvider): Promise<void> => {
      await discover(provider);
    },

    draw: (): Challenge => ({
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }),

    async addressFor(
      provider: SignInProvider,
      challenge: Challenge,
      redirect: string,
    ): Promise<string> {
      const configuration = await configurationOf(provider);
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirect,
        scope: provider.scopes.join(' '),
        state: challenge.state,
        nonce: challenge.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(challenge.verifier),
        code_challenge_method: 'S256',
      }).href;
    },

    /** @param came the configured address they returned to @throws openid-client's errors for an invalid response */
    async readClaims(provider: SignInProvider, came: URL, challenge: Challenge): Promise<Claims> {
      const configuration = await configurationOf(provider);
      const tokens = await client.authorizationCodeGrant(configuration, came, {
        pkceCodeVerifier: challenge.verifier,
        expectedState: challenge.state,
        expectedNonce: challenge.nonce,
        idTokenExpected: true,
      });
      const claims: Claims = { ...tokens.claims() };
      const lacks = [provider.groups_claim, 'email', 'name'].some(
        (claim) => claims[claim] === undefined,
      );
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      if (!lacks || more === undefined) return claims;
      const subject = typeof claims.sub === 'string' ? claims.sub : '';
      return {
        ...(await client.fetchUserInfo(configuration, tokens.access_token, subject)),
        ...claims,
      };
    },
  };
}
export type OpenId = ReturnType<typeof createOpenId>;
