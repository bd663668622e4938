// Follows a plan or conversation by NOTIFY and polling.
import { writeAboveCard } from '#cards/message-text.ts';
import { readMessages } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import type { Listener, Topic } from '#db/notify.ts';
import { readActivity } from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readDiff } from '#db/steps/events.ts';
import { createGate } from '#domain/gate.ts';
import type { Change } from '#domain/plan/views.ts';
import type { ConversationEvent, Message } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';

const lookEveryMs = 2000;
const pageSize = 500;

/** After an ID, as a reader sees them. */
export async function listMessages(
  db: Queryable,
  conversation: string,
  options: { after?: number; limit: number },
): Promise<Message[]> {
  const stored = await readMessages(db, conversation, options);
  return stored.map(({ parts, once: _, ...message }) => ({
    ...message,
    above_card: writeAboveCard(parts, message.text),
  }));
}

/** At once, when notified, and every two seconds in case one was lost. */
async function* turns(
  listener: Listener,
  topics: Topic[],
  signal: AbortSignal,
): AsyncGenerator<void> {
  let wake = () => {};
  let woken = true;
  const offs = topics.map((topic) =>
    listener.on(topic, () => {
      woken = true;
      wake();
    }),
  );
  const stop = () => wake();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      woken = false;
      yield;
      if (woken || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookEveryMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (woken) wake();
      });
    }
  } finally {
    for (const off of offs) off();
    signal.removeEventListener('abort', stop);
  }
}

/** Connections for all streams: many moving plans must not delay people's requests. */
const readersAtOnce = 2;

export function createPlanWatch({ db, listener }: Pick<ConversationContext, 'db' | 'listener'>) {
  const whenFree = createGate(readersAtOnce);

  /** Since a revision, in pages. @throws `plan_not_found` */
  return async function* watchPlan(
    planId: string,
    since: number,
    signal: AbortSignal,
  ): AsyncGenerator<Change[]> {
    await readPlanRow(db.query, planId);
    let last = since;
    for await (const _ of turns(listener, [`plan:${planId}`], signal)) {
      for (let more = true; more && !signal.aborted; ) {
        const diff = await whenFree(() => readDiff(db.query, planId, last, pageSize));
        last = diff.to;
        more = diff.more;
        if (diff.changes.length > 0) yield diff.changes;
      }
    }
  };
}

/** Planning activity too. */
export async function* watchConversation(
  { db, listener }: ConversationContext,
  conversation: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent[]> {
  const topics: Topic[] = [`conversation:${conversation}`, `activity:${conversation}`];
  let last = after;
  let shown: string | null = null;
  for await (const _ of turns(listener, topics, signal)) {
    for (let more = true; more && !signal.aborted; ) {
      const page = await listMessages(db.query, conversation, { after: last, limit: pageSize });
      last = page.at(-1)?.id ?? last;
      more = page.length === pageSize;
      if (page.length > 0) yield page.map((message) => ({ kind: 'message', message }));
    }
    // After the messages: an answer in between ends the activity.
    const planning = (await readActivity(db.query, conversation))?.planning ?? null;
    const text = JSON.stringify(planning);
    if (text !== shown) yield [{ kind: 'planning', planning }];
    shown = text;
  }
}
