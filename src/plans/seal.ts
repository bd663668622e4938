// The seal of a step: SHA-256 over what is executed of it. Kept when it is approved, compared again when it runs.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Step } from '#contracts/plan.ts';

/** What a call is made of: whatever else a step says changes nothing about what it does. */
export type SealedContent = Pick<
  Step,
  'id' | 'tool' | 'operation' | 'target' | 'args' | 'resources' | 'capabilities'
>;

/** Characters that JSON.stringify escapes, and lone surrogates, which have no canonical form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const notPlain = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The same as JSON.stringify and as RFC 8785; most names need no escaping. */
function quote(text: string): string {
  return notPlain.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function canonicalObject(value: SealedContent['args'] | SealedContent['resources']): string {
  if (isEmpty(value)) return '{}';
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('sealOf: the value has no JSON form');
  return text;
}

/**
 * SHA-256 in hex over `[id, tool, operation, target, args, resources, capabilities]` as canonical JSON (RFC 8785). The
 * list is put together by hand, since plans of a hundred thousand steps are sealed whole and most have no arguments.
 */
export function sealOf(step: SealedContent): string {
  const target = step.target === null ? 'null' : quote(step.target);
  const capabilities = step.capabilities.map(quote).join(',');
  const text = `[${quote(step.id)},${quote(step.tool)},${quote(step.operation)},${target},${canonicalObject(step.args)},${canonicalObject(step.resources)},[${capabilities}]]`;
  return hash('sha256', text, 'hex');
}
