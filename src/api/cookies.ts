// Request and response cookies.
import type { FastifyReply, FastifyRequest } from 'fastify';

export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Over https, other hosts and http pages can't set it. */
export function hostCookie(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

type Cookie = {
  name: string;
  value: string;
  path: string;
  /** 0 deletes it. */
  seconds: number;
  secure: boolean;
};

/** `SameSite=Lax`: not sent from other sites. */
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
