// Cookies of requests, and those that answers set.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The value of one cookie of a request. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** The name of a cookie for the whole host. Over https nobody else can set it: no other host of the domain, and no page over http. */
export function hostCookie(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

type Cookie = {
  name: string;
  value: string;
  path: string;
  /** How long the browser keeps it; 0: it forgets it. */
  seconds: number;
  /** Sent over https only. */
  secure: boolean;
};

/** `SameSite=Lax`: the browser sends it where a link leads here, and never with what another site's page sends. */
export function setCookie(
  reply: FastifyReply,
  { name, value, path, seconds, secure }: Cookie,
): void {
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}
