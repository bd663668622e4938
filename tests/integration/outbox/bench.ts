// Shared by delivery tests: instances that post to a platform, and queries of its tables.
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

/** Short waits; a round handles late messages. */
const quickRule: Partial<DeliveryRule> = {
  backoffMs: 20,
  longestBackoffMs: 40,
  leaseSeconds: 3,
  callWithinMs: 1000,
  paceMs: 100,
  redrawAfterMs: 100,
};

type Posting = {
  /** The target platform, read at each call, so that each test can replace it. */
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

/** An instance that posts by a rule: the one of the test before, if that had the same. */
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

/** For a test with its own platform: that lacks earlier tests' messages, so their cards would be posted again. */
export async function forgetPosts({ db }: TestInstance): Promise<void> {
  // Not truncated: an instance that works meanwhile locks these tables in its own order.
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

/** Waits until no plan has changes to post except progress, which comes later, and nothing is left to post or draw. */
export function delivered(instance: TestInstance): Promise<true> {
  return holds(instance, sql`${nothingWaits} and ${everyPlanIsNotified}`);
}

/** Waits until nothing is left to post or draw, even if a killed worker's card job returns only after a minute. */
export function deliveredByWorkers(instance: TestInstance): Promise<true> {
  return holds(instance, nothingWaits);
}

export type Speaker = {
  say(conversation: string, texts: string[], planId?: string): Promise<void>;
  /** Renames the plan and updates its cards. */
  rename(planId: string, title: string): Promise<void>;
  close(): Promise<void>;
};

/** Queues the bot's messages from a process that posts nothing. */
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
