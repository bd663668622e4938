// The instance's public address.

const loopback = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Without trailing slash; may have a base path. http only for this machine. Null if invalid. */
export function readPublicUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || /[?#\s]/.test(text)) return null;
  if (url.username !== '' || url.password !== '') return null;
  const safe =
    url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
  return safe ? trimTail(url.href, /\//) : null;
}

/** HOST without IPv6 brackets. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

/** Only this machine can reach it. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host);
  return bare === '::1' || loopback.test(bare);
}

export function isEveryHost(host: string): boolean {
  return ['0.0.0.0', '::', ''].includes(bareHost(host));
}

/** Other machines can reach it; wildcards are no address. */
export function isReachable(host: string): boolean {
  return !isEveryHost(host) && !isLoopbackHost(host);
}

import { trimTail } from './words.ts';
