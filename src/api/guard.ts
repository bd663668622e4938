// Who makes a request and whether they may, decided from its head alone and once: a session, a personal token, the instance's
// token; where nothing of that is set up, this machine and nobody else.
//
// Each route declares `config: { role, subject }`: the least role that it is for, and what it is about. A server with a route that
// declares neither does not start.
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { CountersignError } from '#domain/errors.ts';
import {
  hasRole,
  instancePrincipal,
  isKnown,
  localPrincipal,
  type Principal,
  Role,
  signInAgain,
} from '#domain/people/principal.ts';
import type { Service } from '#domain/service.ts';
import { cookieOf, hostCookie } from './cookies.ts';
import type { Complaint } from './problem.ts';

/**
 * `open`: anyone (probes, and webhooks that carry their own signature); `metrics`: this machine, or an admin;
 * `page`: anyone where people sign in or a token is set (the page asks for it), else this machine.
 */
export type RouteRole = Role | 'open' | 'metrics' | 'page';
/**
 * What the path names: a plan, a run or a conversation by `:id`, a person by `:user`, oneself; `new`: what is made by the request;
 * `press`: what its button names; `list`: many, of which each caller sees their own organisation's; `instance`: no one's in particular.
 */
export type RouteSubject =
  | 'plan'
  | 'run'
  | 'conversation'
  | 'person'
  | 'self'
  | 'new'
  | 'press'
  | 'list'
  | 'instance';

declare module 'fastify' {
  interface FastifyContextConfig {
    role: RouteRole;
    subject: RouteSubject;
    /** Open to anyone, and all the same counted by who asks. */
    limited?: true;
  }
  interface FastifyRequest {
    /** Who makes the request. */
    principal: Principal;
    /** The service as far as they reach it. */
    service: Service;
    /** Whether they would be let in now: what lasts ends when a session, a token or a role does. */
    isStillLetIn(): Promise<boolean>;
  }
}

/** What people are known by: `token` of the header, `session` of the cookie. */
export type Credentials = { token: string } | { session: string };
/** Who that is; null: nobody, or nobody any more. */
export type Identify = (credentials: Credentials) => Promise<Principal | null>;

/** The facts a decision needs. */
export type Visit = {
  method: string;
  remoteAddress: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  /** A proxy says that it passes the request on for somebody else. */
  forwarded: boolean;
  authorization: string | undefined;
  /** The value of the session's cookie. */
  session: string | undefined;
};

/** What identity is set up. */
export type Doors = {
  /** `COUNTERSIGN_API_TOKEN`. */
  apiToken?: string;
  /** People sign in. */
  signIn: boolean;
  /** The origin of COUNTERSIGN_PUBLIC_URL, which a proxy may not pass on as Host. */
  publicOrigin: string | null;
  identify: Identify;
};

export const sessionCookie = 'countersign_session';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A proxy sends at least one of these, unless somebody told it not to. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A path without a route is answered that there is none, to those who may ask at all. */
function roleOfUnknown(path: string): RouteRole {
  // Where a chat platform is not set up.
  if (path === '/api/messages' || path.startsWith('/slack/')) return 'open';
  return path === '/api' || path.startsWith('/api/') ? 'viewer' : 'page';
}

function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Compares in constant time, for any lengths. */
function isToken(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function bearerOf({ authorization }: Visit): string | null {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return given ?? null;
}

/** Whether an Origin names the very host that was asked (`http://127.0.0.1:3978` for `127.0.0.1:3978`). */
function isSameOrigin(origin: string, host: string): boolean {
  const [, originHost] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return originHost?.toLowerCase() === host.toLowerCase();
}

function forbid(detail: string): Complaint {
  return { code: 'forbidden', detail };
}

/** Without a token only this machine is answered, and no web page of elsewhere can act through its browser. */
function judgeLocal(visit: Visit): Complaint | null {
  if (!isLoopback(visit.remoteAddress) || visit.forwarded)
    return forbid(
      'Without a token, only this machine is answered. Set COUNTERSIGN_API_TOKEN to allow others.',
    );
  if (visit.host === undefined || !loopbackHost.test(visit.host))
    return forbid(
      'Without a token, the Host header must be 127.0.0.1, localhost or [::1]. Set COUNTERSIGN_API_TOKEN to use another name.',
    );
  const { origin } = visit;
  if (!safeMethods.has(visit.method) && origin !== undefined && !isSameOrigin(origin, visit.host))
    return forbid("Pages from another origin can't change anything here.");
  return null;
}

/** @param sent a token that nobody here has */
function unauthorized({ signIn }: Doors, sent: boolean): CountersignError {
  const how = signIn
    ? 'Sign in, or send a personal token as "Authorization: Bearer …".'
    : 'Send the token of COUNTERSIGN_API_TOKEN, or one of "countersign token create", as "Authorization: Bearer …".';
  const why = sent ? 'The token that was sent is unknown, revoked or expired. ' : '';
  return new CountersignError('unauthorized', `${why}${how}`);
}

/** A page of elsewhere must not act with the cookie that the browser sends along. */
function requireSameOrigin({ method, origin, host }: Visit, { publicOrigin }: Doors): void {
  if (safeMethods.has(method)) return;
  if (origin !== undefined && origin === publicOrigin) return;
  if (origin !== undefined && host !== undefined && isSameOrigin(origin, host)) return;
  throw new CountersignError('forbidden', "Pages from another origin can't change anything here.");
}

async function findPrincipal(visit: Visit, doors: Doors): Promise<Principal> {
  const { apiToken, signIn, identify } = doors;
  const token = bearerOf(visit);
  if (token !== null) {
    if (apiToken !== undefined && isToken(token, apiToken)) return instancePrincipal;
    const owner = await identify({ token });
    if (owner !== null) return owner;
  }
  if (token === null && signIn && visit.session !== undefined) {
    const person = await identify({ session: visit.session });
    if (person !== null) {
      requireSameOrigin(visit, doors);
      return person;
    }
  }
  if (apiToken !== undefined || signIn || token?.startsWith('cst_') === true)
    throw unauthorized(doors, token !== null);
  const complaint = judgeLocal(visit);
  if (complaint !== null) throw new CountersignError('forbidden', complaint.detail);
  return localPrincipal;
}

/**
 * Who makes this visit to a route for `role`.
 * @throws `unauthorized` where nobody knows, `forbidden` where they may not
 */
export async function admit(visit: Visit, role: RouteRole, doors: Doors): Promise<Principal> {
  const isClosed = doors.apiToken !== undefined || doors.signIn;
  if (role === 'open' || (role === 'page' && isClosed)) return nobody;
  if (role === 'metrics' && judgeLocal(visit) === null) return localPrincipal;
  const principal = await findPrincipal(visit, doors);
  const needed = role === 'metrics' ? 'admin' : role === 'page' ? 'viewer' : role;
  if (hasRole(principal.role, needed)) return principal;
  throw new CountersignError(
    'forbidden',
    `This needs the role ${needed}; ${principal.name} has the role ${principal.role}.${signInAgain(principal)}`,
  );
}

/** Of routes that anybody may ask: they do not say who does. */
const nobody: Principal = { ...localPrincipal, account: 'nobody', name: 'nobody', role: 'viewer' };

/**
 * What belongs to the whole instance (its settings, its metrics, its sign-ins at tools) is not for the admin of one organisation.
 * @throws `forbidden`
 */
function requireReach({ tenant }: Principal, { role, subject }: FastifyContextConfig): void {
  if (tenant === null || subject !== 'instance' || (role !== 'admin' && role !== 'metrics')) return;
  throw new CountersignError(
    'forbidden',
    `This concerns every organisation of this Countersign; you are an admin of ${tenant} only. Ask whoever runs it.`,
  );
}

/** @param cookie the session's, where it matters */
function visitOf(request: FastifyRequest, cookie?: string): Visit {
  const { headers } = request;
  return {
    method: request.method,
    remoteAddress: request.socket.remoteAddress,
    host: headers.host,
    origin: headers.origin,
    // What speaks HTTP/1.0 today is a proxy that was told no better.
    forwarded: proxyHeaders.some((name) => name in headers) || request.raw.httpVersion === '1.0',
    authorization: headers.authorization,
    session: cookie === undefined ? undefined : cookieOf(request, cookie),
  };
}

function roleOf(request: FastifyRequest): RouteRole {
  const { url, config } = request.routeOptions;
  return url === undefined ? roleOfUnknown(decodePath(request.url)) : config.role;
}

/** Whether a request comes from this machine, and from no web page that is open on it. */
export function isLocalRequest(request: FastifyRequest): boolean {
  return judgeLocal(visitOf(request)) === null && request.headers.origin === undefined;
}

/** Whether a request counts towards a limit of its caller: those of the API, and to sign in, that do not come from this machine. */
export function isLimited(request: FastifyRequest): boolean {
  const counts =
    request.routeOptions.config.limited === true || Role.safeParse(roleOf(request)).success;
  return counts && judgeLocal(visitOf(request)) !== null;
}

/** The path of a request that met no route, as it would have been matched. */
function decodePath(url: string): string {
  const path = url.split('?', 1)[0] ?? '/';
  try {
    return decodeURIComponent(path);
  } catch {
    // A malformed escape matches no route anyway; as it stands it only chooses the zone.
    return path;
  }
}

/** The service as far as a principal reaches it. */
export type Reach = (principal: Principal) => Service;

/** Judges every request to this instance before anything of it is read. */
export function guardVisits(app: FastifyInstance, doors: Doors, reach: Reach): void {
  // They are set before any handler sees a request.
  app.decorateRequest('principal');
  app.decorateRequest('service');
  app.decorateRequest('isStillLetIn');
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.role === undefined || config.subject === undefined)
      throw new TypeError(`${method} ${url} declares no config: { role, subject }.`);
  });
  const secure = doors.publicOrigin?.startsWith('https:') === true;
  const cookie = hostCookie(sessionCookie, secure);
  app.addHook('onRequest', async (request) => {
    const visit = visitOf(request, cookie);
    const role = roleOf(request);
    const letIn = async (): Promise<Principal> => {
      const principal = await admit(visit, role, doors);
      if (request.routeOptions.url !== undefined)
        requireReach(principal, request.routeOptions.config);
      return principal;
    };
    request.principal = await letIn();
    request.service = reach(request.principal);
    request.isStillLetIn = async () => {
      if (!isKnown(request.principal)) return true;
      const now = await letIn().catch((error: unknown) => {
        if (error instanceof CountersignError) return null;
        throw error;
      });
      return now !== null && now.tenant === request.principal.tenant;
    };
  });
}
