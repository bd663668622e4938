// Slow or silent chat platforms: no duplicates, cards stay current.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryRule } from '#chat/outbox/delivery-context.ts';
import { readDeliveryState } from '#db/chat/places.ts';
import { maxSkewMs, settleCard } from '#db/chat/posts.ts';
import { isoOf } from '#db/time.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { openPlatform, type Platform } from '../../fixtures/chat-platform.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import {
  delivered,
  forgetPosts,
  open,
  openSpeaker,
  type Speaker,
  usePostingInstance,
} from './bench.ts';

const database = useDatabase();
let platform: Platform;
let gateway: TestInstance;
let speaker: Speaker;
let channel = 0;

const place = (): ChatPlace => ({
  ...{ platform: 'slack', tenant: 'T1', channel: `C${channel}`, thread: '1' },
});

beforeAll(async () => {
  gateway = await openTestInstance(database.url, { work: false });
  speaker = await openSpeaker(gateway);
});
beforeEach(async () => {
  channel += 1;
  platform = openPlatform();
  await forgetPosts(gateway);
});
afterAll(async () => {
  await speaker.close();
  await gateway.close();
});

const current = () => platform;
const work = (rule: Partial<DeliveryRule> = {}): Promise<TestInstance> =>
  usePostingInstance(database, { platform: current, rule });

const texts = () => platform.standing.map(({ content }) => content.text);
const cards = () => platform.standing.map(({ content }) => JSON.stringify(content.card));
const button = 'countersign:approve';

function propose(instance: TestInstance, conversation: string): Promise<Plan> {
  return instance.service.propose({ title: 'Rooms', steps: [noop('1')] }, { conversation }, ana);
}

const unanswered = () => new CountersignError('timed_out', 'No answer.', { passesAfterMs: 0 });

async function stateOf({ db }: TestInstance, conversation: string) {
  const { rows } = await db.query.execute<{ shown: string; state: string; error: string | null }>(
    sql`select shown, state, error from countersign.chat_posts where conversation = ${conversation} order by message_id limit 1`,
  );
  return rows[0];
}

describe('What the platform never answers', () => {
  test('for a card is said without it, and the card follows; nothing is held up', async () => {
    const instance = await work({ bareAfterMs: 150 });
    const here = await open(instance, place());
    platform.before = ({ verb, content }) => {
      if (verb === 'post' && JSON.stringify(content.card).includes(button)) throw unanswered();
    };
    await propose(instance, here);
    await waitFor('a try', () => platform.calls.length > 0);
    await speaker.say(here, ['after']);
    await waitFor('the next message', () => texts().includes('after'));
    await delivered(instance);
    expect(texts()).toHaveLength(2);
    expect(cards()[0]).toContain(button);
    expect(texts()[1]).toBe('after');
  });

  test('for anything breaks the place once patience is over, which says so; what waits gets through later', async () => {
    const instance = await work({ maxWaitMs: 300 });
    const here = await open(instance, place());
    platform.before = () => {
      throw unanswered();
    };
    await speaker.say(here, ['a', 'b']);
    const broken = () =>
      waitFor('the place to be broken', async () => {
        const { last } = await readDeliveryState(instance.db.query, 10);
        return last?.channel === place().channel ? last.broken : null;
      });
    expect(await broken()).toBe('For a day nothing could be posted there: No answer.');
    platform.before = () => {};
    await open(instance, place());
    await delivered(instance);
    expect(texts()).toEqual(['a', 'b']);
  });

  test('for a change of a card is set aside once patience is over, until its plan changes again', async () => {
    const instance = await work({ maxWaitMs: 300 });
    const here = await open(instance, place());
    const plan = await propose(instance, here);
    await waitFor('its card', () => cards()[0]?.includes(button));
    await delivered(instance);
    platform.before = ({ verb }) => {
      if (verb === 'update') throw unanswered();
    };
    await speaker.rename(plan.id, 'Halls');
    await waitFor('the change to be set aside', async () => {
      return (await stateOf(instance, here))?.error === 'No answer.';
    });
    await delivered(instance);
    platform.before = () => {};
    await speaker.rename(plan.id, 'Gardens');
    await waitFor('the newest', () => cards()[0]?.includes('Gardens'));
  });
});

function holdFirst(verb: 'post' | 'update') {
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  platform.before = async (call) => {
    if (call.verb === verb && ++calls === 1) await gate.promise;
  };
  return { release: gate.resolve, calls: () => calls };
}

test('a post that is given up is told so, and what ended with it stands once', async () => {
  const instance = await work({ callWithinMs: 100 });
  const here = await open(instance, place());
  const ended: unknown[] = [];
  platform.before = async ({ verb, givenUp }) => {
    if (verb !== 'post' || ended.length > 0) return;
    await new Promise((_, reject) =>
      givenUp?.addEventListener('abort', () => {
        ended.push(givenUp.reason);
        reject(givenUp.reason);
      }),
    );
  };
  await propose(instance, here);
  await waitFor('the second try', () => platform.standing.length === 1);
  await delivered(instance);
  expect(ended).toMatchObject([{ code: 'timed_out' }]);
  expect(cards().map((card) => card.includes(button))).toEqual([true]);
});

describe('A post that gets through after it was given up', () => {
  test('is the message, where nobody has tried again yet', async () => {
    const instance = await work({ callWithinMs: 100, backoffMs: 60_000, longestBackoffMs: 60_000 });
    const here = await open(instance, place());
    const held = holdFirst('post');
    await propose(instance, here);
    await waitFor('the place to be left', async () => {
      const { rows } = await instance.db.query.execute(
        sql`select from countersign.chat_places where conversation = ${here} and tries = 1`,
      );
      return rows.length === 1;
    });
    held.release();
    await delivered(instance);
    expect(held.calls()).toBe(1);
    expect(cards().map((card) => card.includes(button))).toEqual([true]);
    expect((await stateOf(instance, here))?.state).toBe('posted');
  });

  test('without its file is tried again, and stands once', async () => {
    const instance = await work({ callWithinMs: 100, backoffMs: 200, longestBackoffMs: 200 });
    const here = await open(instance, place());
    let posts = 0;
    platform.after = async ({ verb, givenUp }) => {
      if (verb !== 'post' || ++posts > 1) return;
      await new Promise((resolve) => givenUp?.addEventListener('abort', resolve));
    };
    platform.answer = (post) => (posts === 1 ? { ...post, unfinished: true } : post);
    await speaker.say(here, ['long']);
    await waitFor('the second try', () => posts === 2);
    await delivered(instance);
    expect(texts()).toEqual(['long']);
    expect((await stateOf(instance, here))?.state).toBe('posted');
  });

  test('and stands twice keeps its buttons only below, where it follows its plan', async () => {
    const instance = await work({ callWithinMs: 100 });
    const here = await open(instance, place());
    const held = holdFirst('post');
    const plan = await propose(instance, here);
    await waitFor('the second try', () => platform.standing.length === 1);
    await delivered(instance);
    // As on a platform without search by key.
    for (const one of platform.standing) one.key = 'forgotten';
    held.release();
    await waitFor('the first try', () => platform.standing.length === 2);
    await waitFor('the upper to say so', () => cards()[0]?.includes('is further down'));
    await delivered(instance);
    expect(cards().map((card) => card.includes(button))).toEqual([false, true]);
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    await waitFor('the lower to follow', () => !cards()[1]?.includes(button));
    expect(cards().join()).not.toContain(button);
  });
});

test('a message was sent when its platform says so, and where it does not say, before it was asked', async () => {
  const instance = await work();
  const here = await open(instance, place());
  const sentAt = new Date('2026-05-04T09:30:00.123Z');
  platform.answer = (post) => (post.message === 'm1' ? { ...post, sent_at: sentAt } : post);
  const begun = Date.now();
  await speaker.say(here, ['first', 'second']);
  await delivered(instance);
  const { rows } = await instance.db.query.execute<{ sent_at: string }>(sql`
    select ${isoOf('sent_at', 'milliseconds')} as sent_at from countersign.chat_posts
    where conversation = ${here} order by message_id`);
  const [first, second] = rows.map(({ sent_at }) => new Date(sent_at).getTime());
  expect(first).toBe(sentAt.getTime());
  expect(second).toBeGreaterThan(begun - 2 * maxSkewMs);
  expect(second).toBeLessThan(Date.now());
});

describe('A card', () => {
  test('is not known to show what was found unchanged when something newer was drawn meanwhile', async () => {
    const instance = await work();
    const here = await open(instance, place());
    await propose(instance, here);
    await delivered(instance);
    const { rows } = await instance.db.query.execute<{ message_id: number; asked: number }>(
      sql`select message_id, asked from countersign.chat_posts where conversation = ${here}`,
    );
    const before = await stateOf(instance, here);
    for (const row of rows) {
      const unchanged = { version: 1, digest: 'older', rests: true, sent: false };
      await instance.db.transaction((tx) => settleCard(tx, here, row, unchanged));
    }
    expect(before?.shown).not.toBeNull();
    expect(await stateOf(instance, here)).toEqual(before);
  });

  test('is not forgotten by a process that has lost its place', async () => {
    const instance = await work();
    const here = await open(instance, place());
    const plan = await propose(instance, here);
    await waitFor('its card', () => cards()[0]?.includes(button));
    await delivered(instance);
    let lost = 0;
    platform.before = async ({ verb }) => {
      if (verb !== 'update' || ++lost > 1) return;
      await gateway.db.query.execute(sql`
        update countersign.chat_places set holder = 'another', lease_until = clock_timestamp() where conversation = ${here}`);
      throw new CountersignError('not_found', 'The message was deleted.');
    };
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    await waitFor('the end to be shown', () => cards()[0] && !cards()[0]?.includes(button));
    expect((await stateOf(instance, here))?.state).toBe('posted');
  });

  test('that was drawn while an older change may still land is drawn once more', async () => {
    const instance = await work({ callWithinMs: 100, paceMs: 1, redrawAfterMs: 1500 });
    const here = await open(instance, place());
    const plan = await propose(instance, here);
    await waitFor('its card', () => cards()[0]?.includes(button));
    await delivered(instance);
    const [older] = platform.standing.map(({ content }) => structuredClone(content));
    // The first change's process died.
    holdFirst('update');
    await speaker.rename(plan.id, 'Halls');
    await waitFor('the newest', () => cards()[0]?.includes('Halls'));
    for (const one of platform.standing) one.content = older ?? one.content;
    expect(cards()[0]).not.toContain('Halls');
    await waitFor('the newest again', () => cards()[0]?.includes('Halls'));
    await delivered(instance);
  });
});

test('the index of waiting places leaves out the broken, and that of resting posts those with something to do', async () => {
  const { rows } = await gateway.db.query.execute<{ name: string; def: string }>(sql`
    select indexname as name, indexdef as def from pg_indexes
    where indexname in ('chat_places_waiting', 'chat_posts_resting') order by 1`);
  expect(rows.map(({ def }) => def.split(' WHERE ')[1])).toEqual([
    '(((asked > answered) OR (due_at IS NOT NULL)) AND (broken IS NULL))',
    "((NOT live) AND (asked <= answered) AND (state <> 'sending'::text))",
  ]);
});
