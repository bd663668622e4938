// Digests an operation, and describes differences from an earlier digest.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { OperationSpec } from '#domain/tool.ts';

/** The digest's parts in order, as people read them. */
const parts = [
  'the server or the code it comes from',
  'its description',
  'the schema of its arguments',
  'what it says of its effect',
] as const;

type Identified = Pick<
  OperationSpec,
  | 'tool'
  | 'operation'
  | 'source'
  | 'identity'
  | 'description'
  | 'input'
  | 'effect'
  | 'destructive'
  | 'trusted'
  | 'human'
>;

/** SHA-256 of canonical JSON (RFC 8785), in base64url. */
export function digestJson(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? '', 'base64url');
}

const known = new WeakMap<Identified, string>();

/**
 * One SHA-256 (base64url) per part, joined by dots, so that a later digest shows which part changed. The same in all processes
 * with the same configuration, also after a trip through the database.
 */
export function digestOperation(spec: Identified): string {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const { tool, operation, source, identity, description, input, effect, destructive } = spec;
  const digest = [
    [source, tool, operation, identity?.server ?? null],
    description,
    input,
    [
      effect,
      destructive,
      spec.trusted ?? false,
      spec.human ?? false,
      identity?.annotations ?? null,
    ],
  ]
    .map(digestJson)
    .join('.');
  known.set(spec, digest);
  return digest;
}

/** The parts that differ between two digests, in words, or null. */
export function describeChange(before: string, now: string): string | null {
  if (before === now) return null;
  const [was, is] = [before.split('.'), now.split('.')];
  const changed = parts.filter((_, index) => was[index] !== is[index]);
  return changed.length > 1
    ? `${changed.slice(0, -1).join(', ')} and ${changed.at(-1)}`
    : `${changed[0] ?? 'its digest'}`;
}
