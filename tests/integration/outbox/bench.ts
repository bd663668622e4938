// Shared by delivery tests: posting instances and queries.
import { type SQL, sql } from 'drizzle-orm';
import { followPlan } from '#chat/outbox/deliver-jobs.ts';
import type { DeliveryRule } from '#chat/outbox/delivery-context.ts';
import { createEnqueue, openBoss } from '#db/boss.ts';
import type { ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import type { Planner } from '#domain/planning/run.ts';
import { speakAsBot } from '#messages/store-message.ts';
import type { Platform } from '../../fixtures/chat-platform.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { createSharing } from '../../setup/share.ts';
import { waitFor } from '../../wait.ts';

const quickRule: Partial<DeliveryRule> = {
  backoffMs: 20,
  longestBackoffMs: 40,
  leaseSeconds: 3,
  callWithinMs: 1000,
  paceMs: 100,
  redrawAfterMs: 100,
};

type Posting = {
  platform: () => Platform;
  rule?: Partial<DeliveryRule>;
  planner?: Planner;
};

export function openPostingInstance(
  url: string,
  { platform, rule, planner }: Posting,
): Promise<TestInstance> {
  const port: ChatPort = {
    post: (...call) => platform().port.post(...call),
    update: (...call) => platform().port.update(...call),
    whisper: (...call) => platform().port.whisper(...call),
    queueProgress: async () => platform().progressInMs,
  };
  return openTestInstance(url, {
    ...(planner === undefined ? {} : { planner }),
    chatPorts: { slack: port, teams: port },
    deliveryRule: { ...quickRule, ...rule },
  });
}

// Reused if the previous test's rule is the same.
export const usePostingInstance = createSharing(
  async (url: string, options: Posting & { own?: boolean }) => {
    const instance = await openPostingInstance(url, options);
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= instance.close();
      return closing;
    };
    return { ...instance, close };
  },
  async () => {},
);

export function open({ db, openConversation }: TestInstance, place: ChatPlace): Promise<string> {
  return db.transaction((tx) => openConversation(tx, place));
}

// A new platform would get earlier cards posted again.
export async function forgetPosts({ db }: TestInstance): Promise<void> {
  // TRUNCATE could deadlock with a working instance.
  for (const table of ['chat_posts', 'chat_places'])
    await db.query.execute(sql`delete from countersign.${sql.identifier(table)}`);
}

const nothingWaits = sql`not exists (select from countersign.chat_places
  where (asked > answered or due_at is not null or holder is not null) and broken is null)`;
const everyPlanIsNotified = sql`not exists (select from pgboss.job
  where name = 'card' and state < 'completed' and start_after <= clock_timestamp())`;

function holds({ db }: TestInstance, condition: SQL): Promise<true> {
  const probe = async () => {
    const { rows } = await db.query.execute<{ holds: boolean }>(sql`select ${condition} as holds`);
    return rows[0]?.holds;
  };
  return waitFor('everything to be delivered', probe, { timeoutMs: 20_000 });
}

// Ignores pending progress.
export function delivered(instance: TestInstance): Promise<true> {
  return holds(instance, sql`${nothingWaits} and ${everyPlanIsNotified}`);
}

// A killed worker's card job returns only after a minute.
export function deliveredByWorkers(instance: TestInstance): Promise<true> {
  return holds(instance, nothingWaits);
}

export type Speaker = {
  say(conversation: string, texts: string[], planId?: string): Promise<void>;
  rename(planId: string, title: string): Promise<void>;
  close(): Promise<void>;
};

export async function openSpeaker({ db, listener }: TestInstance): Promise<Speaker> {
  const boss = await openBoss(db, listener, { work: false, onError: () => {} });
  const enqueue = createEnqueue(boss);
  return {
    async say(conversation, texts, planId) {
      for (const text of texts) {
        const message = { conversation, says: text, planId: planId ?? null };
        await db.transaction((tx) => speakAsBot({ enqueue }, tx, message));
      }
    },
    async rename(planId, title) {
      await db.query.execute(
        sql`update countersign.plans set title = ${title} where id = ${planId}`,
      );
      await followPlan({ db, enqueue }, planId);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

export const countRows = async (
  { db }: TestInstance,
  conversation: string,
  state: string,
): Promise<number> => {
  const { rows } = await db.query.execute<{ n: number }>(
    sql`select count(*)::int as n from countersign.chat_posts where conversation = ${conversation} and state = ${state}`,
  );
  return rows[0]?.n ?? 0;
};
