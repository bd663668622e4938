// Reminders: stored once, rung when due, booked again until their rule ends.
import { and, eq, isNotNull, lte } from 'drizzle-orm';
import { showName } from '#store/person-names.ts';
import { reminders } from '#store/schema.ts';
import { nextOccurrences } from '#timeline/recurrence.ts';
import type { NewReminder } from '#tools/ports.ts';
import type { ConversationContext } from './conversation-context.ts';
import { speakAsBot } from './speak.ts';

/** Stores a reminder and books its first ring; a second call with the same id changes nothing. */
export async function setReminder(
  { db, enqueue }: Pick<ConversationContext, 'db' | 'enqueue'>,
  reminder: NewReminder,
): Promise<void> {
  await db.transaction(async (tx) => {
    const added = await tx
      .insert(reminders)
      .values({
        id: reminder.id,
        plan_id: reminder.planId,
        user: reminder.user,
        conversation: reminder.conversation,
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

/** Where a reminder without a conversation is said. */
function conversationOf(reminder: { conversation: string | null; user: string }): string {
  return reminder.conversation ?? `reminders:${reminder.user}`;
}

/** Rings every reminder that is due. Each occurrence rings once, whoever else is at it. */
export async function ringReminders(context: ConversationContext): Promise<void> {
  const { db, enqueue, clock } = context;
  await db.transaction(async (tx) => {
    const now = clock.now();
    const due = await tx
      .select()
      .from(reminders)
      .where(and(isNotNull(reminders.next_at), lte(reminders.next_at, now)))
      .limit(remindersATurn)
      .for('update', { skipLocked: true });
    // In one order everywhere: saying something locks its conversation.
    due.sort((a, b) => (conversationOf(a) < conversationOf(b) ? -1 : 1));
    for (const reminder of due) {
      const { rrule, timezone } = reminder;
      const [next = null] =
        rrule === null
          ? []
          : nextOccurrences({ rrule, timezone, startsAt: reminder.starts_at }, now, 1);
      await speakAsBot(context, tx, {
        conversation: conversationOf(reminder),
        text: `Reminder for ${await showName(tx, reminder.user)}: ${reminder.text}`,
        once: `reminder:${reminder.id}:${reminder.next_at?.toISOString()}`,
      });
      await tx.update(reminders).set({ next_at: next }).where(eq(reminders.id, reminder.id));
      if (next !== null) await enqueue(tx, 'remind', {}, { startAfter: next });
    }
  });
}
