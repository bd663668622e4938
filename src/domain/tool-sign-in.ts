// Sign-in at hosted MCP servers (OAuth 2.1).
import { z } from 'zod';

const Tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  /** Credentials are sent nowhere else. */
  issuer: z.string().optional(),
});

/** Our registration at the authorization server. */
const OauthClient = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
});

const At = z.object({
  /** MCP server; tokens are sent to no other. */
  url: z.string(),
  client: OauthClient,
  /** The client is registered for it. */
  redirect: z.string(),
  authorization_server: z.string(),
  resource_metadata: z.string().nullable(),
  /** RFC 8707; null if the server names none. */
  resource: z.string().nullable(),
});

export const SignIn = At.extend({
  tokens: Tokens,
  /** ISO 8601. */
  expires_at: z.string().nullable(),
});
export type SignIn = z.infer<typeof SignIn>;

export const PendingSignIn = At.extend({
  server: z.string(),
  /** PKCE (RFC 7636). */
  verifier: z.string(),
  /** SHA-256 of the browser's secret. */
  browser: z.string(),
  by: z.string(),
  /** Null for an operator. */
  account: z.string().nullable().optional(),
});
export type PendingSignIn = z.infer<typeof PendingSignIn>;

export type KeptSignIn = {
  server: string;
  /** For compare-and-set. */
  generation: number;
  signIn: SignIn;
  problem: string | null;
  wants: string | null;
  by: string;
  at: Date;
};

/** Encrypted, for all processes. */
export type SignInStore = {
  /** Why nothing can be stored, with advice. */
  lack: string | null;
  read(server: string): Promise<KeptSignIn | null>;
  list(): Promise<Omit<KeptSignIn, 'signIn'>[]>;
  /** Replaces any other. */
  store(server: string, signIn: SignIn, by: string): Promise<void>;
  /** For `ms`. @returns false if another process refreshes or did */
  claimRefresh(server: string, generation: number, ms: number): Promise<boolean>;
  releaseRefresh(server: string, generation: number): Promise<void>;
  /** @returns false if another was stored meanwhile */
  storeRefreshed(server: string, generation: number, signIn: SignIn): Promise<boolean>;
  note(server: string, generation: number, problem: string, wants: string | null): Promise<void>;
  /** @returns false if there was none */
  remove(server: string): Promise<boolean>;
  /** Until `state` returns, once, within ten minutes. */
  keepPending(state: string, pending: PendingSignIn): Promise<void>;
  takePending(state: string): Promise<PendingSignIn | null>;
  /** For changes in any process. @returns a function that stops it */
  onChange(server: string, wake: () => void): () => void;
};

export type SignIns = {
  /**
   * @param how.browser a secret only the browser keeps and returns
   * @param how.metadata URL of our client metadata, null if unreachable
   * @returns where the person signs in
   * @throws `not_found` without sign-in, `tool_unavailable` if it can't be begun
   */
  begin(
    server: string,
    how: {
      redirect: string;
      browser: string;
      by: string;
      account: string | null;
      metadata: string | null;
    },
  ): Promise<{ url: string }>;
  /**
   * @param letIn throws if the person is now refused
   * @returns the server
   * @throws `not_allowed` for another browser or an old URL, `tool_unavailable` if refused
   */
  finish(
    params: URLSearchParams,
    browser: string,
    letIn: (account: string) => Promise<unknown>,
  ): Promise<{ server: string }>;
  forget(server: string): Promise<boolean>;
};

/** `metadata`: the client metadata document. */
export const signInPaths = { callback: '/oauth/mcp/callback', metadata: '/oauth/mcp/client.json' };

export function describeClient(redirect: string, confidential: boolean) {
  return {
    client_name: 'Countersign',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: confidential ? 'client_secret_post' : 'none',
  };
}
