// Messages of a conversation, unique by `once`.
// IDs grow in order of visibility, so reading on from an ID misses none.
import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { type MessageParts, readParts, textParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import { personKey } from '#domain/people/names.ts';
import type { AskedQuestion } from '#domain/planning/asked-question.ts';
import type { Message } from '#domain/service.ts';
import { prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { notify } from '../notify.ts';
import { countersign } from '../schema/columns.ts';
import { messages, runs } from '../schema.ts';

export type NewMessage = {
  conversation: string;
  author: 'person' | 'bot';
  name: string;
  text: string;
  parts?: MessageParts;
  runId?: string | null;
  planId?: string | null;
  /** Defaults to that of the run or plan. */
  tenant?: string | null;
  once?: string;
};

/** May repeat. Lock order: plan, run, conversation, place; lock the place first if it is needed later. */
export async function lockConversation(tx: Transaction, conversation: string): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${schemaName} conversation ${conversation}`}, 0))`,
  );
}

export const conversationNotFound = (id: string) =>
  new CountersignError(
    'not_found',
    `There is no conversation ${id}. Check the ID in the list of conversations.`,
  );

/** The first message sets it: the sender's, otherwise the subject's. */
function tenantOf({ conversation, tenant, runId, planId }: NewMessage): SQL {
  return sql`coalesce(
    (select m.tenant from ${countersign}.messages m where m.conversation = ${conversation} order by m.id limit 1),
    ${tenant ?? null}::text,
    (select r.tenant from ${countersign}.runs r where r.id = ${runId ?? null}),
    (select p.tenant from ${countersign}.plans p where p.id = ${planId ?? null}))`;
}

/** Locks the conversation. @returns null if the key exists @throws `not_found` if another organisation wrote first */
export async function appendMessage(tx: Transaction, message: NewMessage): Promise<number | null> {
  const { conversation, tenant = null } = message;
  await lockConversation(tx, conversation);
  const [added] = await tx
    .insert(messages)
    .values({
      conversation,
      tenant: tenantOf(message),
      run_id: message.runId ?? null,
      author: message.author,
      name: message.name,
      text: message.text,
      parts: message.parts ?? textParts,
      plan_id: message.planId ?? null,
      once: message.once ?? null,
    })
    .onConflictDoNothing()
    .returning({ id: messages.id, tenant: messages.tenant });
  if (added === undefined) return null;
  if (tenant !== null && added.tenant !== tenant) throw conversationNotFound(conversation);
  await notify(tx, `conversation:${conversation}`);
  return added.id;
}

const { tenant: _tenant, ...columns } = getTableColumns(messages);

export type StoredMessage = Omit<Message, 'above_card'> & {
  parts: MessageParts | null;
  once: string | null;
};

const toMessage = (row: Omit<typeof messages.$inferSelect, 'tenant'>): StoredMessage => ({
  ...row,
  parts: readParts(row.parts),
  created_at: row.created_at.toISOString(),
});

export async function findMessage(db: Queryable, once: string): Promise<StoredMessage | null> {
  const [row] = await db.select(columns).from(messages).where(eq(messages.once, once));
  return row === undefined ? null : toMessage(row);
}

export async function isShownIn(
  db: Queryable,
  conversation: string,
  planId: string,
): Promise<boolean> {
  const [row] = await db
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.plan_id, planId), eq(messages.conversation, conversation)))
    .limit(1);
  return row !== undefined;
}

const readingOn = prepareStatement(
  'read_messages',
  sql`
    select id, conversation, run_id, author, name, text, parts, plan_id, once, created_at
    from ${countersign}.messages
    where conversation = ${sql.placeholder('conversation')} and id > ${sql.placeholder('after')}::bigint
    order by id limit ${sql.placeholder('limit')}`,
);

export async function readMessages(
  db: Queryable,
  conversation: string,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<StoredMessage[]> {
  const rows = await db.run<Parameters<typeof toMessage>[0]>(readingOn, {
    conversation,
    after,
    limit,
  });
  return rows.map(toMessage);
}

const askingSpoken = prepareStatement(
  'is_spoken_in',
  sql`select exists (select from ${countersign}.messages where conversation = ${sql.placeholder('conversation')}) as spoken`,
);

/** Asked often: bots see every message of their channels. */
export async function isSpokenIn(
  db: Pick<Queryable, 'run'>,
  conversation: string,
): Promise<boolean> {
  const [row] = await db.run<{ spoken: boolean }>(askingSpoken, { conversation });
  return row?.spoken === true;
}

export async function readLatestMessages(
  db: Queryable,
  conversation: string,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await db
    .select(columns)
    .from(messages)
    .where(eq(messages.conversation, conversation))
    .orderBy(desc(messages.id))
    .limit(limit);
  return rows.reverse().map(toMessage);
}

/** Empty if it predates message parts. */
export async function readAsked(db: Queryable, id: number | null): Promise<AskedQuestion[]> {
  if (id === null) return [];
  const [row] = await db
    .select({ parts: messages.parts })
    .from(messages)
    .where(eq(messages.id, id));
  const parts = readParts(row?.parts);
  return parts?.kind === 'question' || parts?.kind === 'answer' ? parts.facts.questions : [];
}

/** Those of `names` (normalised) who wrote there, by conversation. */
export async function findSpeakers(
  db: Queryable,
  conversations: string[],
  names: string[],
): Promise<Map<string, Set<string>>> {
  if (conversations.length === 0 || names.length === 0) return new Map();
  const rows = await db
    .selectDistinct({ conversation: messages.conversation, name: messages.name })
    .from(messages)
    .where(and(inArray(messages.conversation, conversations), eq(messages.author, 'person')));
  const wanted = new Set(names);
  const speakers = new Map<string, Set<string>>();
  for (const { conversation, name } of rows) {
    const plain = personKey(name);
    if (!wanted.has(plain)) continue;
    speakers.set(conversation, (speakers.get(conversation) ?? new Set()).add(plain));
  }
  return speakers;
}

export async function readSpeakersBefore(
  db: Queryable,
  conversation: string,
  { id, minutes }: { id: number; minutes: number | null },
): Promise<string[]> {
  return db.values(sql`
    select distinct name from ${countersign}.messages
    where conversation = ${conversation} and author = 'person' and id < ${id}
      and (${minutes}::int is null or created_at >
        (select created_at from ${countersign}.messages where id = ${id}) - make_interval(mins => ${minutes}::int))`);
}

export async function readTextsOfRun(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db
    .select({ text: messages.text })
    .from(messages)
    .where(and(eq(messages.run_id, runId), eq(messages.author, 'person')))
    .orderBy(messages.id);
  return rows.map(({ text }) => text);
}

/** Messages while a run's turn was planned, after message `after` (0 for all). */
export function readJoined(
  db: Queryable,
  { id, turn }: { id: string; turn: number },
  after: number,
): Promise<{ id: number; name: string; text: string; user: string }[]> {
  const { id: message, name, text, parts } = messages;
  return db
    .select({ id: message, name, text, user: runs.user })
    .from(messages)
    .innerJoin(runs, eq(runs.id, messages.run_id))
    .where(
      and(
        eq(messages.run_id, id),
        gt(message, after),
        sql`${parts} -> 'facts' ->> 'joins' = ${String(turn)}`,
      ),
    )
    .orderBy(message)
    .limit(maxJoined);
}

const maxJoined = 20;

export async function readTextsAround(
  db: Queryable,
  runId: string,
  { id, conversation }: { id: number; conversation: string },
): Promise<{
  before: string | null;
  after: { name: string; text: string; created_at: string } | null;
}> {
  const matches = and(
    eq(messages.conversation, conversation),
    eq(messages.run_id, runId),
    eq(messages.author, 'person'),
  );
  const { name, text, created_at } = messages;
  const [before] = await db
    .select({ text })
    .from(messages)
    .where(and(matches, lt(messages.id, id)))
    .orderBy(desc(messages.id))
    .limit(1);
  const [after] = await db
    .select({ name, text, created_at })
    .from(messages)
    .where(and(matches, gt(messages.id, id)))
    .orderBy(asc(messages.id))
    .limit(1);
  return {
    before: before?.text ?? null,
    after: after === undefined ? null : { ...after, created_at: after.created_at.toISOString() },
  };
}
