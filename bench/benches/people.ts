// Five hundred people on one gateway and two workers, against five.
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Instance } from '#app/wire/instance.ts';
import { type Database, openDatabase } from '#db/database.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { person } from '#domain/people/actor.ts';
import { createShownTimes } from '../chat.ts';
import type { ConsolesOrder } from '../consoles-thread.ts';
import { type Fill, fillPlans, personOf } from '../fill-plans.ts';
import { drawPlan } from '../graphs.ts';
import { getJson, PlanAnswer, postJson } from '../http.ts';
import { median, preciseNow, quantile } from '../numbers.ts';
import { type BenchRow, makeRow } from '../row.ts';
import { type Bench, type Stage, until } from '../stage.ts';

type Crowd = Fill & {
  /** Each follows changes, rereads the inbox every five seconds at most, and watches a plan. */
  consoles: number;
  /** With a constantly changing card. */
  cards: number;
};

const few: Crowd = { people: 5, ended: 500, live: 20, consoles: 1, cards: 1 };
const many: Crowd = { people: 500, ended: 300_000, live: 2000, consoles: 60, cards: 100 };
const warmUp = 5;
const waitsOfCard = 600;
const thinkMs = 100;
const asker = person('bench', 'slack');
const atMostThrice = { reach: 3, stretch: 1.5 };

const figures = ['inbox', 'press', 'first status', 'final card'] as const;
type Figure = (typeof figures)[number];
const usualCount: Record<Figure, number> = {
  inbox: 300,
  press: 300,
  'first status': 100,
  'final card': 60,
};
const described: Record<Figure, string> = {
  inbox: 'GET /api/inbox of one of them',
  press: 'a press on Approve, over HTTP',
  'first status': 'a request in a chat → the first status there',
  'final card': 'the end of a plan → its card says so',
};

const placeOf = (thread: string): ChatPlace => ({
  platform: 'slack',
  tenant: 'T1',
  channel: 'C1',
  thread,
});

type Parts = {
  stage: Stage;
  db: Database;
  front: Instance;
  shown: ReturnType<typeof createShownTimes>;
  url: string;
  crowd: Crowd;
};

async function openThread(front: Instance, thread: string): Promise<string> {
  return front.db.transaction((tx) => front.openConversation(tx, placeOf(thread), null));
}

/** Plans in a thread. */
async function beginInThread(
  { front, stage }: Parts,
  thread: string,
  what: string,
): Promise<{ id: string; version: number }> {
  const conversation = await openThread(front, thread);
  await front.service.say(conversation, `Run ${what}`, asker);
  const id = await until(stage.signal, async () => {
    const { rows } = await front.db.pool.query<{ id: string }>(
      'select id from countersign.plans where conversation = $1',
      [conversation],
    );
    return rows[0]?.id ?? null;
  });
  const { version, digest } = await front.service.getPlan(id);
  await front.service.approve(id, { version, digest }, asker);
  return { id, version };
}

const anyone = ({ people }: Crowd) => encodeURIComponent(personOf(1 + randomInt(people)));

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const measures: Record<Figure, (parts: Parts, name: string) => Promise<number>> = {
  inbox: ({ url, crowd }) => time(() => getJson(`${url}/api/inbox?user=${anyone(crowd)}`)),
  async press({ url }) {
    const body = JSON.stringify(drawPlan('wide', 3));
    const plan = PlanAnswer.parse(await postJson(`${url}/api/plans`, body));
    const { id, version, digest } = plan;
    const decision = JSON.stringify({ version, digest });
    return time(() => postJson(`${url}/api/plans/${id}/approve`, decision));
  },
  async 'first status'({ front, shown, stage, crowd }, name) {
    const conversation = await openThread(front, name);
    const someone = person(personOf(1 + randomInt(crowd.people)), 'slack');
    const asked = preciseNow();
    await front.service.say(conversation, `Look at ${name}`, someone);
    return (await until(stage.signal, async () => shown.status.get(name) ?? null, 2)) - asked;
  },
  async 'final card'(parts, name) {
    const { front, shown, stage } = parts;
    const { id } = await beginInThread(parts, name, '3 steps');
    const at = await until(stage.signal, async () => shown.final.get(name) ?? null, 2);
    const { execution_ended_at: ended } = await front.service.getPlan(id);
    return Math.max(0, at - Date.parse(ended ?? ''));
  },
};

async function measureCrowd(parts: Parts): Promise<Record<Figure, number[]>> {
  const { stage, crowd, front } = parts;
  const name = `${crowd.people} people`;
  stage.say(`${name}: ${crowd.cards} plans begin`);
  const running = await Promise.all(
    Array.from({ length: crowd.cards }, (_, at) =>
      beginInThread(parts, `${name} ${at}`, `${waitsOfCard} waits`),
    ),
  );
  const order: ConsolesOrder = {
    url: parts.url,
    users: Array.from({ length: crowd.consoles }, () => anyone(crowd)),
  };
  const consoles = new Worker(new URL('../consoles-thread.ts', import.meta.url), {
    workerData: order,
  });
  let failure: unknown = null;
  consoles.once('error', (error) => {
    failure = error;
  });
  stage.closeLater('the consoles', async () => void (await consoles.terminate()));
  const times: Record<Figure, number[]> = {
    inbox: [],
    press: [],
    'first status': [],
    'final card': [],
  };
  for (const figure of figures) {
    const count = stage.steps ?? usualCount[figure];
    stage.say(`${name}: ${described[figure]}`);
    for (let at = -warmUp; at < count; at++) {
      stage.signal.throwIfAborted();
      if (failure !== null) throw failure;
      const ms = await measures[figure](parts, `${name} ${figure} ${at}`);
      if (at >= 0) times[figure].push(ms);
      await pause(thinkMs);
    }
  }
  await consoles.terminate();
  for (const { id, version } of running) await front.service.cancel(id, { version }, asker);
  return times;
}

export const measurePeople: Bench = async (stage) => {
  const db = openDatabase(stage.url, {
    max: 1,
    silenceMs: 1_800_000,
    applicationName: 'countersign bench',
    onError: (error) => stage.say(error.message),
  });
  stage.closeLater('the connection that fills', db.close);
  const shown = createShownTimes();
  const onLine = (line: string) => shown.note(JSON.parse(line));
  const front = await stage.openInstance({ work: false });
  for (let worker = 0; worker < 2; worker++) await stage.startPeopleWorker(onLine);
  const { url } = await stage.start('gateway');
  const parts = { stage, db, front, shown, url };

  await fillPlans(db, few);
  const small = await measureCrowd({ ...parts, crowd: few });
  stage.say(`${many.ended} ended plans are written`);
  await fillPlans(db, many, few.ended + few.live);
  const large = await measureCrowd({ ...parts, crowd: many });
  return figures.map(
    (figure): BenchRow =>
      makeRow({
        name: 'people',
        what: `${described[figure]}, with ${many.people} people, p99`,
        unit: 'ms',
        value: quantile(large[figure], 0.99),
        p50: median(large[figure]),
        compared: { with: `${few.people} people`, value: quantile(small[figure], 0.99) },
        target: atMostThrice,
      }),
  );
};
