// The public address of this instance, as configured and as the base of links.

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/**
 * The address without a slash at its end: `https://bot.example.com`, or with a base path behind a proxy,
 * `https://example.com/countersign`. http is for this machine alone. null: it is none.
 */
export function readPublicUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || /[?#\s]/.test(text)) return null;
  if (url.username !== '' || url.password !== '') return null;
  const safe =
    url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
  return safe ? trimTail(url.href, /\//) : null;
}

/** HOST without the brackets of an IPv6 address. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/** Whether a server that listens on `host`, as it stands in HOST, is reached from this machine alone. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host);
  return bare === '::1' || loopback.test(bare);
}

/** Whether `host`, as it stands in HOST, means every address of the machine. */
export function isEveryHost(host: string): boolean {
  return ['0.0.0.0', '::', ''].includes(bareHost(host));
}

/** Whether others than this machine can be at `host`, as it stands in HOST: every address names none for a link to lead to. */
export function isReachable(host: string): boolean {
  return !isEveryHost(host) && !isLoopbackHost(host);
}

import { trimTail } from './words.ts';
