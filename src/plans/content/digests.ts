// Countersigned digests and step seals: SHA-256 of canonical JSON (RFC 8785).
import { createHash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CountersignError } from '#domain/errors.ts';
import type { ApproverPolicy, PlanContext, Risk, Series } from '#domain/plan/plan.ts';
import {
  allFields,
  isEmpty,
  type SealedField,
  type StepContent,
  sealedFields,
} from '#domain/plan/step-content.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { describeChange, digestOperation } from '#tools/catalogue.ts';

/** Escaped in JSON; lone surrogates have no canonical form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const notPlain = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Its quoted form is canonical. */
export function isPlain(text: string): boolean {
  return !notPlain.test(text);
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** @throws if there is no canonical form */
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

export type PlanHeader = {
  id: string;
  version: number;
  title: string;
  summary: string | null;
  context: PlanContext;
  risks: Risk[];
  approver_policy: ApproverPolicy;
  executor_model: string | null;
  tools_required: string[];
  /** Only for step-by-step approval: an absent key leaves the digest unchanged. */
  step_approval?: 'each';
  series?: Series[];
  /** As shown, by name; absent in older plans. */
  operation_digests?: Record<string, string>;
};

export function termsOf(
  confirmEach: boolean,
  series: Series[],
): Pick<PlanHeader, 'step_approval' | 'series'> {
  return {
    ...(confirmEach ? { step_approval: 'each' } : {}),
    ...(series.length > 0 ? { series } : {}),
  };
}

export function withDigests(
  digests: Record<string, string>,
): Pick<PlanHeader, 'operation_digests'> {
  return Object.keys(digests).length > 0 ? { operation_digests: digests } : {};
}

/** Sorted by UTF-16 code units, as RFC 8785 requires. */
const inOrder = allFields
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, field]) => ({ name, field, key: `${JSON.stringify(name)}:` }));

/** Fast: plans of 100,000 steps are digested whole. */
export function canonicalStep(step: StepContent): string {
  let text = '';
  for (const { name, field, key } of inOrder) {
    const value = step[name];
    if (field.sparse === true && isEmpty(field, value)) continue;
    text += `${text === '' ? '{' : ','}${key}${canonical(value)}`;
  }
  return `${text}}`;
}

/** Characters between yields. */
const hashedAtOnce = 65_536;

/** SHA-256, hex. */
export function digestValue(value: object): string {
  return hash('sha256', canonical(value), 'hex');
}

/** SHA-256 (hex) of `{ …header, steps: [...] }`, streamed. `steps` by position, `after` by predecessor's position, then type. */
export async function digestPlan(
  header: PlanHeader,
  steps: Iterable<StepContent> | AsyncIterable<StepContent>,
): Promise<string> {
  const digest = createHash('sha256');
  // RFC 8785 sorts "steps" in among the header's keys.
  const keys = [...Object.keys(header), 'steps'].sort();
  const entries: Record<string, unknown> = header;
  for (const [index, key] of keys.entries()) {
    digest.update(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
    if (key !== 'steps') {
      digest.update(canonical(entries[key]));
      continue;
    }
    let text = '';
    let separator = '[';
    for await (const step of steps) {
      text += separator + canonicalStep(step);
      separator = ',';
      if (text.length < hashedAtOnce) continue;
      digest.update(text);
      text = '';
      if (isSliceOver()) await nextTurn();
    }
    digest.update(`${text}${separator === '[' ? '[]' : ']'}`);
  }
  digest.update('}');
  return digest.digest('hex');
}

/** No other field changes a call's effect. */
export type SealedContent = Pick<StepContent, SealedField>;

const calls = sealedFields.filter(([, { sealed }]) => sealed === 'call');
const limits = sealedFields.filter(([, { sealed }]) => sealed === 'limits');
const own = sealedFields.filter(([, { sealed }]) => sealed === 'own');

/** Text without a canonical form is escaped. */
function sealed(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? `"${value}"` : JSON.stringify(value);
  return Array.isArray(value) ? `[${value.map(sealed).join(',')}]` : canonical(value);
}

/**
 * SHA-256 (hex) of `[id, tool, operation, target, args, resources, capabilities]`, then `{ ask_before, when }` if either is set,
 * and an object for each other field present, such as `{ seen }`.
 */
export function sealOf(step: SealedContent): string {
  const parts = calls.map(([name]) => sealed(step[name]));
  if (!limits.every(([name, field]) => isEmpty(field, step[name])))
    parts.push(canonical(Object.fromEntries(limits.map(([name]) => [name, step[name]]))));
  for (const [name, field] of own)
    if (!isEmpty(field, step[name])) parts.push(canonical({ [name]: step[name] }));
  return hash('sha256', `[${parts.join(',')}]`, 'hex');
}

/** Absent in older plans, which aren't compared. */
export type OperationDigests = Record<string, string>;

/** As in `shown`, else current; none if not offered. */
export function digestOperations(
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
  shown: OperationDigests = {},
): OperationDigests {
  return Object.fromEntries(
    names.flatMap((name) => {
      if (Object.hasOwn(shown, name)) return [[name, shown[name] ?? '']];
      const spec = catalogue.get(name);
      return spec === undefined ? [] : [[name, digestOperation(spec)]];
    }),
  );
}

/** Since shown, as a sentence; null without a digest. */
export function findChangedOperation(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  name: string,
  what: 'plan' | 'change' = 'plan',
): string | null {
  const shown = Object.hasOwn(digests, name) ? digests[name] : undefined;
  const spec = catalogue.get(name);
  if (shown === undefined || spec === undefined) return null;
  const change = describeChange(shown, spec);
  return change === null
    ? null
    : `${name} changed since this ${what} was shown: ${change}. Propose the ${what} again.`;
}

export function addedOperations({
  added,
}: {
  added: readonly { now: Pick<StepContent, 'tool' | 'operation'> }[];
}): string[] {
  return [...new Set(added.map(({ now }) => operationName(now.tool, now.operation)))].sort();
}

/** @throws `preflight_failed` if it differs from the one shown */
export function requireSameOperations(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
  what: 'plan' | 'change' = 'plan',
): void {
  for (const name of names) {
    const reason = findChangedOperation(digests, catalogue, name, what);
    if (reason !== null) throw new CountersignError('preflight_failed', reason);
  }
}
