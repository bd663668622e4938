// The `Retry-After` header (RFC 9110, 10.2.3).

/** Milliseconds, from seconds or a date; null if unusable. */
export function readRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const wait = Date.parse(text) - now;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
