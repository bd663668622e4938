// Reminders: stored once, sent when due, scheduled until their rule ends.
import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { readTenantsOf, showName } from '#db/people/identities.ts';
import { comesAfter, createPages, type PageCursor } from '#db/plans/waiting.ts';
import { reminders } from '#db/schema.ts';
import { isoOf } from '#db/time.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { nextOccurrences } from '#timeline/recurrence.ts';
import type { NewReminder } from '#tools/ports.ts';

const readTenantOf = async (db: Queryable, id: string) =>
  (await readTenantsOf(db, [id])).get(id) ?? null;

/** Idempotent by ID. */
export async function setReminder(
  { db, enqueue }: Pick<ConversationContext, 'db' | 'enqueue'>,
  reminder: NewReminder,
): Promise<void> {
  await db.transaction(async (tx) => {
    const tenant = reminder.planId === null ? null : await readTenantOf(tx, reminder.planId);
    const added = await tx
      .insert(reminders)
      .values({
        id: reminder.id,
        plan_id: reminder.planId,
        user: reminder.user,
        conversation: reminder.conversation ?? conversationFor(reminder.user, tenant),
        text: reminder.text,
        rrule: reminder.rrule,
        timezone: reminder.timezone,
        starts_at: reminder.startsAt,
        next_at: reminder.nextAt,
      })
      .onConflictDoNothing()
      .returning({ id: reminders.id });
    if (added.length > 0) await enqueue(tx, 'remind', {}, { startAfter: reminder.nextAt });
  });
}

const remindersATurn = 100;

function conversationFor(user: string, tenant: string | null): string {
  return tenant === null ? `reminders:${user}` : `reminders:${tenant}:${user}`;
}

const isDue = (now: Date) => and(isNotNull(reminders.next_at), lte(reminders.next_at, now));

type Due = PageCursor & { id: string };

function findDue(
  db: Queryable,
  now: Date,
  limit: number,
  after: PageCursor | null,
): Promise<Due[]> {
  const { id, next_at } = reminders;
  return db
    .select({ id, name: id, since: sql<string>`${isoOf(sql`${next_at}`, 'microseconds')}` })
    .from(reminders)
    .where(and(isDue(now), comesAfter(sql`${next_at}`, sql`${id}`, after)))
    .orderBy(asc(next_at), asc(id))
    .limit(limit);
}

async function ring(
  { db, enqueue, clock }: Pick<ConversationContext, 'db' | 'enqueue' | 'clock'>,
  id: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const now = clock.now();
    const [reminder] = await tx
      .select()
      .from(reminders)
      .where(and(eq(reminders.id, id), isDue(now)))
      .for('update', { skipLocked: true });
    if (reminder === undefined) return;
    const { rrule, timezone } = reminder;
    const [next = null] =
      rrule === null
        ? []
        : nextOccurrences({ rrule, timezone, startsAt: reminder.starts_at }, now, 1);
    await speakAsBot({ enqueue }, tx, {
      conversation: reminder.conversation ?? conversationFor(reminder.user, null),
      tenant: reminder.plan_id === null ? null : await readTenantOf(tx, reminder.plan_id),
      says: `Reminder for ${await showName(tx, reminder.user)}: ${reminder.text}`,
      once: `reminder:${reminder.id}:${reminder.next_at?.toISOString()}`,
    });
    await tx.update(reminders).set({ next_at: next }).where(eq(reminders.id, reminder.id));
    if (next !== null) await enqueue(tx, 'remind', {}, { startAfter: next });
  });
}

/** Up to `limit` due ones. Each occurrence rings once across processes. */
export function createRinging(
  context: Pick<ConversationContext, 'db' | 'enqueue' | 'clock' | 'warn'>,
  limit = remindersATurn,
): () => Promise<void> {
  const { db, clock, warn } = context;
  const nextDue = createPages(limit, (most, after) => findDue(db.query, clock.now(), most, after));
  return async () => {
    for (const { id } of await nextDue()) {
      await ring(context, id).catch((error: unknown) =>
        warn(`Could not send reminder ${id}; retrying.`, error),
      );
    }
  };
}
