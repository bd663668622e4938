// What the page is allowed to do in the browser: load from this server, run our files, and nothing else.
import { createHash } from 'node:crypto';

/** The policy for a page whose only inline script is `importMap`. */
export function buildPolicy(importMap: string): string {
  const hash = createHash('sha256').update(importMap).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
