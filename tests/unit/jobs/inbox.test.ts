// A wakeup occupies its fetcher until its thread is locked, then a slot.
import { expect, test } from 'vitest';
import { type InboxContext, type InboxHandler, inboxRule } from '#chat/inbox/inbox-context.ts';
import { threadsAtOnce } from '#chat/inbox/work-on-thread.ts';
import type { Statement } from '#db/database.ts';
import type { InboxThread } from '#domain/chat/inbox.ts';
import { inboxJobs } from '#jobs/jobs.ts';
import { waitFor } from '../../wait.ts';

const never = new AbortController().signal;
const threadOf = (thread: string): InboxThread => ({ platform: 'slack', tenant: 'T1', thread });

type Reply = (statement: Statement, values: Record<string, unknown>) => object;

const nothing = { held: false, id: null };
function openThreads(): Reply {
  const done = new Set<unknown>();
  return ({ name }, { thread }) => {
    if (name === 'settle_and_take') return { settled: true, ...nothing };
    if (name !== 'enter_thread') throw new Error(`${name} is not known`);
    if (done.has(thread)) return nothing;
    done.add(thread);
    const event = { platform: 'slack', tenant: 'T1', thread, kind: 'event', body: Buffer.of() };
    const taken = { attempt: 1, failures: 1, age_ms: 0, received_at: '2026-05-04T09:30:00.000Z' };
    return { held: true, id: done.size, ...event, ...taken };
  };
}

function openJob(slack: InboxHandler, reply: Reply = openThreads()) {
  const warnings: string[] = [];
  const under: Promise<void>[] = [];
  const query: Pick<InboxContext['db']['query'], 'run'> = {
    run: async <Row>(...asked: Parameters<Reply>) => [reply(...asked) as Row],
  };
  const context: Partial<InboxContext> = {
    // An event handled at the first attempt needs only prepared statements.
    db: { query } as InboxContext['db'],
    handlers: { slack },
    random: { hex: (bytes) => '0'.repeat(bytes * 2) },
    rule: inboxRule,
    warn: (message) => void warnings.push(message),
  };
  const [job] = inboxJobs(context as InboxContext);
  if (job === undefined) throw new Error('openJob: there is no job');
  const stopping = new AbortController();
  const handle = (thread: string, signal: AbortSignal = never): Promise<void> =>
    job.handle(threadOf(thread), signal, (work) => void under.push(work(stopping.signal)));
  return { handle, warnings, under, stopping };
}

function createGate() {
  const waiting = new Map<string, () => void>();
  const handler: InboxHandler = (event) =>
    new Promise((resolve) => waiting.set(event.thread, resolve));
  const letGo = (thread: string) => {
    const go = waiting.get(thread);
    waiting.delete(thread);
    go?.();
  };
  return { handler, letGo, inside: () => [...waiting.keys()] };
}

const full = Array.from({ length: threadsAtOnce }, (_, i) => `C${i + 1}`);

test('a wakeup is done once its thread is held; so many threads are worked on, and one more waits for a place', async () => {
  const gate = createGate();
  const { handle, under } = openJob(gate.handler);
  for (const thread of full) await handle(thread);
  await waitFor('all to be handled', () => gate.inside().length === full.length);
  let entered = false;
  const next = handle('next').then(() => {
    entered = true;
  });
  // Decided before the event loop turns.
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toBe(false);
  expect(gate.inside()).toEqual(full);
  gate.letGo('C3');
  await next;
  await waitFor('the next to be handled', () => gate.inside().includes('next'));
  for (const thread of gate.inside()) gate.letGo(thread);
  await Promise.all(under);
});

test('a thread that is not held keeps no place, nor one that could not be asked for', async () => {
  const gate = createGate();
  const threads = openThreads();
  const { handle, under } = openJob(gate.handler, (statement, values) => {
    if (values.thread === 'away') throw new Error('the database is away');
    return values.thread === 'taken' ? nothing : threads(statement, values);
  });
  for (let i = 0; i < threadsAtOnce; i++) {
    await handle('taken');
    await expect(handle('away')).rejects.toThrow('the database is away');
  }
  expect(under).toEqual([]);
  for (const thread of full) await handle(thread);
  await waitFor('all to be handled', () => gate.inside().length === full.length);
  for (const thread of full) gate.letGo(thread);
  await Promise.all(under);
});

test('what goes wrong with a thread that is held is told, and its place is free again', async () => {
  const threads = openThreads();
  const { handle, under, warnings } = openJob(
    async () => {},
    (statement, values) => {
      if (statement.name === 'settle_and_take') throw new Error('a bug');
      return threads(statement, values);
    },
  );
  for (const thread of [...full, 'next']) await handle(thread);
  await Promise.all(under);
  expect(warnings.filter((text) => text.includes('was interrupted'))).toHaveLength(full.length + 1);
});

test('a wakeup that waited for a place when its process stopped is left to others', async () => {
  const gate = createGate();
  const { handle, under } = openJob(gate.handler);
  for (const thread of full) await handle(thread);
  const stopping = new AbortController();
  const next = handle('next', stopping.signal);
  stopping.abort(new Error('this process stops'));
  gate.letGo('C1');
  await expect(next).rejects.toThrow('this process stops');
  for (const thread of gate.inside()) gate.letGo(thread);
  await Promise.all(under);
});
