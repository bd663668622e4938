// The seal of a step: SHA-256 over what is executed of it. Kept when it is approved, compared again when it runs.
import { hash } from 'node:crypto';
import type { Step } from '#domain/plan/plan.ts';
import { canonical, canonicalObject, isPlain } from './canonical-text.ts';

/** What a call is made of: whatever else a step says changes nothing about what it does. */
export type SealedContent = Pick<
  Step,
  | 'id'
  | 'tool'
  | 'operation'
  | 'target'
  | 'args'
  | 'resources'
  | 'capabilities'
  | 'when'
  | 'ask_before'
  | 'seen'
>;

/** The same as RFC 8785 has it; what has no canonical form is escaped. */
function quote(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * SHA-256 in hex over `[id, tool, operation, target, args, resources, capabilities]` as canonical JSON (RFC 8785), with
 * `{ ask_before, when }` behind them where the step has a condition or asks first, and `{ seen }` where its target was looked
 * up. The list is put together by hand, since plans of a hundred thousand steps are sealed whole and most have no arguments.
 */
export function sealOf(step: SealedContent): string {
  const target = step.target === null ? 'null' : quote(step.target);
  const capabilities = step.capabilities.map(quote).join(',');
  const limits =
    step.when.length === 0 && !step.ask_before
      ? ''
      : `,${canonicalObject({ ask_before: step.ask_before, when: step.when })}`;
  const seen = step.seen === null ? '' : `,{"seen":${canonical(step.seen)}}`;
  const text = `[${quote(step.id)},${quote(step.tool)},${quote(step.operation)},${target},${canonicalObject(step.args)},${canonicalObject(step.resources)},[${capabilities}]${limits}${seen}]`;
  return hash('sha256', text, 'hex');
}
