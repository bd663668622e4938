// Canonical JSON (RFC 8785), fast for the many short names, nulls and empty objects.
import canonicalize from 'canonicalize';

/** Characters that JSON escapes, and surrogates: a lone one has no canonical form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const notPlain = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Whether the quoted text is its own canonical form. */
export function isPlain(text: string): boolean {
  return !notPlain.test(text);
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** @throws if the value has no canonical form */
export function canonical(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string' && isPlain(value)) return `"${value}"`;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value) && value.length === 0) return '[]';
  if (typeof value === 'object' && isEmptyObject(value)) return '{}';
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical: the value has no JSON form');
  return text;
}
