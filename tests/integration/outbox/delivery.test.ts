// Delivery to chat platforms: in order, once, with current cards.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryRule } from '#chat/outbox/delivery-context.ts';
import { appendMessage } from '#db/chat/messages.ts';
import { readDeliveryState } from '#db/chat/places.ts';
import { tellProgress } from '#db/chat/posts.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { openPlatform, type Platform, tooMany } from '../../fixtures/chat-platform.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance, reach, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import {
  countRows,
  delivered,
  forgetPosts,
  open,
  openPostingInstance,
  openSpeaker,
  type Speaker,
  usePostingInstance,
} from './bench.ts';

const database = useDatabase();
let platform: Platform;
let gateway: TestInstance;
let speaker: Speaker;

let channel = 0;

const placeOf = (thread: string | null, rest: Partial<ChatPlace> = {}): ChatPlace => ({
  platform: 'slack',
  tenant: 'T1',
  channel: `C${channel}`,
  thread,
  ...rest,
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

const textsIn = (thread: string | null) =>
  platform.standing
    .filter(({ place }) => place.thread === thread)
    .map(({ content }) => content.text);

const numbered = (n: number, prefix = '') => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

const cards = () => platform.standing.map(({ content }) => JSON.stringify(content.card));

async function propose(
  instance: TestInstance,
  conversation: string,
  steps: StepDraft[] = [noop('1')],
): Promise<Plan> {
  const plan = await instance.service.propose({ title: 'Rooms', steps }, { conversation }, ana);
  await waitFor('its card', () => cards().some((card) => card.includes(plan.id)));
  await delivered(instance);
  return plan;
}

describe('messages', () => {
  test('are posted in order and once, by two processes at one platform', async () => {
    const instance = await work();
    const other = await openPostingInstance(database.url, { platform: current });
    onTestFinished(() => other.close());
    const here = await open(instance, placeOf('1'));
    const there = await open(instance, placeOf('2'));
    expect(await open(instance, placeOf('1'))).toBe(here);
    expect(there).not.toBe(here);
    await Promise.all([
      speaker.say(here, numbered(20, 'a')),
      speaker.say(there, numbered(20, 'b')),
    ]);
    await delivered(instance);
    expect(textsIn('1')).toEqual(numbered(20, 'a'));
    expect(textsIn('2')).toEqual(numbered(20, 'b'));
    expect(platform.calls).toHaveLength(40);
  });

  test('of people are not echoed, and conversations elsewhere are left alone', async () => {
    const instance = await work();
    const here = await open(instance, placeOf(null));
    await instance.db.transaction((tx) =>
      appendMessage(tx, { conversation: here, author: 'person', name: 'ana', text: 'Hello' }),
    );
    await speaker.say('console', ['Nobody sees this in a chat']);
    await speaker.say(here, ['Hello, Ana']);
    await delivered(instance);
    expect(textsIn(null)).toEqual(['Hello, Ana']);
    expect(platform.calls).toHaveLength(1);
  });

  test('wait as long as the platform asks, in order, and hold up no other conversation', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const there = await open(instance, placeOf('2'));
    let refused = 0;
    platform.before = ({ place }) => {
      if (place.thread !== '1' || refused > 0) return;
      refused += 1;
      throw tooMany(3_600_000);
    };
    await speaker.say(here, ['a', 'b']);
    await waitFor('the refusal', () => refused === 1);
    await speaker.say(there, ['c']);
    await waitFor('the other', () => textsIn('2').length === 1);
    expect(textsIn('1')).toEqual([]);
    const { rows } = await instance.db.query.execute<{ minutes: number }>(sql`
      select extract(epoch from not_before - clock_timestamp())::float8 / 60 as minutes
      from countersign.chat_places where conversation = ${here}`);
    expect(rows[0]?.minutes).toBeGreaterThan(58);
    await instance.db.query.execute(
      sql`update countersign.chat_places set not_before = clock_timestamp() where conversation = ${here}`,
    );
    await delivered(instance);
    expect(textsIn('1')).toEqual(['a', 'b']);
    expect(refused).toBe(1);
  });

  test('that the platform refuses for good are set aside, and the next ones go on', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    platform.before = ({ content }) => {
      if (content.text === 'bad') throw new Error('invalid_blocks');
    };
    await speaker.say(here, ['a', 'bad', 'c']);
    await delivered(instance);
    expect(textsIn('1')).toEqual(['a', 'c']);
    expect(platform.calls.filter(({ text }) => text === 'bad')).toHaveLength(5);
    expect(await countRows(instance, here, 'failed')).toBe(1);
    expect(await readDeliveryState(instance.db.query, 10)).toMatchObject({
      failed: 1,
      error: 'invalid_blocks',
    });
  });
});

describe('a broken place', () => {
  test('waits with what an operator has to do, and goes on when something comes from there', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const there = await open(instance, placeOf('2'));
    const why = 'The channel is archived. Unarchive it or ask elsewhere.';
    let broken = true;
    platform.before = ({ place }) => {
      if (broken && place.thread === '1') throw new CountersignError('not_allowed', why);
    };
    await speaker.say(here, ['a']);
    const brokenNow = async () => {
      const { rows } = await instance.db.query.execute<{ broken: string | null }>(
        sql`select broken from countersign.chat_places where conversation = ${here}`,
      );
      return rows[0]?.broken === why;
    };
    await waitFor('the place to be broken', brokenNow);
    expect(await readDeliveryState(instance.db.query, 10)).toMatchObject({
      broken: 1,
      last: { broken: why },
    });
    await speaker.say(here, ['b']);
    await speaker.say(there, ['c']);
    await waitFor('the other', () => textsIn('2').length === 1);
    expect(platform.calls.filter(({ text }) => text === 'a')).toHaveLength(1);
    broken = false;
    await open(instance, placeOf('1'));
    await delivered(instance);
    expect(textsIn('1')).toEqual(['a', 'b']);
  });
});

describe('a card', () => {
  test('follows its plan to the end, then decides nothing and rests', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const plan = await propose(instance, here);
    expect(cards()[0]).toContain('countersign:approve');
    expect(cards()[0]).toContain('Waiting for ana');
    await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await reach(instance, plan.id, 'completed');
    await waitFor('the end to be shown', () => cards()[0]?.includes('Done'));
    await delivered(instance);
    await waitFor('the end to be told', () => textsIn('1').length === 2);
    await delivered(instance);
    const buttons = cards()[0]?.match(/countersign:\w+/g);
    expect(buttons).toEqual(['countersign:save_playbook']);
    const { rows } = await instance.db.query.execute(
      sql`select from countersign.chat_posts where plan_id = ${plan.id} and live`,
    );
    expect(rows).toHaveLength(0);
  });

  test('is superseded by a newer one of its plan in the same conversation, and nowhere else', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const there = await open(instance, placeOf('2', { platform: 'teams' }));
    const plan = await propose(instance, here);
    await speaker.say(there, ['Look'], plan.id);
    await speaker.say(here, ['Again'], plan.id);
    await delivered(instance);
    await waitFor('the first to be retired', () => cards()[0]?.includes('is further down'));
    expect(cards()[0]).not.toContain('countersign:');
    expect(cards().slice(1).join()).toContain('countersign:approve');
    const inTeams = platform.standing.find(({ place }) => place.platform === 'teams');
    expect(inTeams?.content.card).toMatchObject({ type: 'AdaptiveCard' });
    expect(JSON.stringify(inTeams)).toContain('Action.Execute');
  });

  test('shows what is true now though the answer to its post was lost, and its plan has changed since', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    let isLost = false;
    platform.after = async ({ verb }) => {
      if (verb !== 'post' || isLost) return;
      isLost = true;
      await gateway.db.query.execute(
        sql`update countersign.plans set title = 'Changed since' where conversation = ${here}`,
      );
      throw new CountersignError('timed_out', 'No answer.', { passesAfterMs: 0 });
    };
    await propose(instance, here);
    await delivered(instance);
    expect(cards()[0]).toContain('Changed since');
  });

  test('that did not change is not sent again', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const plan = await propose(instance, here);
    await speaker.rename(plan.id, plan.title);
    await delivered(instance);
    expect(platform.standing[0]?.changes).toBe(0);
  });

  test('that was deleted is posted anew while its plan waits for people, and else forgotten', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    const plan = await propose(instance, here);
    platform.delete(String(platform.standing[0]?.message));
    await speaker.rename(plan.id, 'Rooms again');
    await waitFor('a new card', () => cards()[0]?.includes('countersign:approve'));
    await delivered(instance);
    expect(platform.standing).toHaveLength(1);
    platform.delete(String(platform.standing[0]?.message));
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    await waitFor(
      'the card to be forgotten',
      async () => (await countRows(instance, here, 'gone')) === 1,
    );
    await delivered(instance);
    expect(cards().join()).not.toContain('countersign:');
  });
});

describe('by a rule of its own', () => {
  test('messages that were said while nobody posts wait, and a lost job loses none', async () => {
    const here = await open(gateway, placeOf('1'));
    await speaker.say(here, ['a', 'b']);
    await gateway.db.query.execute(sql`delete from pgboss.job where name like 'deliver%'`);
    const instance = await work({ paceMs: 99 });
    await delivered(instance);
    expect(textsIn('1')).toEqual(['a', 'b']);
  });

  test('messages are posted once though every answer is lost or late', async () => {
    const instance = await work({ callWithinMs: 100, leaseSeconds: 1 });
    const here = await open(instance, placeOf('1'));
    const seen = new Map<string, number>();
    platform.after = async ({ content }) => {
      const tries = (seen.get(content.text) ?? 0) + 1;
      seen.set(content.text, tries);
      if (tries === 1) throw new CountersignError('timed_out', 'No answer.', { passesAfterMs: 0 });
      // Never answers: abandoned, and found by the retry.
      if (tries === 2) await new Promise(() => {});
    };
    await speaker.say(here, ['a', 'b']);
    await delivered(instance);
    expect(textsIn('1')).toEqual(['a', 'b']);
    expect([...seen.values()]).toEqual([3, 3]);
  });

  test('a card is changed a few times by a hundred changes, and shows the newest state', async () => {
    const instance = await work({ paceMs: 1000 });
    const here = await open(instance, placeOf('1'));
    const plan = await propose(instance, here);
    const begun = performance.now();
    for (let i = 1; i <= 100; i++) await speaker.rename(plan.id, `Rooms ${i}`);
    await delivered(instance);
    const paces = (performance.now() - begun) / 1000;
    expect(cards()[0]).toContain('Rooms 100');
    expect(platform.standing[0]?.changes).toBeLessThanOrEqual(Math.ceil(paces) + 1);
  });

  test('progress of a card that waits for its turn takes no job, and is shown when its turn has come', async () => {
    const instance = await work();
    const here = await open(instance, placeOf('1'));
    platform.progressInMs = 600_000;
    const steps = Array.from({ length: 100 }, (_, at) =>
      draftStep(
        `${at}`,
        'Wait',
        'control_wait',
        { seconds: 0.2 },
        ...(at === 0 ? [] : [`${at - 1}`]),
      ),
    );
    const plan = await propose(instance, here, steps);
    await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    const readWaiting = async () => {
      const { rows } = await instance.db.query.execute<{
        asked: number;
        last_job: number;
        open: boolean;
      }>(sql`
        select asked, max(extract(epoch from j.created_on))::float8 as last_job, bool_or(j.state < 'completed') as open
        from countersign.chat_posts p join pgboss.job j on j.singleton_key = ${`${plan.id}@progress`}
        where p.plan_id = ${plan.id} and not_before > now() and asked > answered group by asked`);
      return rows[0] ?? null;
    };
    const first = await waitFor('the card to wait for its turn', async () => {
      const waiting = await readWaiting();
      return waiting?.open === false ? waiting : null;
    });
    const later = await waitFor('more progress', async () => {
      const waiting = await readWaiting();
      return waiting !== null && waiting.asked > first.asked + 2 ? waiting : null;
    });
    expect(later.last_job).toBe(first.last_job);
    const tell = () => tellProgress(instance.db.query, plan.id);
    expect(await tell()).toBe(true);
    // It waits for nobody who holds the card.
    const told = await instance.db.transaction(async (tx) => {
      await tx.execute(
        sql`select from countersign.chat_posts where plan_id = ${plan.id} for update`,
      );
      return tell();
    });
    expect(told).toBe(false);
    const changes = platform.standing[0]?.changes ?? 0;
    await instance.db.query.execute(sql`
      with due as (update countersign.chat_posts set not_before = now() where plan_id = ${plan.id})
      update countersign.chat_places set due_at = now() where conversation = ${here}`);
    await waitFor('the progress to be shown', () => (platform.standing[0]?.changes ?? 0) > changes);
    expect((await instance.service.getPlan(plan.id)).status).toBe('executing');
    await instance.service.cancel(plan.id, { version: 1 }, ana);
    await delivered(instance);
  });

  test('a card never shows older over newer: a late change is followed by another', async () => {
    const instance = await work({ callWithinMs: 100, paceMs: 1, longestBackoffMs: 1 });
    const here = await open(instance, placeOf('1'));
    const plan = await propose(instance, here);
    const gate = Promise.withResolvers<void>();
    let held = 0;
    platform.before = async ({ verb }) => {
      if (verb === 'update' && ++held === 1) await gate.promise;
    };
    await instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
    await reach(instance, plan.id, 'completed');
    await waitFor('the end to be shown', () => cards()[0]?.includes('Done'));
    await delivered(instance);
    const changes = platform.standing[0]?.changes ?? 0;
    gate.resolve();
    await waitFor('the late change', () => (platform.standing[0]?.changes ?? 0) > changes);
    await waitFor('the newest again', () => cards()[0]?.includes('Done'));
  });
});
