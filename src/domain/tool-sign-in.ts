// Sign-in at hosted MCP servers (OAuth 2.1): stored data, its store, and what a gateway offers.
import { z } from 'zod';

const Tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  /** The issuer; credentials are sent nowhere else. */
  issuer: z.string().optional(),
});

/** Countersign's client registration at the authorization server. */
const OauthClient = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
});

const At = z.object({
  /** The MCP server's URL; tokens are sent to no other. */
  url: z.string(),
  client: OauthClient,
  /** The redirect URL, for which a client is registered. */
  redirect: z.string(),
  authorization_server: z.string(),
  resource_metadata: z.string().nullable(),
  /** The tokens' resource (RFC 8707), or null if the server names none. */
  resource: z.string().nullable(),
});

/** A completed sign-in. */
export const SignIn = At.extend({
  tokens: Tokens,
  /** ISO 8601, or null if unknown. */
  expires_at: z.string().nullable(),
});
export type SignIn = z.infer<typeof SignIn>;

/** A sign-in in progress at the authorization server. */
export const PendingSignIn = At.extend({
  server: z.string(),
  /** PKCE (RFC 7636). */
  verifier: z.string(),
  /** SHA-256 of the browser's secret. */
  browser: z.string(),
  by: z.string(),
  /** Who began it, or null for an operator. */
  account: z.string().nullable().optional(),
});
export type PendingSignIn = z.infer<typeof PendingSignIn>;

export type KeptSignIn = {
  server: string;
  /** A counter for compare-and-set. */
  generation: number;
  signIn: SignIn;
  /** Why a new sign-in is needed, or null. */
  problem: string | null;
  /** Additional scope to request, or null. */
  wants: string | null;
  by: string;
  at: Date;
};

/** Stores encrypted sign-ins for all processes of an instance. */
export type SignInStore = {
  /** Why nothing can be stored, with advice, or null. */
  lack: string | null;
  read(server: string): Promise<KeptSignIn | null>;
  list(): Promise<Omit<KeptSignIn, 'signIn'>[]>;
  /** Stores a new sign-in, replacing any other. */
  store(server: string, signIn: SignIn, by: string): Promise<void>;
  /** Claims the refresh of this generation for `ms`. @returns false if another process is doing or has done it */
  claimRefresh(server: string, generation: number, ms: number): Promise<boolean>;
  releaseRefresh(server: string, generation: number): Promise<void>;
  /** @returns false if another was stored meanwhile */
  storeRefreshed(server: string, generation: number, signIn: SignIn): Promise<boolean>;
  /** Records that a new sign-in is needed. */
  note(server: string, generation: number, problem: string, wants: string | null): Promise<void>;
  /** @returns false if there was none */
  remove(server: string): Promise<boolean>;
  /** Stores a sign-in in progress until `state` returns, once and within ten minutes. */
  keepPending(state: string, pending: PendingSignIn): Promise<void>;
  takePending(state: string): Promise<PendingSignIn | null>;
  /** Calls `wake` when the sign-in at `server` changes in any process. @returns a function that stops it */
  onChange(server: string, wake: () => void): () => void;
};

/** Sign-in functions for gateways and the command line. */
export type SignIns = {
  /**
   * @param how.browser a secret only the browser keeps and must return
   * @param how.metadata where Countersign's client metadata is served, or null if unreachable
   * @returns the URL where the person signs in
   * @throws CountersignError `not_found` for a server without sign-in, `tool_unavailable` if it can't be begun
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
   * @param params from the browser's return
   * @param letIn throws if the person who began it is now refused
   * @returns the server
   * @throws CountersignError `not_allowed` for another browser or an old URL, `tool_unavailable` if refused
   */
  finish(
    params: URLSearchParams,
    browser: string,
    letIn: (account: string) => Promise<unknown>,
  ): Promise<{ server: string }>;
  forget(server: string): Promise<boolean>;
};

/** Paths of the browser's return and of the client metadata document. */
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
