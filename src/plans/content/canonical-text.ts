// Canonical JSON (RFC 8785) for parts that occur by the hundred thousand: most are short names and empty objects.
import canonicalize from 'canonicalize';

/** Characters that JSON escapes, and surrogates, of which a lone one has no canonical form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const notPlain = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Whether the text is its own canonical form between quotes. */
export function isPlain(text: string): boolean {
  return !notPlain.test(text);
}

/** @throws when the value has no canonical form */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical: the value has no JSON form');
  return text;
}

export function canonicalString(text: string): string {
  return isPlain(text) ? `"${text}"` : canonical(text);
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

export function canonicalObject(value: object): string {
  return isEmpty(value) ? '{}' : canonical(value);
}
