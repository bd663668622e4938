// A process's back ends, each with its own loops, leases and slots.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '#db/database.ts';
import { type Listener, notify } from '#db/notify.ts';
import { CountersignError } from '#domain/errors.ts';
import { createGate, type Gate } from '#domain/gate.ts';
import { createMarker } from './claim.ts';
import type { Backend, ExecutorContext, SharedContext } from './executor-context.ts';
import { cancelledByPerson, keepLeases } from './leases.ts';
import { PlanLoop } from './plan-loop.ts';
import { createSearch } from './recover.ts';
import { createSlots } from './slots.ts';

const usualCallsEndWithinMs = 5000;

export type PlanWorker = {
  work(planId: string): Promise<void>;
  /** Gives calls a few seconds, hands the rest back; a cut-off call that must not be repeated goes to a person. */
  stop(): Promise<void>;
  /** Cuts off only calls that may be repeated. */
  drain(): Promise<void>;
};

export function createPlanWorker(
  context: ExecutorContext,
  callsEndWithinMs = usualCallsEndWithinMs,
): PlanWorker {
  const mark = createMarker(context);
  const loops = new Map<string, { loop: PlanLoop; done: Promise<void> }>();
  let state: 'working' | 'draining' | 'stopping' = 'working';
  const isEnding = () => state !== 'working';

  /** Nothing is awaited between the last check and the next `work`, so no poke is lost. */
  async function run(loop: PlanLoop): Promise<void> {
    try {
      do await loop.run();
      while (loop.poked && !isEnding());
    } finally {
      loops.delete(loop.planId);
    }
    if (state === 'stopping') await handBack(loop.planId);
  }

  async function handBack(planId: string): Promise<void> {
    await context.db.transaction((tx) =>
      context.enqueue(tx, 'step', { plan_id: planId }, { key: planId }),
    );
  }

  async function end(mustEnd: boolean): Promise<void> {
    state = mustEnd ? 'stopping' : 'draining';
    for (const { loop } of loops.values()) loop.poke();
    const ended = Promise.allSettled([...loops.values()].map(({ done }) => done));
    await Promise.race([ended, pause(callsEndWithinMs, undefined, { ref: false })]);
    context.leases.abortAll(new Error('this process stops'), mustEnd);
    await ended;
  }

  return {
    work(planId) {
      const current = loops.get(planId);
      if (current !== undefined) {
        // Not awaited: a wakeup must not hold a slot that another plan needs.
        current.loop.poke();
        return Promise.resolve();
      }
      if (state === 'stopping') return handBack(planId);
      // A job handed back would return here at once. Recovery rounds find the plan.
      if (state === 'draining') return Promise.resolve();
      const loop = new PlanLoop(context, planId, mark, isEnding);
      const done = run(loop);
      loops.set(planId, { loop, done });
      return done;
    },
    stop: () => end(true),
    drain: () => end(false),
  };
}

export type Crew = {
  context: SharedContext;
  backends: { id: string; backend: Backend }[];
  work(planId: string): Promise<void>;
  lookForWork(): Promise<void>;
  stop(): Promise<void>;
  drain(): Promise<void>;
  /** Since renewal; 0 if no leases are held. */
  leasesQuietMs(): number;
  letGo(): void;
};

/** Connections left to others; half of a small pool. */
const sparedConnections = 3;

/** Otherwise many plans moving at once would hold every connection. */
export const createTurnGate = ({ pool }: Pick<Database, 'pool'>): Gate =>
  createGate(Math.max(Math.ceil(pool.options.max / 2), pool.options.max - sparedConnections));

/** @param worker globally unique name @param listener reports cancelled plans, and plans with unclaimed steps */
export function createCrew(
  context: SharedContext,
  backends: Backend[],
  worker: string,
  listener: Listener,
): Crew {
  const inTurn = createTurnGate(context.db);
  const members: {
    context: ExecutorContext;
    worker: PlanWorker;
    search: () => Promise<string[]>;
  }[] = backends.map((backend) => {
    const id = `${worker}/${backend.name}`;
    const slots = createSlots(backend.concurrency, backend.mostConcurrency);
    const leases = keepLeases(context, id);
    const own: ExecutorContext = { ...context, backend, worker: id, leases, slots, inTurn };
    return { context: own, worker: createPlanWorker(own), search: createSearch(own) };
  });
  let stopping = false;

  async function work(planId: string): Promise<void> {
    await notify(context.db.query, `work:${planId}`);
    for (const member of members) begin(member, planId);
  }

  /** The next round finds the plan again if this fails. */
  function begin(member: (typeof members)[number], planId: string): void {
    member.worker.work(planId).catch((error: unknown) => {
      if (
        error instanceof CountersignError &&
        (error.code === 'plan_not_found' || error.code === 'plan_deleted')
      )
        return;
      context.warn(`${planId} could not be worked on.`, error);
    });
  }

  async function lookForWork(): Promise<void> {
    if (stopping) return;
    for (const member of members) {
      for (const planId of await member.search()) begin(member, planId);
    }
  }

  /** After a reconnection the topic names no plan. */
  const isMissed = (topic: string) => !topic.includes(':');
  const planOf = (topic: string) => topic.slice(topic.indexOf(':') + 1);
  const offs = [
    listener.on('cancel', (topic) => {
      for (const { context: own } of members) {
        if (isMissed(topic)) own.leases.renew();
        else own.leases.abortPlan(planOf(topic), cancelledByPerson());
      }
    }),
    listener.on('work', (topic) => {
      if (stopping) return;
      if (isMissed(topic)) {
        lookForWork().catch((error: unknown) => context.warn('Could not look for work.', error));
        return;
      }
      for (const member of members) begin(member, planOf(topic));
    }),
  ];

  return {
    context,
    backends: members.map((member) => ({
      id: member.context.worker,
      backend: member.context.backend,
    })),
    work,
    lookForWork,
    async stop() {
      stopping = true;
      for (const off of offs) off();
      await Promise.all(members.map((member) => member.worker.stop()));
    },
    async drain() {
      stopping = true;
      await Promise.all(members.map((member) => member.worker.drain()));
    },
    leasesQuietMs: () => Math.max(...members.map(({ context: own }) => own.leases.quietMs())),
    letGo() {
      for (const member of members) member.context.leases.stop();
    },
  };
}
