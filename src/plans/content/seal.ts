// The seal of a step: SHA-256 over what is executed of it. Kept when it is approved, compared again when it runs.
import { hash } from 'node:crypto';
import { canonical, isPlain } from '#domain/canonical.ts';
import {
  isEmpty,
  type SealedField,
  type StepContent,
  sealedFields,
} from '#domain/plan/step-content.ts';

/** The fields that make a call; no other field of a step changes what it does. */
export type SealedContent = Pick<StepContent, SealedField>;

const calls = sealedFields.filter(([, { sealed }]) => sealed === 'call');
const limits = sealedFields.filter(([, { sealed }]) => sealed === 'limits');
const own = sealedFields.filter(([, { sealed }]) => sealed === 'own');

/** As RFC 8785 has it; a text that has no canonical form is escaped. */
function sealed(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? `"${value}"` : JSON.stringify(value);
  return Array.isArray(value) ? `[${value.map(sealed).join(',')}]` : canonical(value);
}

/**
 * SHA-256 in hex over the list of the fields of the call as canonical JSON (RFC 8785): `[id, tool, operation, target, args,
 * resources, capabilities]`, with `{ ask_before, when }` behind them where the step has one of the two, and an object for each
 * other field that it gives, such as `{ seen }`.
 */
export function sealOf(step: SealedContent): string {
  const parts = calls.map(([name]) => sealed(step[name]));
  if (!limits.every(([name, field]) => isEmpty(field, step[name])))
    parts.push(canonical(Object.fromEntries(limits.map(([name]) => [name, step[name]]))));
  for (const [name, field] of own)
    if (!isEmpty(field, step[name])) parts.push(canonical({ [name]: step[name] }));
  return hash('sha256', `[${parts.join(',')}]`, 'hex');
}
