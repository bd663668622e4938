// Checks the audit log against its seals; names the first mismatch.
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import type { Database, Queryable } from '../database.ts';
import { auditSeals } from '../schema.ts';
import {
  type AuditKey,
  type AuditRow,
  type AuditSeal,
  digestRows,
  hashSeal,
  readMarks,
  signPruning,
} from './chain.ts';
import { readAnchor, readAuditState, readRows } from './seals.ts';

export type AuditFault = {
  kind:
    | 'row_changed'
    | 'row_missing'
    | 'row_added'
    | 'seal_changed'
    | 'seal_missing'
    | 'order'
    | 'key'
    | 'unkeyed'
    | 'expected_missing';
  seal: number | null;
  row: number | null;
  text: string;
};

export type AuditVerdict = {
  ok: boolean;
  seals: number;
  rows: number;
  /** Unkeyed seals, which the database's owner could have rewritten. */
  unkeyed: number;
  keyed_from: { seq: number; sealed_at: string } | null;
  unsealed: number;
  pruned_through: number | null;
  last: { seq: number; hash: string; sealed_at: string } | null;
  fault: AuditFault | null;
};

export type VerifyOptions = {
  key: AuditKey | null;
  /** Earlier seals are trusted. */
  from?: number;
  /** A hash stored elsewhere, which one of the seals must have. */
  expect?: string;
};

/** IDs start at 1, but a row added by hand may have any. */
const beforeAll = Number.MIN_SAFE_INTEGER;

class Fault extends Error {
  readonly fault: AuditFault;
  constructor(kind: AuditFault['kind'], seal: number | null, text: string, row?: number) {
    super(text);
    this.fault = { kind, seal, row: row ?? null, text };
  }
}

function findRow(seal: AuditSeal, rows: AuditRow[]): Fault {
  const [kept, found] = [seal.marks, digestRows(rows).marks].map(readMarks);
  const ids = [...new Set([...(kept?.keys() ?? []), ...(found?.keys() ?? [])])].sort(
    (a, b) => a - b,
  );
  for (const id of ids) {
    const [then, now] = [kept?.get(id), found?.get(id)];
    if (then === now) continue;
    const where = `Row ${id}, which seal ${seal.seq} covers,`;
    if (now === undefined) return new Fault('row_missing', seal.seq, `${where} is gone.`, id);
    if (then === undefined)
      return new Fault('row_added', seal.seq, `${where} was added after it was sealed.`, id);
    return new Fault('row_changed', seal.seq, `${where} was changed after it was sealed.`, id);
  }
  return new Fault(
    'seal_changed',
    seal.seq,
    `Rows ${seal.first_id} to ${seal.last_id} don’t match seal ${seal.seq}; it is unknown which row differs.`,
  );
}

function checkKey({ seq, key_id }: AuditSeal, before: AuditSeal | null, key: AuditKey | null) {
  if (key_id === null && before !== null && before.key_id !== null)
    throw new Fault('key', seq, `Seal ${seq} was made without a key, the one before it with one.`);
  if (key_id === null || key_id === key?.id) return;
  throw new Fault(
    'key',
    seq,
    key === null
      ? `Seal ${seq} was made with key ${key_id}. Set COUNTERSIGN_ENCRYPTION_KEY as it was then.`
      : `Seal ${seq} was made with key ${key_id}, this is ${key.id}. Set COUNTERSIGN_ENCRYPTION_KEY as it was then.`,
  );
}

/** No unkeyed seal may follow a keyed one. A chain that ends unkeyed: the key is new, or the chain was forged. */
function checkKeyed(last: AuditSeal | null, key: AuditKey | null): void {
  if (key === null || last === null || last.key_id !== null) return;
  const until = `seal ${last.seq} of ${last.sealed_at.toISOString()}`;
  throw new Fault(
    'unkeyed',
    last.seq,
    `COUNTERSIGN_ENCRYPTION_KEY is set, but no seal up to ${until} was made with it, so the owner of the database could have forged them all. If the key was set after that, run the workers with it and verify again a minute after the next change. If it was set before, do not trust the log: compare it with a hash (--expect) or an export that you kept elsewhere.`,
  );
}

function checkSeal(seal: AuditSeal, before: AuditSeal | null, key: AuditKey | null): void {
  const { seq } = seal;
  const next = (before?.seq ?? 0) + 1;
  if (seq !== next)
    throw new Fault('seal_missing', next, `Seal ${next} is gone; the next one is ${seq}.`);
  checkKey(seal, before, key);
  if (seal.hash !== hashSeal(seal, seal.key_id === null ? null : key))
    throw new Fault('seal_changed', seq, `Seal ${seq} was changed: its hash does not fit.`);
  if (seal.previous !== (before?.hash ?? '') || seal.first_id <= (before?.last_id ?? 0))
    throw new Fault('order', seq, `Seal ${seq} does not continue the seal before it.`);
}

async function checkRows(db: Queryable, seal: AuditSeal, after: number): Promise<void> {
  const through = seal.last_id;
  const rows = await readRows(db, { after, through, limit: seal.count + 1 });
  if (rows.length !== seal.count || digestRows(rows).root !== seal.root) throw findRow(seal, rows);
}

async function checkAnchor(
  db: Queryable,
  anchor: AuditSeal | null,
  key: AuditKey | null,
): Promise<AuditSeal | null> {
  if (anchor === null) return null;
  const { seq, last_id } = anchor;
  if (anchor.key_id !== null) checkKey(anchor, null, key);
  if (anchor.hash !== hashSeal(anchor, anchor.key_id === null ? null : key))
    throw new Fault('seal_changed', seq, `Seal ${seq} was changed: its hash does not fit.`);
  if (
    anchor.pruned !==
    signPruning(anchor, anchor.key_id === null && anchor.pruned?.startsWith('none:') ? null : key)
  )
    throw new Fault(
      'row_missing',
      seq,
      `The rows up to ${last_id} are gone, and retention did not sign for it with this key.`,
    );
  const [left] = await readRows(db, { after: beforeAll, through: last_id, limit: 1 });
  if (left !== undefined)
    throw new Fault('row_added', seq, `Row ${left.id} was added where retention removed.`, left.id);
  return anchor;
}

async function readNextSeal(db: Queryable, after: number): Promise<AuditSeal | null> {
  const [next] = await db
    .select()
    .from(auditSeals)
    .where(and(gt(auditSeals.seq, after), isNull(auditSeals.pruned)))
    .orderBy(asc(auditSeals.seq))
    .limit(1);
  return next ?? null;
}

async function findStart(
  db: Queryable,
  { key, from = 1 }: VerifyOptions,
): Promise<AuditSeal | null> {
  const anchor = await readAnchor(db);
  if (from - 1 <= (anchor?.seq ?? 0)) return await checkAnchor(db, anchor, key);
  const [before] = await db
    .select()
    .from(auditSeals)
    .where(eq(auditSeals.seq, from - 1));
  if (before === undefined)
    throw new Fault('seal_missing', from - 1, `There is no seal ${from - 1} to begin after.`);
  return before;
}

/** One transaction per seal: little memory, blocks nothing. */
export async function verifyAudit(db: Database, options: VerifyOptions): Promise<AuditVerdict> {
  const { key, expect } = options;
  const found: Pick<AuditVerdict, 'seals' | 'rows' | 'unkeyed' | 'keyed_from' | 'fault'> = {
    ...{ seals: 0, rows: 0, unkeyed: 0, keyed_from: null, fault: null },
  };
  let last: AuditSeal | null = null;
  try {
    last = await findStart(db.query, options);
    for (;;) {
      const checked = await checkNext(db, last, key);
      if (checked === null) break;
      last = checked;
      found.seals += 1;
      found.rows += checked.count;
      if (checked.key_id === null) found.unkeyed += 1;
      else found.keyed_from ??= { seq: checked.seq, sealed_at: checked.sealed_at.toISOString() };
    }
    checkKeyed(last, key);
    if (expect !== undefined) await checkExpected(db.query, expect, last);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    found.fault = error.fault;
  }
  const { unsealed } = await readAuditState(db.query);
  const anchor = await readAnchor(db.query);
  return {
    ok: found.fault === null,
    ...found,
    unsealed,
    pruned_through: anchor?.seq ?? null,
    last:
      last === null
        ? null
        : { seq: last.seq, hash: last.hash, sealed_at: last.sealed_at.toISOString() },
  };
}

async function checkNext(
  db: Database,
  last: AuditSeal | null,
  key: AuditKey | null,
): Promise<AuditSeal | null> {
  return await db.transaction(async (tx) => {
    await tx.execute('set transaction isolation level repeatable read, read only');
    const seal = await readNextSeal(tx, last?.seq ?? 0);
    // Retention may have got here meanwhile.
    const anchor = await readAnchor(tx);
    const before = anchor !== null && anchor.seq > (last?.seq ?? 0) ? anchor : last;
    if (seal === null) return null;
    checkSeal(seal, before, key);
    await checkRows(tx, seal, before?.last_id ?? beforeAll);
    return seal;
  });
}

async function checkExpected(db: Queryable, expect: string, last: AuditSeal | null): Promise<void> {
  const [known] = await db
    .select({ seq: auditSeals.seq })
    .from(auditSeals)
    .where(eq(auditSeals.hash, expect.toLowerCase()))
    .limit(1);
  if (known !== undefined && known.seq <= (last?.seq ?? 0)) return;
  throw new Fault(
    'expected_missing',
    null,
    `No seal has the hash ${expect}. The log was sealed again, cut off at its end, or pruned past that seal.`,
  );
}
