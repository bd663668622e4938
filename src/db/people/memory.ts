// Saved notes, each under the name it was saved by.
import { and, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { conversationAt } from '#domain/chat/chat.ts';
import {
  type MemoryEntry,
  type MemoryNote,
  type MemoryScope,
  type MemorySource,
  replaces,
} from '#domain/people/memory.ts';
import { memoryLimits } from '#domain/people/memory-note.ts';
import { isAlone } from '../chat/alone.ts';
import type { Queryable, Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { chatPlaces, memory } from '../schema.ts';
import { readNamesOf } from './identities.ts';

/** The first owns new entries. */
export type MemoryOwner = { scope: MemoryScope; owners: [string, ...string[]] };

export async function ownerOfPerson(db: Queryable, user: string): Promise<MemoryOwner> {
  const names = (await readNamesOf(db, [user])).map(({ name }) => name);
  return { scope: 'person', owners: [user, ...names.filter((name) => name !== user).sort()] };
}

/** Shared by all threads of a channel. `shared` unless a chat with the bot alone or off any platform. */
export async function ownerOfConversation(
  db: Queryable,
  conversation: string,
): Promise<MemoryOwner & { shared: boolean }> {
  const { platform, tenant, channel } = chatPlaces;
  const [place] = await db
    .select({
      ...{ platform, tenant, channel },
      alone: isAlone(sql`${chatPlaces}`),
    })
    .from(chatPlaces)
    .where(eq(chatPlaces.conversation, conversation));
  if (place === undefined) return { scope: 'conversation', owners: [conversation], shared: false };
  const { alone, ...rest } = place;
  const whole = conversationAt({ ...rest, thread: null });
  return { scope: 'conversation', owners: [whole], shared: !alone };
}

const isOf = ({ scope, owners }: MemoryOwner): SQL | undefined =>
  and(eq(memory.scope, scope), inArray(memory.owner, owners));

function toEntry({ owner: _, created_at, ...row }: typeof memory.$inferSelect): MemoryEntry {
  return { ...row, created_at: created_at.toISOString() };
}

export async function readMemory(db: Queryable, of: MemoryOwner[]): Promise<MemoryEntry[]> {
  if (of.length === 0) return [];
  const rows = await db
    .select()
    .from(memory)
    .where(or(...of.map(isOf)))
    .orderBy(desc(memory.created_at), desc(memory.id));
  return rows.map(toEntry);
}

async function lockMemory(tx: Transaction, { scope, owners }: MemoryOwner): Promise<void> {
  const [first] = owners.toSorted();
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${schemaName} memory ${scope} ${first}`}, 0))`,
  );
}

/** Replaces the one it supersedes. @returns null if there is no room */
export async function storeMemory(
  tx: Transaction,
  of: MemoryOwner,
  note: MemoryNote,
  source: MemorySource,
): Promise<MemoryEntry | null> {
  await lockMemory(tx, of);
  const there = await readMemory(tx, [of]);
  const before = there.find((entry) => replaces(note, entry));
  if (before !== undefined) {
    const [row] = await tx
      .update(memory)
      .set({ ...note, source, created_at: sql`clock_timestamp()` })
      .where(eq(memory.id, before.id))
      .returning();
    if (row !== undefined) return toEntry(row);
  }
  if (there.length >= memoryLimits.entries) return null;
  const { scope, owners } = of;
  const [row] = await tx
    .insert(memory)
    .values({ scope, owner: owners[0], ...note, source })
    .returning();
  return row === undefined ? null : toEntry(row);
}

/** Also replaces any other that it supersedes. @returns null if none is theirs */
export async function changeMemory(
  tx: Transaction,
  of: MemoryOwner,
  id: number,
  note: MemoryNote,
): Promise<MemoryEntry | null> {
  await lockMemory(tx, of);
  const there = await readMemory(tx, [of]);
  if (!there.some((entry) => entry.id === id)) return null;
  const replaced = there.filter((entry) => entry.id !== id && replaces(note, entry));
  await deleteMemory(
    tx,
    [of],
    replaced.map((entry) => entry.id),
  );
  const [row] = await tx
    .update(memory)
    .set({ ...note, source: { kind: 'set' } })
    .where(and(eq(memory.id, id), isOf(of)))
    .returning();
  return row === undefined ? null : toEntry(row);
}

export async function deleteMemory(
  tx: Transaction,
  of: MemoryOwner[],
  ids: number[],
): Promise<MemoryEntry[]> {
  if (ids.length === 0 || of.length === 0) return [];
  const rows = await tx
    .delete(memory)
    .where(and(inArray(memory.id, ids), or(...of.map(isOf))))
    .returning();
  return rows.map(toEntry);
}
