// The seal of a step: SHA-256 over what is executed of it. Kept when it is approved, compared again when it runs.
import { hash } from 'node:crypto';
import type { Step } from '#contracts/plan.ts';
import { canonical, canonicalObject, isPlain } from './canonical-text.ts';

/** What a call is made of: whatever else a step says changes nothing about what it does. */
export type SealedContent = Pick<
  Step,
  'id' | 'tool' | 'operation' | 'target' | 'args' | 'resources' | 'capabilities' | 'seen'
>;

/** The same as RFC 8785 has it; what has no canonical form is escaped. */
function quote(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * SHA-256 in hex over `[id, tool, operation, target, args, resources, capabilities]`, and `seen` where there is one, as canonical JSON (RFC 8785). The
 * list is put together by hand, since plans of a hundred thousand steps are sealed whole and most have no arguments.
 */
export function sealOf(step: SealedContent): string {
  const target = step.target === null ? 'null' : quote(step.target);
  const capabilities = step.capabilities.map(quote).join(',');
  const seen = step.seen === null ? '' : `,{"seen":${canonical(step.seen)}}`;
  const text = `[${quote(step.id)},${quote(step.tool)},${quote(step.operation)},${target},${canonicalObject(step.args)},${canonicalObject(step.resources)},[${capabilities}]${seen}]`;
  return hash('sha256', text, 'hex');
}
