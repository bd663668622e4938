// Signing in at hosted MCP servers (OAuth 2.1): what is kept of it, who keeps it, and what a gateway offers people.
import { z } from 'zod';

const Tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  /** Who issued them: they are sent nowhere else. */
  issuer: z.string().optional(),
});

/** Countersign as the authorization server knows it. */
const OauthClient = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
});

const At = z.object({
  /** The MCP server's address; tokens are sent to no other. */
  url: z.string(),
  client: OauthClient,
  /** Where the browser comes back to; a client is registered for it. */
  redirect: z.string(),
  authorization_server: z.string(),
  resource_metadata: z.string().nullable(),
  /** What the tokens are for (RFC 8707); null: the server does not say. */
  resource: z.string().nullable(),
});

/** A sign-in that is complete. */
export const SignIn = At.extend({
  tokens: Tokens,
  /** ISO 8601; null: nobody said. */
  expires_at: z.string().nullable(),
});
export type SignIn = z.infer<typeof SignIn>;

/** A sign-in whose person is at the authorization server. */
export const PendingSignIn = At.extend({
  server: z.string(),
  /** PKCE (RFC 7636). */
  verifier: z.string(),
  /** SHA-256 of the secret that the browser keeps. */
  browser: z.string(),
  by: z.string(),
  /** Who began it; null: an operator. */
  account: z.string().nullable().optional(),
});
export type PendingSignIn = z.infer<typeof PendingSignIn>;

export type KeptSignIn = {
  server: string;
  /** Counts what was stored, so that nobody overwrites what they have not read. */
  generation: number;
  signIn: SignIn;
  /** Why somebody has to sign in again; null: it holds. */
  problem: string | null;
  /** What has to be asked for besides; null: nothing more. */
  wants: string | null;
  by: string;
  at: Date;
};

/** Keeps sign-ins, encrypted, for all processes of an instance. */
export type SignInStore = {
  /** Why nothing can be kept, and what to do; null: it can. */
  lack: string | null;
  read(server: string): Promise<KeptSignIn | null>;
  list(): Promise<Omit<KeptSignIn, 'signIn'>[]>;
  /** Stores a new sign-in over any former one. */
  store(server: string, signIn: SignIn, by: string): Promise<void>;
  /** Takes the refresh of this generation for `ms`. @returns false: another process is at it, or has done it */
  claimRefresh(server: string, generation: number, ms: number): Promise<boolean>;
  /** Gives a claimed refresh back that came to nothing. */
  releaseRefresh(server: string, generation: number): Promise<void>;
  /** @returns false: something else was stored meanwhile */
  storeRefreshed(server: string, generation: number, signIn: SignIn): Promise<boolean>;
  /** Notes that somebody has to sign in again. */
  note(server: string, generation: number, problem: string, wants: string | null): Promise<void>;
  /** @returns false: there was none */
  remove(server: string): Promise<boolean>;
  /** Keeps what is under way until `state` comes back, once and within ten minutes. */
  keepPending(state: string, pending: PendingSignIn): Promise<void>;
  takePending(state: string): Promise<PendingSignIn | null>;
  /** Calls `wake` when the sign-in at `server` has changed, in whatever process. @returns the way to stop */
  onChange(server: string, wake: () => void): () => void;
};

/** What a gateway and the command line do with sign-ins. */
export type SignIns = {
  /**
   * @param how.browser a secret that only the browser keeps which is to come back
   * @param how.metadata where Countersign's own client metadata is served; null: nowhere that others reach
   * @returns the address at which the person signs in
   * @throws CountersignError `not_found` for a server that takes no sign-in, `tool_unavailable` when it cannot be begun
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
   * @param params what the browser brought back
   * @param letIn throws if the person who began it is refused by now
   * @returns the server
   * @throws CountersignError `not_allowed` for another browser or an old address, `tool_unavailable` when it was refused
   */
  finish(
    params: URLSearchParams,
    browser: string,
    letIn: (account: string) => Promise<unknown>,
  ): Promise<{ server: string }>;
  forget(server: string): Promise<boolean>;
};

/** The path that browsers come back to, and that of the client metadata document. */
export const signInPaths = { callback: '/oauth/mcp/callback', metadata: '/oauth/mcp/client.json' };

/** What Countersign says of itself to authorization servers. */
export function describeClient(redirect: string, confidential: boolean) {
  return {
    client_name: 'Countersign',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: confidential ? 'client_secret_post' : 'none',
  };
}
