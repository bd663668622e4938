// The instance's public address, as configured and as the base of links.

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/**
 * The address without a trailing slash: `https://bot.example.com`, or `https://example.com/countersign` with a base path. http
 * only for this machine. Null if invalid.
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

/** Whether a server listening on `host` (HOST) is only reachable from this machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host);
  return bare === '::1' || loopback.test(bare);
}

/** Whether `host` (HOST) means every address of the machine. */
export function isEveryHost(host: string): boolean {
  return ['0.0.0.0', '::', ''].includes(bareHost(host));
}

/** Whether other machines can reach `host` (HOST); a wildcard is no address for links. */
export function isReachable(host: string): boolean {
  return !isEveryHost(host) && !isLoopbackHost(host);
}

import { trimTail } from './words.ts';
