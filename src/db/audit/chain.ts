// The audit log's hash chain. Pure.
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '#domain/text.ts';
import type { auditSeals } from '../schema.ts';

/** Never in the database, so its owner can't forge seals. */
export type AuditKey = { id: string; secret: Buffer };

/** @param encryptionKey the 32 bytes of COUNTERSIGN_ENCRYPTION_KEY */
export function deriveAuditKey(encryptionKey: Buffer): AuditKey {
  const secret = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'countersign audit', 32));
  const id = createHmac('sha256', secret).update('key id').digest('hex').slice(0, 16);
  return { id, secret };
}

/** All columns; `at` is ISO 8601 UTC to the microsecond. */
export type AuditRow = JsonObject & { id: number; at: string };
export type AuditSeal = typeof auditSeals.$inferSelect;

const markBytes = 16;

function canonical(value: JsonObject): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical: not JSON');
  return text;
}

/** Skips empty columns, so a new column doesn't change old rows. */
function digestRow(row: AuditRow): Buffer {
  const kept = Object.entries(row).filter(([, value]) => value !== null);
  return createHash('sha256')
    .update(canonical(Object.fromEntries(kept)))
    .digest();
}

export function digestRows(rows: AuditRow[]): { root: string; marks: Buffer } {
  const root = createHash('sha256');
  const marks = Buffer.alloc(rows.length * markBytes);
  for (const [index, row] of rows.entries()) {
    const digest = digestRow(row);
    root.update(digest);
    marks.writeBigUInt64BE(BigInt(row.id), index * markBytes);
    digest.copy(marks, index * markBytes + 8, 0, 8);
  }
  return { root: root.digest('hex'), marks };
}

/** IDs in a seal's marks, each with the rest of its mark. */
export function readMarks(marks: Buffer): Map<number, string> {
  const found = new Map<number, string>();
  for (let from = 0; from + markBytes <= marks.length; from += markBytes) {
    const id = Number(marks.readBigUInt64BE(from));
    found.set(id, marks.toString('hex', from + 8, from + markBytes));
  }
  return found;
}

function sign(key: AuditKey | null, value: JsonObject): string {
  const hash = key === null ? createHash('sha256') : createHmac('sha256', key.secret);
  return hash.update(canonical(value)).digest('hex');
}

/** `root` covers the marks. */
export function hashSeal(seal: Omit<AuditSeal, 'hash' | 'marks' | 'pruned'>, key: AuditKey | null) {
  const { seq, first_id, last_id, count, root, previous, key_id, newest_at, sealed_at } = seal;
  const times = { newest_at: newest_at.toISOString(), sealed_at: sealed_at.toISOString() };
  return sign(key, { seq, first_id, last_id, count, root, previous, key_id, ...times });
}

export function signPruning({ seq, hash }: Pick<AuditSeal, 'seq' | 'hash'>, key: AuditKey | null) {
  return `${key?.id ?? 'none'}:${sign(key, { pruned_through: seq, hash })}`;
}
