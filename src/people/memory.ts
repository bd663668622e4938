// What people asked to keep: kept, shown and forgotten by their own words, on any surface. In a chat with one person it is that
// person's; where others read along it is the channel's, and what a person keeps alone is neither shown nor used.
import { memoryWords } from '#cards/memory-words.ts';
import { recordDeeds } from '#db/audit.ts';
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { isOnePerson } from '#db/identities.ts';
import {
  changeMemory,
  deleteMemory,
  type MemoryOwner,
  ownerOfConversation,
  ownerOfPerson,
  readMemory,
  storeMemory,
} from '#db/memory.ts';
import { lockConversation } from '#db/messages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  type MemoryEntry,
  type MemoryNote,
  type MemoryPlace,
  type MemorySource,
  tidyNote,
} from '#domain/people/memory.ts';
import { writeNote } from '#domain/people/memory-note.ts';
import { findMeant, readMemoryPhrase } from './memory-words.ts';

/** Whose memory counts in a conversation when `user` speaks, and whose what they keep there is. */
async function readOwners(
  db: Queryable,
  conversation: string,
  user: string,
): Promise<{ keeps: MemoryOwner; sees: MemoryOwner[]; shared: boolean }> {
  const { shared, ...place } = await ownerOfConversation(db, conversation);
  if (shared) return { keeps: place, sees: [place], shared };
  const own = await ownerOfPerson(db, user);
  return { keeps: own, sees: [own, place], shared };
}

/** What counts in a conversation when `user` speaks, the newest first. */
async function readMemoryIn(
  db: Queryable,
  conversation: string,
  user: string,
): Promise<MemoryEntry[]> {
  return readMemory(db, (await readOwners(db, conversation, user)).sees);
}

/** Characters of it in a briefing. */
const briefAtMost = 2000;

/**
 * As much of it as a briefing holds, the newest first.
 * @param ownWords the person speaks themselves; what they keep alone is used for nobody else
 */
export async function readMemoryBrief(
  db: Queryable,
  { conversation, user }: { conversation: string; user: string },
  ownWords: boolean,
): Promise<Pick<MemoryEntry, 'id' | 'name' | 'text'>[]> {
  const all = await readMemoryIn(db, conversation, user);
  let left = briefAtMost;
  return all.flatMap(({ id, name, text, scope }) => {
    left -= writeNote({ name, text }).length;
    return left < 0 || (scope === 'person' && !ownWords) ? [] : [{ id, name, text }];
  });
}

/** Keeps notes and forgets entries in a conversation, each once. @returns what there is to say; null: nothing */
export async function changeMemoryIn(
  tx: Transaction,
  { conversation, user }: { conversation: string; user: string },
  { keep, forget }: { keep: MemoryNote[]; forget: number[] },
  source: MemorySource,
): Promise<string | null> {
  if (keep.length + forget.length === 0) return null;
  await lockConversation(tx, conversation);
  const { keeps, sees } = await readOwners(tx, conversation, user);
  const forgotten = await deleteMemory(tx, sees, forget);
  const kept: MemoryEntry[] = [];
  for (const note of keep) {
    const entry = await storeMemory(tx, keeps, tidyNote(note), source);
    if (entry !== null) kept.push(entry);
  }
  const said = [
    ...(forgotten.length > 0 ? [memoryWords.forgotten({ entries: forgotten })] : []),
    ...(kept.length > 0 ? [memoryWords.kept({ entries: kept })] : []),
    ...(kept.length < keep.length ? [memoryWords.full] : []),
  ];
  return said.length === 0 ? null : said.join('\n');
}

/** Does what a message says about memory. @returns what there is to say */
export type MemoryWish = (tx: Transaction, message: number | null) => Promise<string>;

/** null: the message says nothing about memory, or something else as well. */
export async function readMemoryWish(
  db: Queryable,
  conversation: string,
  user: string,
  text: string,
): Promise<MemoryWish | null> {
  const phrase = readMemoryPhrase(text);
  if (phrase === null) return null;
  const place = { conversation, user };
  switch (phrase.kind) {
    case 'list':
      return async (tx) => {
        const { sees, shared } = await readOwners(tx, conversation, user);
        return memoryWords.list({ entries: await readMemory(tx, sees), shared });
      };
    case 'keep': {
      const note = { text: phrase.text, name: null };
      return async (tx, message) => {
        const source: MemorySource = { kind: 'said', message };
        const said = await changeMemoryIn(tx, place, { keep: [note], forget: [] }, source);
        return said ?? memoryWords.full;
      };
    }
    case 'forget': {
      const { what } = phrase;
      const meant = findMeant(await readMemoryIn(db, conversation, user), what);
      const id = Number(what.replace(/^#/, ''));
      // What is not in there may be about anything: it is for the planner.
      if (meant.length === 0)
        return Number.isInteger(id) ? async () => memoryWords.unknown({ id }) : null;
      if (meant.length > 1) return async () => memoryWords.which({ entries: meant });
      return async (tx) => {
        const ids = meant.map((entry) => entry.id);
        const source: MemorySource = { kind: 'said', message: null };
        const said = await changeMemoryIn(tx, place, { keep: [], forget: ids }, source);
        return said ?? memoryWords.forgotten({ entries: meant });
      };
    }
    default:
      return phrase satisfies never;
  }
}

// The same as a list that a person edits: in settings, in a terminal, over HTTP.

async function requireOwner(
  db: Queryable,
  { user, conversation }: MemoryPlace,
  actor: Actor,
): Promise<MemoryOwner> {
  if (actor.kind !== 'person' || !(await isOnePerson(db, actor.id, user)))
    throw new CountersignError(
      'not_allowed',
      `Only ${user} can change what I remember for ${user}.`,
    );
  if (conversation === undefined) return ownerOfPerson(db, user);
  const { scope, owners } = await ownerOfConversation(db, conversation);
  return { scope, owners };
}

function noSuchEntry(id: number): CountersignError {
  return new CountersignError('not_found', memoryWords.unknown({ id }));
}

async function changeAsPerson<T>(
  { db }: { db: Database },
  place: MemoryPlace,
  actor: Actor,
  action: 'remember' | 'forget',
  change: (tx: Transaction, owner: MemoryOwner) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const owner = await requireOwner(tx, place, actor);
    const done = await change(tx, owner);
    await recordDeeds(tx, [{ planId: null, actor, action, data: { scope: owner.scope } }]);
    return done;
  });
}

export async function listMemory(
  { db }: { db: Database },
  place: MemoryPlace,
  actor: Actor,
): Promise<MemoryEntry[]> {
  return readMemory(db.query, [await requireOwner(db.query, place, actor)]);
}

/** @throws `limit_exceeded` where there is no room */
export function keepMemory(
  context: { db: Database },
  place: MemoryPlace,
  note: MemoryNote,
  actor: Actor,
): Promise<MemoryEntry> {
  return changeAsPerson(context, place, actor, 'remember', async (tx, owner) => {
    const entry = await storeMemory(tx, owner, tidyNote(note), { kind: 'set' });
    if (entry === null) throw new CountersignError('limit_exceeded', memoryWords.full);
    return entry;
  });
}

/** @throws `not_found` for an entry that is not theirs */
export function editMemory(
  context: { db: Database },
  place: MemoryPlace,
  id: number,
  note: MemoryNote,
  actor: Actor,
): Promise<MemoryEntry> {
  return changeAsPerson(context, place, actor, 'remember', async (tx, owner) => {
    const entry = await changeMemory(tx, owner, id, tidyNote(note));
    if (entry === null) throw noSuchEntry(id);
    return entry;
  });
}

/** @throws `not_found` for an entry that is not theirs */
export function forgetMemory(
  context: { db: Database },
  place: MemoryPlace,
  id: number,
  actor: Actor,
): Promise<MemoryEntry> {
  return changeAsPerson(context, place, actor, 'forget', async (tx, owner) => {
    const [entry] = await deleteMemory(tx, [owner], [id]);
    if (entry === undefined) throw noSuchEntry(id);
    return entry;
  });
}
