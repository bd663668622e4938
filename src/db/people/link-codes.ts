// Codes for linking accounts, and failed attempts.
import { and, eq, gt, or, sql } from 'drizzle-orm';
import type { Surface } from '#domain/people/actor.ts';
import type { Transaction } from '../database.ts';
import { linkCodes, linkTries } from '../schema.ts';

/** @param code.once the requesting event; its earlier unused code stays valid, since that may be the one shown */
export async function storeLinkCode(
  tx: Transaction,
  code: {
    account: string;
    hash: string;
    via: Surface;
    verified: boolean;
    expiresAt: Date;
    once: string | null;
  },
): Promise<void> {
  const { account, hash, via, verified, expiresAt, once } = code;
  const asked = { code_hash: hash, via, verified, expires_at: expiresAt, once };
  await tx
    .insert(linkCodes)
    .values({ account, ...asked })
    .onConflictDoUpdate({
      target: linkCodes.account,
      set: {
        ...asked,
        earlier_hash: sql`case when ${linkCodes.once} = ${once}::text and ${linkCodes.used_by} is null then ${linkCodes.code_hash} end`,
        used_by: null,
      },
    });
}

const hasHash = (hash: string) =>
  or(eq(linkCodes.code_hash, hash), eq(linkCodes.earlier_hash, hash));

export type LinkCode = Pick<
  typeof linkCodes.$inferSelect,
  'account' | 'via' | 'verified' | 'used_by'
>;

export async function findLinkCode(
  tx: Transaction,
  hash: string,
  now: Date,
): Promise<LinkCode | null> {
  const { account, via, verified, used_by, expires_at } = linkCodes;
  const [code] = await tx
    .select({ account, via, verified, used_by })
    .from(linkCodes)
    .where(and(hasHash(hash), gt(expires_at, now)));
  return code ?? null;
}

export async function markLinkCode(tx: Transaction, hash: string, usedBy: string): Promise<void> {
  await tx.update(linkCodes).set({ used_by: usedBy }).where(hasHash(hash));
}

export async function countWrongCodes(
  tx: Transaction,
  account: string,
  since: Date,
): Promise<number> {
  const [tries] = await tx
    .select({ wrong: linkTries.wrong })
    .from(linkTries)
    .where(and(eq(linkTries.account, account), gt(linkTries.since, since)));
  return tries?.wrong ?? 0;
}

/** The first after `since` restarts the count. */
export async function recordWrongCode(
  tx: Transaction,
  account: string,
  { since, now }: { since: Date; now: Date },
): Promise<void> {
  const isSameWindow = gt(linkTries.since, since);
  await tx
    .insert(linkTries)
    .values({ account, since: now, wrong: 1 })
    .onConflictDoUpdate({
      target: linkTries.account,
      set: {
        wrong: sql`case when ${isSameWindow} then ${linkTries.wrong} + 1 else 1 end`,
        since: sql`case when ${isSameWindow} then ${linkTries.since} else excluded.since end`,
      },
    });
}
