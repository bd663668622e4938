// Who is answered at all, decided from the request's head alone: a token where one is set, this machine only where none is.
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CountersignError } from '#domain/errors.ts';
import type { Complaint } from './problem.ts';

/**
 * `open`: anyone (probes, and webhooks that carry their own signature);
 * `api`: the token, or this machine; `metrics`: this machine, or the token;
 * `page`: anyone where a token is set (the page asks for it), else this machine.
 */
type Zone = 'open' | 'api' | 'metrics' | 'page';

/** The facts a decision needs. */
export type Visit = {
  /** The route's template, or the raw path where no route matched. */
  path: string;
  method: string;
  remoteAddress: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  /** A proxy says that it passes the request on for somebody else. */
  forwarded: boolean;
  authorization: string | undefined;
};

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

function zoneOf(path: string): Zone {
  if (path === '/healthz' || path === '/readyz') return 'open';
  if (path === '/api/messages' || path.startsWith('/slack/')) return 'open';
  if (path === '/metrics') return 'metrics';
  return path === '/api' || path.startsWith('/api/') ? 'api' : 'page';
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

function hasToken(visit: Visit, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(visit.authorization ?? '') ?? [];
  return given !== undefined && isToken(given, token);
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

/** Null: go on. Otherwise why the visit ends here. */
export function judgeVisit(visit: Visit, token: string | undefined): Complaint | null {
  const zone = zoneOf(visit.path);
  if (zone === 'open') return null;
  if (token === undefined) return judgeLocal(visit);
  if (zone === 'page' || hasToken(visit, token)) return null;
  if (zone === 'metrics' && judgeLocal(visit) === null) return null;
  return {
    code: 'unauthorized',
    detail: 'Send the token of COUNTERSIGN_API_TOKEN as "Authorization: Bearer …".',
  };
}

function visitOf(request: FastifyRequest): Visit {
  const { headers } = request;
  return {
    path: request.routeOptions.url ?? decodePath(request.url),
    method: request.method,
    remoteAddress: request.socket.remoteAddress,
    host: headers.host,
    origin: headers.origin,
    // What speaks HTTP/1.0 today is a proxy that was told no better.
    forwarded: proxyHeaders.some((name) => name in headers) || request.raw.httpVersion === '1.0',
    authorization: headers.authorization,
  };
}

/** Whether a request comes from this machine, and from no web page that is open on it. */
export function isLocalRequest(request: FastifyRequest): boolean {
  return judgeLocal(visitOf(request)) === null && request.headers.origin === undefined;
}

/** Whether a request counts towards the limit of its caller: those of the API that do not come from this machine. */
export function isLimited(request: FastifyRequest): boolean {
  const visit = visitOf(request);
  return zoneOf(visit.path) === 'api' && judgeLocal(visit) !== null;
}

/** Whether a proxy on this machine passes a request on for somebody else. */
export function isThroughLocalProxy(request: FastifyRequest): boolean {
  const { remoteAddress, forwarded } = visitOf(request);
  return forwarded && isLoopback(remoteAddress);
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

/** Judges every request to this instance before anything of it is read. */
export function guardVisits(app: FastifyInstance, token: string | undefined): void {
  app.addHook('onRequest', async (request) => {
    const complaint = judgeVisit(visitOf(request), token);
    if (complaint === null) return;
    throw new CountersignError(
      complaint.code === 'unauthorized' ? 'unauthorized' : 'forbidden',
      complaint.detail,
    );
  });
}
