// Digests an operation, and says in what it differs from an earlier digest.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { OperationSpec } from '#domain/tool.ts';

/** What a digest is made of, in its order, as people are told of it. */
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

/** SHA-256 of a JSON value in its canonical form (RFC 8785), in base64url. */
export function digestJson(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? '', 'base64url');
}

const known = new WeakMap<Identified, string>();

/**
 * The digest of an operation: one SHA-256 (base64url) for each of `parts`, joined by dots, so that a later digest tells
 * which part changed. The same in every process that has the same configuration, and after the database has stored it.
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

/** Which parts of an operation differ between two digests, in words; null: none does. */
export function describeChange(before: string, now: string): string | null {
  if (before === now) return null;
  const [was, is] = [before.split('.'), now.split('.')];
  const changed = parts.filter((_, index) => was[index] !== is[index]);
  return changed.length > 1
    ? `${changed.slice(0, -1).join(', ')} and ${changed.at(-1)}`
    : `${changed[0] ?? 'its digest'}`;
}
