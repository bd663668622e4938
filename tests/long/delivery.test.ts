// kill -9 at every named point of delivery, then another process.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashPoints } from '#domain/crash-points.ts';
import {
  deliveredByWorkers,
  open,
  openSpeaker,
  type Speaker,
} from '../integration/outbox/bench.ts';
import { useDatabase } from '../setup/database.ts';
import { ana, noop, openTestInstance, type TestInstance } from '../setup/instance.ts';
import { useFixture } from '../setup/process.ts';

const database = useDatabase();
let gateway: TestInstance;
let speaker: Speaker;
const startProcess = useFixture('delivery-process.ts');

beforeAll(async () => {
  gateway = await openTestInstance(database.url, { work: false });
  speaker = await openSpeaker(gateway);
  await gateway.db.query.execute(
    sql`create table platform (id serial, key text primary key, content text)`,
  );
});
afterAll(async () => {
  await speaker.close();
  await gateway.close();
});

const start = (env: Record<string, string> = {}) =>
  startProcess({ DATABASE_URL: database.url, ...env });

async function workUntilKilled(at: string): Promise<void> {
  const { signal } = await start({ COUNTERSIGN_CRASH_AT: at }).exited;
  expect(signal).toBe('SIGKILL');
}

async function workToTheEnd(): Promise<string[]> {
  const worker = start();
  await deliveredByWorkers(gateway);
  await worker.stop();
  const { rows } = await gateway.db.query.execute<{ content: string }>(
    sql`select content from platform order by id`,
  );
  return rows.map(({ content }) => content);
}

async function openThread(thread: string): Promise<string> {
  await gateway.db.query.execute(sql`truncate platform`);
  return open(gateway, { platform: 'slack', tenant: 'T1', channel: 'C1', thread });
}

const atPosting = ['delivery_begun', 'delivery_sent', 'delivery_told', 'delivery_settled'];
const atChanging = ['delivery_changing', 'delivery_changed'];

describe('after kill -9', () => {
  it('has a case for every crash point', () => {
    expect([...atPosting, ...atChanging].sort()).toEqual([...crashPoints.delivery].sort());
  });

  it.each(atPosting)('at %s each message is posted once, in order', async (at) => {
    const here = await openThread(at);
    await speaker.say(here, ['first', 'second']);
    await workUntilKilled(at);
    const posted = await workToTheEnd();
    expect(posted.map((text) => text.split(' ', 1)[0])).toEqual(['first', 'second']);
  });

  it('each time it is drawn, a message or a change of a card is set aside, and what follows is shown', async () => {
    const here = await openThread('deadly');
    const draft = { title: 'Before', steps: [noop('1')] };
    const plan = await gateway.service.propose(draft, { conversation: here }, ana);
    await speaker.say(here, ['Look'], plan.id);
    await workToTheEnd();
    await speaker.say(here, ['deadly', 'after']);
    await speaker.rename(plan.id, 'A deadly title');
    // At the message's points, and at the card's.
    for (let deaths = 0; deaths < 10; deaths += 1) await workUntilKilled('');
    const posted = await workToTheEnd();
    expect(posted.map((text) => text.split(' ', 1)[0])).toContain('after');
    expect(posted.join()).not.toContain('deadly');
  });

  it.each(atChanging)('at %s a card shows what is true now', async (at) => {
    const here = await openThread(at);
    const draft = { title: 'Before', steps: [noop('1')] };
    const plan = await gateway.service.propose(draft, { conversation: here }, ana);
    await speaker.say(here, ['Look'], plan.id);
    await workToTheEnd();
    const change = (title: string) => speaker.rename(plan.id, title);
    await change('Meanwhile');
    await workUntilKilled(at);
    // The card may show something newer than recorded.
    await change('Before');
    const shown = (await workToTheEnd()).at(-1);
    expect(shown).toContain('Before');
    expect(shown).not.toContain('Meanwhile');
  });
});
