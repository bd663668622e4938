// Authenticates and authorises by headers; routes declare role and subject.
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
 * `open`: anyone; `metrics`: this machine or an admin;
 * `page`: anyone if sign-in or a token is set up, else this machine.
 */
export type RouteRole = Role | 'open' | 'metrics' | 'page';
/**
 * `:id` of a plan, run or conversation, or `:user`; `new`: created; `press`: its subject;
 * `list`: by organisation; `instance`: none.
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
    /** Open but rate-limited. */
    limited?: true;
  }
  interface FastifyRequest {
    principal: Principal;
    service: Service;
    isStillLetIn(): Promise<boolean>;
  }
}

/** From header (`token`) or cookie (`session`). */
export type Credentials = { token: string } | { session: string };
/** Null if unknown or expired. */
export type Identify = (credentials: Credentials) => Promise<Principal | null>;

export type Visit = {
  method: string;
  remoteAddress: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  forwarded: boolean;
  authorization: string | undefined;
  session: string | undefined;
};

export type Doors = {
  /** `COUNTERSIGN_API_TOKEN`. */
  apiToken?: string;
  signIn: boolean;
  /** From COUNTERSIGN_PUBLIC_URL: proxies may not forward Host. */
  publicOrigin: string | null;
  identify: Identify;
};

export const sessionCookie = 'countersign_session';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Proxies send at least one by default. */
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

/** Only callers with access learn that a path doesn't exist. */
function roleOfUnknown(path: string): RouteRole {
  // The chat platform isn't set up.
  if (path === '/api/messages' || path.startsWith('/slack/')) return 'open';
  return path === '/api' || path.startsWith('/api/') ? 'viewer' : 'page';
}

function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function isToken(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function bearerOf({ authorization }: Visit): string | null {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return given ?? null;
}

/** `http://127.0.0.1:3978` matches `127.0.0.1:3978`. */
function isSameOrigin(origin: string, host: string): boolean {
  const [, originHost] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return originHost?.toLowerCase() === host.toLowerCase();
}

function forbid(detail: string): Complaint {
  return { code: 'forbidden', detail };
}

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

/** @param sent an unknown token was sent */
function unauthorized({ signIn }: Doors, sent: boolean): CountersignError {
  const how = signIn
    ? 'Sign in, or send a personal token as "Authorization: Bearer …".'
    : 'Send the token of COUNTERSIGN_API_TOKEN, or one of "countersign token create", as "Authorization: Bearer …".';
  const why = sent ? 'The token that was sent is unknown, revoked or expired. ' : '';
  return new CountersignError('unauthorized', `${why}${how}`);
}

/** Cookies are sent for foreign pages too. */
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

/** @throws `unauthorized` if unknown, `forbidden` without the role */
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

const nobody: Principal = { ...localPrincipal, account: 'nobody', name: 'nobody', role: 'viewer' };

/** @throws `forbidden` for an organisation's admin */
function requireReach({ tenant }: Principal, { role, subject }: FastifyContextConfig): void {
  if (tenant === null || subject !== 'instance' || (role !== 'admin' && role !== 'metrics')) return;
  throw new CountersignError(
    'forbidden',
    `This concerns every organisation of this Countersign; you are an admin of ${tenant} only. Ask its operator.`,
  );
}

function visitOf(request: FastifyRequest, cookie?: string): Visit {
  const { headers } = request;
  return {
    method: request.method,
    remoteAddress: request.socket.remoteAddress,
    host: headers.host,
    origin: headers.origin,
    // HTTP/1.0 today means a misconfigured proxy.
    forwarded: proxyHeaders.some((name) => name in headers) || request.raw.httpVersion === '1.0',
    authorization: headers.authorization,
    session: cookie === undefined ? undefined : cookieOf(request, cookie),
  };
}

function roleOf(request: FastifyRequest): RouteRole {
  const { url, config } = request.routeOptions;
  return url === undefined ? roleOfUnknown(decodePath(request.url)) : config.role;
}

export function isLocalRequest(request: FastifyRequest): boolean {
  return judgeLocal(visitOf(request)) === null && request.headers.origin === undefined;
}

/** Except from this machine. */
export function isLimited(request: FastifyRequest): boolean {
  const counts =
    request.routeOptions.config.limited === true || Role.safeParse(roleOf(request)).success;
  return counts && judgeLocal(visitOf(request)) !== null;
}

function decodePath(url: string): string {
  const path = url.split('?', 1)[0] ?? '/';
  try {
    return decodeURIComponent(path);
  } catch {
    // A malformed escape matches no route.
    return path;
  }
}

export type Reach = (principal: Principal) => Service;

export function guardVisits(app: FastifyInstance, doors: Doors, reach: Reach): void {
  // Set before any handler runs.
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
