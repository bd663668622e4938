// Headers that a plan may send.
import { isObject } from '#domain/text.ts';

/** Set by the connection, or a plan could speak for another host. */
const ownHeaders = new Set([
  'host',
  'connection',
  'proxy-connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'expect',
]);
/** RFC 9110, 5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** Visible Latin-1, blanks and tabs (RFC 9110, 5.5). */
const unsendable = /[^\t\u0020-\u007e\u00a0-\u00ff]/u;

type Problem = { code: 'invalid_arguments'; message: string };

const refuse = (message: string): Problem => ({ code: 'invalid_arguments', message });

function findProblem(name: string, value: unknown): string | null {
  const shown = JSON.stringify(name.slice(0, 60));
  if (!token.test(name))
    return `The header ${shown} cannot be sent: a name has letters, digits and hyphens only.`;
  if (ownHeaders.has(name.toLowerCase())) return `The header ${name} cannot be set.`;
  if (typeof value !== 'string') return null;
  const [character] = unsendable.exec(value) ?? [];
  if (character !== undefined) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `The header ${name} cannot be sent: its value has U+${code}. Use characters of Latin-1 without line breaks, or encode it.`;
  }
  return value === value.trim()
    ? null
    : `The header ${name} has blanks around its value, which would be lost. Remove them.`;
}

export function findHeaderProblem(headers: unknown): Problem | null {
  if (!isObject(headers)) return null;
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const problem = findProblem(name, value);
    if (problem !== null) return refuse(problem);
    if (seen.has(name.toLowerCase())) return refuse(`The header ${name} is given twice. Keep one.`);
    seen.add(name.toLowerCase());
  }
  return null;
}
