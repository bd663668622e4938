// Two thousand events, generated: duplicates under either name, tries that fail, two processes that receive and handle.
import { randomInt } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import type { InboxHandler } from '#chat/inbox/inbox-context.ts';
import type { Receipt } from '#chat/inbox/receive.ts';
import type { ReceivedEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { makeEvent } from '../../fixtures/inbox-events.ts';
import { openWorker, settled, textOf } from '../../integration/inbox/bench.ts';
import { useDatabase } from '../../setup/database.ts';
import type { TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const total = 2000;
const threads = 150;

/** Events to send: each once and a tenth again, under one of its names or both. */
type Sending = { name: string; keys: string[]; thread: string; by: 0 | 1 };

const idOf = (n: number) => `Ev${n}`;
const placeOf = (n: number) => `C1:${n}.000`;

const scripts = fc
  .record({
    threads: fc.array(fc.nat(threads - 1), { minLength: total, maxLength: total }),
    again: fc.uniqueArray(
      fc.tuple(
        fc.nat(total - 1),
        fc.constantFrom<(n: number) => string[]>(
          (n) => [idOf(n)],
          (n) => [`Again${n}`, placeOf(n)],
          (n) => [idOf(n), placeOf(n)],
        ),
        fc.nat(40),
        fc.constantFrom<0 | 1>(0, 1),
      ),
      { minLength: total / 10, maxLength: total / 10, selector: ([n]) => n },
    ),
    failing: fc.uniqueArray(fc.nat(total - 1), { minLength: total / 20, maxLength: total / 20 }),
  })
  .map(({ threads, again, failing }) => {
    const at = new Map<number, Sending[]>();
    const add = (place: number, sending: Sending) =>
      at.set(place, [...(at.get(place) ?? []), sending]);
    const one = (n: number, keys: string[]): Sending => ({
      name: String(n),
      keys,
      // One process handles a thread; the order between two processes is undefined.
      thread: String(threads[n]),
      by: (threads[n] ?? 0) % 2 === 0 ? 0 : 1,
    });
    for (let n = 0; n < total; n++) add(n, one(n, [idOf(n), placeOf(n)]));
    for (const [n, keysOf, later, by] of again) add(n + later, { ...one(n, keysOf(n)), by });
    const order = [...at.keys()].sort((a, b) => a - b);
    return { sendings: order.flatMap((place) => at.get(place) ?? []), failing: new Set(failing) };
  });

let instances: TestInstance[] = [];
const failing = new Set<string>();
const began = new Map<string, number>();
const done: { name: string; thread: string }[] = [];
const busy = new Set<string>();
const overlaps: string[] = [];

const handler: InboxHandler = async (event) => {
  const { thread } = event;
  const name = textOf(event);
  if (busy.has(thread)) overlaps.push(name);
  busy.add(thread);
  await new Promise((resolve) => setImmediate(resolve));
  busy.delete(thread);
  const tries = (began.get(name) ?? 0) + 1;
  began.set(name, tries);
  if (tries === 1 && failing.has(name)) throw new Error('not now');
  done.push({ name, thread });
};

beforeAll(async () => {
  instances = await Promise.all([
    openWorker(database.url, handler, { leaseSeconds: 10 }),
    openWorker(database.url, handler, { leaseSeconds: 10 }),
  ]);
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
});

/** As platforms do, what is refused because it waited too long is sent again. */
async function send(instance: TestInstance, event: ReceivedEvent): Promise<Receipt> {
  for (;;) {
    try {
      return await instance.receive(event);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'database_unavailable')
        throw error;
    }
  }
}

test('each of 2,000 events is handled once and in the order of its thread', async () => {
  const seed = Number(process.env.INBOX_SEED ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`The same again: INBOX_SEED=${seed}`));
  const [script] = fc.sample(scripts, { numRuns: 1, seed });
  const [one, other] = instances;
  if (script === undefined || one === undefined || other === undefined)
    throw new Error('no script');
  for (const n of script.failing) failing.add(String(n));
  // As platforms do: many requests under way at once, each answered for itself.
  const receipts = await Promise.all(
    script.sendings.map(({ by, name, keys, thread }) =>
      send(by === 0 ? one : other, makeEvent(name, { keys, thread })),
    ),
  );
  // A refused event may have been stored all the same.
  expect(receipts.filter(({ stored }) => stored).length).toBeLessThanOrEqual(total);
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(total);

  const rows = await settled(one, 50_000);
  expect(rows.filter(({ state }) => state === 'handled')).toHaveLength(total);
  expect(new Set(done.map(({ name }) => name)).size).toBe(total);
  expect(done).toHaveLength(total);
  expect([...began.values()].reduce((sum, n) => sum + n)).toBe(total + failing.size);
  expect(overlaps).toEqual([]);
  const place = new Map(rows.map(({ id, body }) => [body, id]));
  // An event that came again to the other process first was stored beside what this one was just storing.
  const own = new Set(
    script.sendings.flatMap(({ by, name, thread }, i) =>
      receipts[i]?.stored === true && by === Number(thread) % 2 ? [name] : [],
    ),
  );
  expect(own.size).toBeGreaterThan(total / 2);
  const judged = done.filter(({ name }) => own.has(name));
  for (const [thread, events] of Map.groupBy(judged, (event) => event.thread)) {
    const ids = events.map(({ name }) => place.get(name) ?? 0);
    expect([thread, ids]).toEqual([thread, ids.toSorted((a, b) => a - b)]);
  }
  const { rows: held } = await one.db.query.execute(sql`select from countersign.inbox_leases`);
  expect(held).toHaveLength(0);
});
