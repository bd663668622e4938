// Retention of a year of plans, and its effect on presses.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '#db/database.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { archiveFolder } from '#retention/run-retention.ts';
import { drawPlan } from '../graphs.ts';
import { daysOfHistory, fillHistory, limitsOfHistory } from '../history.ts';
import { quantile } from '../numbers.ts';
import type { RoundOrder, RoundResult } from '../retention-thread.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { asker, beginPlan } from '../run-plan.ts';
import { makeFolder, removeFolder } from '../server.ts';
import type { Bench, Stage } from '../stage.ts';

const usualSteps = 100_000;
/** Before retention; during it, as many as fit. */
const usualPresses = 300;
const warmUp = 20;
const pressEveryMs = 60;
const stepsOfPress = 3;
/** One-second waits, a hundred at a time. */
const stepsOfRunning = 20_000;
/** Filling the database takes long. */
const silenceMs = 1_800_000;
const atMostTwice = { reach: 2, stretch: 1.3 };
const megabyte = 1e6;

const weighed = [
  'plan_steps',
  'step_states',
  'step_attempts',
  'plan_edges',
  'plan_events',
  'audit',
  'messages',
];

type Presses = { propose: number[]; approve: number[] };

const describePresses = (times: Presses) =>
  Object.entries(times)
    .map(
      ([kind, ms]) =>
        `${kind} p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms`,
    )
    .join('; ');

const reportEvery = 300;

/** Proposes and approves until `enough`. */
async function press(
  service: Service,
  { signal, say }: Pick<Stage, 'signal' | 'say'>,
  enough: (presses: number) => boolean,
): Promise<Presses> {
  const times: Presses = { propose: [], approve: [] };
  const draft = drawPlan('wide', stepsOfPress);
  while (!enough(times.approve.length)) {
    signal.throwIfAborted();
    const began = performance.now();
    const { id, version, digest } = await service.propose(draft, { user: asker.id }, asker);
    const proposed = performance.now();
    await service.approve(id, { version, digest }, asker);
    const approved = performance.now();
    times.propose.push(proposed - began);
    times.approve.push(approved - proposed);
    if (times.approve.length % reportEvery === 0)
      say(`${times.approve.length} presses: ${describePresses(times)}`);
    await pause(Math.max(0, pressEveryMs - (approved - began)));
  }
  return times;
}

function drawWaiting(): PlanDraft {
  const { title, steps } = drawPlan('deep', stepsOfRunning, { tool: 'control', operation: 'wait' });
  return { title, steps: steps.map((step) => ({ ...step, args: { seconds: 1 } })) };
}

/** @returns a function that stops it */
async function keepRunning(service: Service, { signal }: Stage): Promise<() => Promise<void>> {
  let plan = await beginPlan(service, drawWaiting());
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const going = (async () => {
    while (!until.aborted) {
      await pause(500, undefined, { signal: until }).catch(() => undefined);
      const { status } = await service.overview(plan.id);
      if (status === 'completed' && !until.aborted) plan = await beginPlan(service, drawWaiting());
    }
  })();
  // Awaited at the end.
  going.catch(() => undefined);
  return async () => {
    ended.abort();
    await going;
    await service
      .cancel(plan.id, { version: plan.version }, asker)
      .catch(async (error: unknown) => {
        if ((await service.overview(plan.id)).status !== 'completed') throw error;
      });
  };
}

async function runRound(order: RoundOrder, { signal }: Stage): Promise<RoundResult> {
  const thread = new Worker(new URL('../retention-thread.ts', import.meta.url), {
    workerData: order,
  });
  const ended = Promise.withResolvers<RoundResult>();
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', abort);
  thread.once('error', ended.reject);
  thread.once('message', ended.resolve);
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

async function readFolderSize(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readDatabaseSize({ query }: Database): Promise<number> {
  const { rows } = await query.execute<{ size: number }>(
    sql`select pg_database_size(current_database()) as size`,
  );
  return rows[0]?.size ?? 0;
}

/** Bytes per row, with indexes and TOAST. */
async function weigh({ query }: Database): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const table of weighed) {
    const name = sql`countersign.${sql.identifier(table)}`;
    const { rows: found } = await query.execute<{ n: number; bytes: number }>(sql`
      select count(*) as n, pg_total_relation_size(${`countersign.${table}`}) as bytes from ${name}`);
    const { n = 0, bytes = 0 } = found[0] ?? {};
    if (n === 0) continue;
    rows.push(
      makeRow({
        name: `retention/row/${table}`,
        what: `a row with its indexes, of ${n} (${(bytes / megabyte).toFixed(0)} MB)`,
        unit: 'B',
        value: bytes / n,
      }),
    );
  }
  return rows;
}

const asRow = (what: string, times: number[]) => ({
  with: `${what} (p50 ${quantile(times, 0.5).toFixed(1)} ms)`,
  value: quantile(times, 0.99),
});

export const measureRetention: Bench = async (stage) => {
  const { signal, say, url } = stage;
  const db = openDatabase(url, {
    max: 2,
    applicationName: 'countersign bench',
    silenceMs,
    onError: (error) => say(error.message),
  });
  const { service } = await stage.openInstance({ work: false });
  stage.closeLater('the connection of the bench', db.close);
  await stage.start('worker');
  const history = await fillHistory(db, service, { steps: stage.steps ?? usualSteps, signal, say });
  const weights = await weigh(db);
  const sizeBefore = await readDatabaseSize(db);

  const presses = stage.runs ?? usualPresses;
  await press(service, stage, (n) => n >= warmUp);
  say(`${presses} presses while nothing goes on`);
  const quiet = await press(service, stage, (n) => n >= presses);
  const stopPlans = await keepRunning(service, stage);
  say(`${presses} presses while plans run`);
  const busy = await press(service, stage, (n) => n >= presses);
  say('presses while plans run and retention deletes');
  const home = await makeFolder();
  stage.closeLater(`the folder ${home}`, () => removeFolder(home));
  let over = false;
  const round = runRound({ url, home, settings: limitsOfHistory }, stage).finally(() => {
    over = true;
  });
  // Awaited at the end.
  round.catch(() => undefined);
  const during = await press(service, stage, (n) => over && n > 0);
  const { deleted, ms, longestMs } = await round;
  if (deleted === null)
    throw new Error('the worker of the bench deletes at the moment; run it again');
  await stopPlans();

  const rows = Object.values(deleted).reduce((sum, n) => sum + n, 0);
  const folder = archiveFolder(limitsOfHistory, home);
  const shared = { unit: 'ms' } as const;
  const bytes = { unit: 'MB' } as const;
  const what = `${history.steps} steps of ${history.plans} plans over ${daysOfHistory} days`;
  const compare = (kind: keyof Presses) => {
    const own = {
      ...shared,
      what: `${kind} while retention deletes and plans run, p99 of ${during[kind].length}`,
      value: quantile(during[kind], 0.99),
      p50: quantile(during[kind], 0.5),
      target: atMostTwice,
    };
    return [
      makeRow({
        ...own,
        name: `retention/${kind}`,
        compared: asRow('nothing goes on', quiet[kind]),
      }),
      makeRow({
        ...own,
        name: `retention/${kind}/beside-plans`,
        compared: asRow('plans run', busy[kind]),
      }),
    ];
  };
  return [
    makeRow({ name: 'retention', what: `${what}, until the limits`, unit: 's', value: ms / 1000 }),
    makeRow({
      name: 'retention/rate',
      what: `${rows} rows deleted (${Object.entries(deleted)
        .filter(([, n]) => n > 0)
        .map(([kind, n]) => `${kind} ${n}`)
        .join(', ')})`,
      unit: 'rows/s',
      value: (rows / ms) * 1000,
    }),
    ...compare('approve'),
    ...compare('propose'),
    makeRow({
      ...shared,
      name: 'retention/transaction',
      what: 'the longest transaction of retention',
      value: longestMs,
      target: { reach: 1000, stretch: 300 },
    }),
    makeRow({
      ...bytes,
      name: 'retention/archive',
      what: 'what was archived',
      value: folder === null ? 0 : (await readFolderSize(folder)) / megabyte,
    }),
    makeRow({
      ...bytes,
      name: 'retention/before',
      what: 'the database before',
      value: sizeBefore / megabyte,
    }),
    makeRow({
      ...bytes,
      name: 'retention/after',
      what: 'the database after, with room that new rows take',
      value: (await readDatabaseSize(db)) / megabyte,
    }),
    ...weights,
  ];
};
