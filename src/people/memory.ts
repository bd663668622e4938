// Saved notes: a person's in private chats, the channel's in shared ones.
import { memoryWords } from '#cards/memory-words.ts';
import { recordAudit } from '#db/audit/audit.ts';
import { lockConversation } from '#db/chat/messages.ts';
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { isOnePerson } from '#db/people/identities.ts';
import {
  changeMemory,
  deleteMemory,
  type MemoryOwner,
  ownerOfConversation,
  ownerOfPerson,
  readMemory,
  storeMemory,
} from '#db/people/memory.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  type MemoryEntry,
  type MemoryNote,
  type MemorySource,
  tidyNote,
} from '#domain/people/memory.ts';
import { memoryLimits, writeNote } from '#domain/people/memory-note.ts';
import { findMeant, readMemoryPhrase } from './memory-words.ts';

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

async function readMemoryIn(
  db: Queryable,
  conversation: string,
  user: string,
): Promise<MemoryEntry[]> {
  return readMemory(db, (await readOwners(db, conversation, user)).sees);
}

/** Characters. */
const maxBrief = 2000;

/** @param ownWords the person speaks themselves: their private memory serves only them */
export async function readMemoryBrief(
  db: Queryable,
  { conversation, user }: { conversation: string; user: string },
  ownWords: boolean,
): Promise<Pick<MemoryEntry, 'id' | 'name' | 'text'>[]> {
  const all = await readMemoryIn(db, conversation, user);
  let left = maxBrief;
  return all.slice(0, memoryLimits.entries).flatMap(({ id, name, text, scope }) => {
    left -= writeNote({ name, text }).length;
    return left < 0 || (scope === 'person' && !ownWords) ? [] : [{ id, name, text }];
  });
}

type Spoken = { conversation: string; user: string };

/** @returns null if there is no room */
async function keepNote(
  tx: Transaction,
  owner: MemoryOwner,
  note: MemoryNote,
  source: MemorySource,
  actor: Actor,
): Promise<MemoryEntry | null> {
  const entry = await storeMemory(tx, owner, tidyNote(note), source);
  if (entry !== null) await recordChange(tx, [entry], 'remember', actor);
  return entry;
}

async function dropEntries(
  tx: Transaction,
  owners: MemoryOwner[],
  ids: number[],
  actor: Actor,
): Promise<MemoryEntry[]> {
  const dropped = await deleteMemory(tx, owners, ids);
  await recordChange(tx, dropped, 'forget', actor);
  return dropped;
}

function recordChange(
  tx: Transaction,
  entries: MemoryEntry[],
  action: 'remember' | 'forget',
  actor: Actor,
): Promise<void> {
  const auditEntries = entries.map(({ id, scope }) => {
    return { planId: null, actor, action, data: { entry: id, scope } };
  });
  return recordAudit(tx, auditEntries);
}

export async function keepNotesIn(
  tx: Transaction,
  { conversation, user }: Spoken,
  notes: MemoryNote[],
  source: MemorySource,
  actor: Actor,
): Promise<string> {
  await lockConversation(tx, conversation);
  const { keeps } = await readOwners(tx, conversation, user);
  const kept: MemoryEntry[] = [];
  const refused: MemoryNote[] = [];
  for (const note of notes) {
    const entry = await keepNote(tx, keeps, note, source, actor);
    if (entry === null) refused.push(note);
    else kept.push(entry);
  }
  return memoryWords.told({ kept, refused });
}

export type MemoryRequest = (tx: Transaction, message: number | null) => Promise<string>;

/** Null unless the message is a memory command and nothing else. */
export async function readMemoryRequest(
  db: Queryable,
  { conversation, user }: Spoken,
  text: string,
  actor: Actor,
): Promise<MemoryRequest | null> {
  const phrase = readMemoryPhrase(text);
  if (phrase === null) return null;
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
        return keepNotesIn(tx, { conversation, user }, [note], source, actor);
      };
    }
    case 'forget': {
      const { what } = phrase;
      const meant = findMeant(await readMemoryIn(db, conversation, user), what);
      const id = Number(what.replace(/^#/, ''));
      // An unknown text may be about anything: leave it to the planner.
      if (meant.length === 0)
        return Number.isInteger(id) ? async () => memoryWords.unknown({ id }) : null;
      if (meant.length > 1) return async () => memoryWords.which({ entries: meant });
      return async (tx) => {
        const { sees } = await readOwners(tx, conversation, user);
        const ids = meant.map((entry) => entry.id);
        await dropEntries(tx, sees, ids, actor);
        return memoryWords.forgotten({ entries: meant });
      };
    }
    default:
      return phrase satisfies never;
  }
}

async function requireOwner(db: Queryable, user: string, actor: Actor): Promise<MemoryOwner> {
  if (actor.kind !== 'person' || !(await isOnePerson(db, actor.id, user)))
    throw new CountersignError(
      'not_allowed',
      `Only ${user} can see or change what I remember for ${user}.`,
    );
  return ownerOfPerson(db, user);
}

function noSuchEntry(id: number): CountersignError {
  return new CountersignError('not_found', memoryWords.unknown({ id }));
}

export async function listMemory(
  { db }: { db: Database },
  user: string,
  actor: Actor,
): Promise<MemoryEntry[]> {
  return readMemory(db.query, [await requireOwner(db.query, user, actor)]);
}

/** @throws `limit_exceeded` if there is no room */
export function keepMemory(
  { db }: { db: Database },
  user: string,
  note: MemoryNote,
  actor: Actor,
): Promise<MemoryEntry> {
  return db.transaction(async (tx) => {
    const owner = await requireOwner(tx, user, actor);
    const entry = await keepNote(tx, owner, note, { kind: 'set' }, actor);
    if (entry === null)
      throw new CountersignError('limit_exceeded', memoryWords.full({ notes: [note] }));
    return entry;
  });
}

/** @throws `not_found` for an entry that isn't theirs */
export function editMemory(
  { db }: { db: Database },
  user: string,
  id: number,
  note: MemoryNote,
  actor: Actor,
): Promise<MemoryEntry> {
  return db.transaction(async (tx) => {
    const owner = await requireOwner(tx, user, actor);
    const entry = await changeMemory(tx, owner, id, tidyNote(note));
    if (entry === null) throw noSuchEntry(id);
    await recordChange(tx, [entry], 'remember', actor);
    return entry;
  });
}

/** @throws `not_found` for an entry that isn't theirs */
export function forgetMemory(
  { db }: { db: Database },
  user: string,
  id: number,
  actor: Actor,
): Promise<MemoryEntry> {
  return db.transaction(async (tx) => {
    const owner = await requireOwner(tx, user, actor);
    const [entry] = await dropEntries(tx, [owner], [id], actor);
    if (entry === undefined) throw noSuchEntry(id);
    return entry;
  });
}
