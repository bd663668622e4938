// Open inboxes are notified of changes without polling.
import { sql } from 'drizzle-orm';
import type { QueryConfig } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { serveWithin } from '#conversation/serve-within.ts';
import { createInboxWatch } from '#conversation/watch-inbox.ts';
import { notify } from '#db/notify.ts';
import type { InboxChange } from '#domain/plan/inbox.ts';
import type { Service } from '#domain/service.ts';
import { ana, ben, noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });

const propose = (by = ana) =>
  instance.service.propose({ title: 'One', steps: [noop('a')] }, { user: by.id }, by);
const moveOn = (id: string) =>
  instance.db.transaction(async (tx) => {
    await tx.execute(sql`update countersign.plans set succeeded = succeeded + 1 where id = ${id}`);
    await notify(tx, `plan:${id}`);
  });

async function watch(
  service: Service,
  change: () => Promise<unknown>,
  isLast: (changes: NonNullable<InboxChange['plans']>) => boolean,
): Promise<NonNullable<InboxChange['plans']>> {
  const ending = new AbortController();
  const changes: NonNullable<InboxChange['plans']> = [];
  const stream = service.watchInbox({}, ending.signal)[Symbol.asyncIterator]();
  let next = stream.next();
  await change();
  for (;;) {
    const { value = [], done } = await next;
    for (const { plans } of value) changes.push(...(plans ?? []));
    if (done === true || isLast(changes)) break;
    next = stream.next();
  }
  ending.abort();
  await stream.next();
  return changes;
}

test('a plan that is proposed, decided or stopped has moved; one whose steps go on has not', async () => {
  const before = await propose();
  let made = '';
  const changes = await watch(
    instance.service,
    async () => {
      made = (await propose()).id;
      await moveOn(before.id);
    },
    (plans) => plans.some(({ id }) => id === made) && plans.some(({ id }) => id === before.id),
  );
  expect(changes).toContainEqual({ id: made, moved: true });

  // The earlier state is known from the second change on.
  const both = await watch(
    instance.service,
    () => moveOn(before.id),
    (plans) => {
      if (plans.length === 1) void moveOn(before.id);
      return plans.length === 2;
    },
  );
  expect(both).toEqual([
    { id: before.id, moved: true },
    { id: before.id, moved: false },
  ]);

  const cancelled = await watch(
    instance.service,
    () => instance.service.cancel(before.id, { version: 1 }, ana),
    (plans) => plans.length > 0,
  );
  expect(cancelled).toEqual([{ id: before.id, moved: true }]);
});

test('of an organisation nobody is told of plans of another', async () => {
  const [ours, theirs, own] = [await propose(ben), await propose(ben), await propose(ana)];
  for (const [{ id }, tenant] of [
    [ours, 'slack:T1'],
    [theirs, 'slack:T2'],
  ] as const)
    await instance.db.query.execute(
      sql`update countersign.plans set tenant = ${tenant} where id = ${id}`,
    );
  const changes = await watch(
    serveWithin(instance.service, { tenant: 'slack:T1', reader: ana.id }),
    async () => {
      for (const { id } of [theirs, own, ours]) await moveOn(id);
    },
    (plans) => plans.some(({ id }) => id === ours.id) && plans.some(({ id }) => id === own.id),
  );
  expect(changes.map(({ id }) => id)).not.toContain(theirs.id);
});

test('of what changes while somebody does not read, little is kept', async () => {
  const { db, listener } = instance;
  const rules = { approvers: [], guardedApprovers: {}, delegates: {} };
  let warned = 0;
  const watched = createInboxWatch({ db, listener, ...rules, warn: () => (warned += 1) }, 1);
  const ending = new AbortController();
  const [slow, quick] = [0, 1].map(() => watched(undefined, ending.signal)[Symbol.asyncIterator]());
  if (slow === undefined || quick === undefined) expect.fail();
  const { id } = await propose();
  const begun = slow.next();
  for (let at = 0; at < 30; at += 1) {
    const next = quick.next();
    await moveOn(id);
    await next;
  }
  await begun;
  const kept: InboxChange[] = [];
  while (!kept.some(({ plans }) => plans === null)) kept.push(...((await slow.next()).value ?? []));
  expect(kept.length).toBeLessThan(15);
  expect(warned).toBe(0);
  ending.abort();
});

test.each([60, 2000])('%i who watch are told the same within seconds, in groups', async (many) => {
  const { db, listener } = instance;
  const rules = { approvers: [], guardedApprovers: {}, delegates: {} };
  const watched = createInboxWatch({ db, listener, ...rules, warn: () => {} }, 200);
  const { id } = await propose();
  const ending = new AbortController();
  const streams = Array.from({ length: many }, () =>
    watched(undefined, ending.signal)[Symbol.asyncIterator](),
  );
  const notices: unknown[] = [];
  const waiting = streams.map(async (stream) => {
    const next = await stream.next();
    notices.push(next);
    return next;
  });
  await moveOn(id);
  const began = performance.now();
  await Promise.race(waiting);
  expect(notices.length).toBeLessThan(many / 4);
  for (const { value } of await Promise.all(waiting))
    expect(value).toEqual([{ plans: [{ id, moved: true }] }]);
  expect(performance.now() - began).toBeLessThan(5000);
  ending.abort();
  await Promise.all(streams.map((stream) => stream.next()));
});

test('plans that move together are read for their streams with few connections', async () => {
  const { db, service } = instance;
  const ids = (await Promise.all(Array.from({ length: 12 }, () => propose()))).map(({ id }) => id);
  const query = db.pool.query.bind(db.pool);
  let atOnce = 0;
  let most = 0;
  db.pool.query = (async (asked: { name?: string }) => {
    if (asked.name !== 'read_changes') return query(asked as QueryConfig);
    atOnce += 1;
    most = Math.max(most, atOnce);
    return query(asked as QueryConfig).finally(() => {
      atOnce -= 1;
    });
  }) as typeof query;
  onTestFinished(() => {
    db.pool.query = query;
  });
  const ending = new AbortController();
  const streams = ids.map((id) => service.watchPlan(id, 0, ending.signal)[Symbol.asyncIterator]());
  const changes = await Promise.all(streams.map((stream) => stream.next()));
  expect(changes.map(({ value }) => value?.[0]?.kind)).toEqual(ids.map(() => 'proposed'));
  expect(most).toBeLessThan(4);
  ending.abort();
  await Promise.all(streams.map((stream) => stream.next()));
});
