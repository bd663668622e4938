// kill -9 at every named point of the inbox, then another process.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import { crashPoints } from '#domain/crash-points.ts';
import { makeEvent } from '../fixtures/inbox-events.ts';
import { clearInbox, readInbox, settled } from '../integration/inbox/bench.ts';
import { useDatabase } from '../setup/database.ts';
import { openTestInstance, type TestInstance } from '../setup/instance.ts';
import { useFixture } from '../setup/process.ts';

const database = useDatabase();
let gateway: TestInstance;
const startProcess = useFixture('inbox-process.ts');

beforeAll(async () => {
  gateway = await openTestInstance(database.url, { work: false });
  await gateway.db.query.execute(sql`create table effects (event bigint)`);
});
beforeEach(async () => {
  await clearInbox(gateway);
  await gateway.db.query.execute(sql`delete from effects`);
});
afterAll(() => gateway.close());

type Sent = Pick<ReceivedEvent, 'keys'> & Partial<ReceivedEvent>;

const start = (args: string[], env: Record<string, string> = {}) =>
  startProcess({ DATABASE_URL: database.url, ...env }, ...args);

// One thread; the body is the first key.
const eventOf = ({ keys: [name = ''], ...rest }: Sent): ReceivedEvent =>
  makeEvent(name, { thread: 'C1', ...rest });

const receive = (event: Sent) => gateway.receive({ ...eventOf(event), keys: event.keys });

async function receiveUntilKilled(keys: string[], at: string): Promise<void> {
  const { exited, stdout } = start(['receive', ...keys], { COUNTERSIGN_CRASH_AT: at });
  expect((await exited).signal).toBe('SIGKILL');
  expect(stdout()).toBe('');
}

async function workUntilKilled(env: Record<string, string>): Promise<void> {
  expect((await start(['work'], env).exited).signal).toBe('SIGKILL');
}

async function workToTheEnd() {
  const worker = start(['work']);
  const rows = await settled(gateway, 60_000);
  await worker.stop();
  return rows;
}

async function countEffects(): Promise<number> {
  return (await gateway.db.query.execute(sql`select from effects`)).rows.length;
}

// Effects of events marked by their handler (Slack), and not (Teams).
const afterTaking: { at: string; slack: number; teams: number }[] = [
  { at: 'inbox_taken', slack: 1, teams: 1 },
  // Why handlers mark events themselves or are idempotent.
  { at: 'inbox_handled', slack: 2, teams: 1 },
  { at: 'inbox_settled', slack: 1, teams: 1 },
];
const atReceiving = ['inbox_writing', 'inbox_stored'];

describe('after kill -9', () => {
  it('has a case for every crash point', () => {
    const covered = [...atReceiving, ...afterTaking.map(({ at }) => at)];
    expect(covered.sort()).toEqual([...crashPoints.inbox].sort());
  });

  it('before the commit nothing is acknowledged or stored, and the retry is', async () => {
    await receiveUntilKilled(['Ev1'], 'inbox_writing');
    expect(await readInbox(gateway)).toEqual([]);
    expect(await receive({ keys: ['Ev1'] })).toMatchObject({ stored: true });
    await workToTheEnd();
    expect(await countEffects()).toBe(1);
  });

  it('after the commit nothing is acknowledged, the retry is the same event, and it is handled once', async () => {
    await receiveUntilKilled(['Ev1', 'm'], 'inbox_stored');
    expect(await receive({ keys: ['Ev2', 'm'] })).toMatchObject({ stored: false });
    expect(await workToTheEnd()).toHaveLength(1);
    expect(await countEffects()).toBe(1);
  });

  it.each(afterTaking)('at $at an event is handled by the next process', async (one) => {
    for (const platform of ['slack', 'teams'] as const) {
      await clearInbox(gateway);
      await gateway.db.query.execute(sql`delete from effects`);
      await receive({ keys: ['Ev1'], platform });
      await workUntilKilled({ COUNTERSIGN_CRASH_AT: one.at });
      expect(await workToTheEnd()).toMatchObject([{ state: 'handled' }]);
      expect(await countEffects()).toBe(one[platform]);
    }
  });

  it('in the middle of a handler, what it wrote with its mark is written once', async () => {
    await receive({ keys: ['Ev1'], platform: 'teams' });
    await workUntilKilled({ DIES_AT: 'Ev1' });
    expect(await countEffects()).toBe(0);
    expect(await workToTheEnd()).toMatchObject([{ state: 'handled', attempt: 2 }]);
    expect(await countEffects()).toBe(1);
  });
});

it('an event that ends every process that handles it is set aside, and its thread goes on', async () => {
  await receive({ keys: ['poison'] });
  await receive({ keys: ['after'] });
  const dies = { DIES_AT: 'poison' };
  await workUntilKilled(dies);
  await workUntilKilled(dies);
  const worker = start(['work'], dies);
  const rows = await settled(gateway, 60_000);
  expect((await worker.stop()).signal).toBe(null);
  expect(rows).toMatchObject([
    { state: 'failed', error: 'The process ended during the last try.' },
    { state: 'handled' },
  ]);
});
