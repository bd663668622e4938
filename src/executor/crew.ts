// All back ends of one process. Each has its own loops, leases and slots; every plan is offered to all, and each claims what it can run.
import { setTimeout as pause } from 'node:timers/promises';
import { type Listener, notify } from '#db/notify.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Backend, ExecutorContext, SharedContext } from './executor-context.ts';
import { cancelledByPerson, keepLeases } from './leases.ts';
import { createMarker } from './mark-batch.ts';
import { PlanLoop } from './plan-loop.ts';
import { createSearch } from './recover.ts';
import { createSlots } from './slots.ts';

// The loops of one back end, one a plan: begun where a wakeup says so, told to look again, and ended with the process.

/** What a stopping process lets calls under way end within (milliseconds); then they are cut off. */
const callsEndWithinMs = 5000;

export type PlanWorker = {
  /** Works until the plan has nothing ready for this back end. Where a loop is at it already, it is told to look again. */
  work(planId: string): Promise<void>;
  /**
   * Claims nothing more, lets calls under way end for some seconds, settles them, hands back the rest. What is cut
   * off is handed back as well, unless it may not be repeated: then a person is asked.
   */
  stop(): Promise<void>;
};

export function createPlanWorker(context: ExecutorContext): PlanWorker {
  const mark = createMarker(context);
  const loops = new Map<string, { loop: PlanLoop; done: Promise<void> }>();
  let stopping = false;

  /** Looks again when it was poked at the very end; between that and the next `work` nothing is awaited. */
  async function run(loop: PlanLoop): Promise<void> {
    try {
      do await loop.run();
      while (loop.poked && !stopping);
    } finally {
      loops.delete(loop.planId);
    }
    if (stopping) await handBack(loop.planId);
  }

  /** A wakeup for the worker that continues the plan when this process has stopped. */
  async function handBack(planId: string): Promise<void> {
    await context.db.transaction((tx) =>
      context.enqueue(tx, 'step', { plan_id: planId }, { key: planId }),
    );
  }

  return {
    work(planId) {
      const current = loops.get(planId);
      if (current !== undefined) {
        // Not waited for: a wakeup must not keep a place that another plan needs.
        current.loop.poke();
        return Promise.resolve();
      }
      if (stopping) return handBack(planId);
      const loop = new PlanLoop(context, planId, mark, () => stopping);
      const done = run(loop);
      loops.set(planId, { loop, done });
      return done;
    },
    async stop() {
      stopping = true;
      for (const { loop } of loops.values()) loop.poke();
      const ended = Promise.allSettled([...loops.values()].map(({ done }) => done));
      await Promise.race([ended, pause(callsEndWithinMs, undefined, { ref: false })]);
      context.leases.abortAll(new Error('this process stops'));
      await ended;
    },
  };
}

export type Crew = {
  context: SharedContext;
  backends: { id: string; backend: Backend }[];
  /** Has every back end work on the plan until nothing is ready that it can run, and tells the other workers. Waits for neither. */
  work(planId: string): Promise<void>;
  /** Works on every plan with steps that a back end of this process can run. */
  lookForWork(): Promise<void>;
  /** Claims nothing more, lets calls under way end for some seconds, hands back the rest. */
  stop(): Promise<void>;
  /** Milliseconds since leases that are held were renewed; 0: none is held. */
  leasesQuietMs(): number;
  /** Renews no lease any more. */
  letGo(): void;
};

/**
 * @param worker name of this process, unique in the world
 * @param listener tells of plans that were cancelled, and of plans with steps that nobody has taken
 */
export function createCrew(
  context: SharedContext,
  backends: Backend[],
  worker: string,
  listener: Listener,
): Crew {
  const members: {
    context: ExecutorContext;
    worker: PlanWorker;
    search: () => Promise<string[]>;
  }[] = backends.map((backend) => {
    const id = `${worker}/${backend.name}`;
    const slots = createSlots(backend.concurrency, backend.mostConcurrency);
    const leases = keepLeases(context.db, id, context.settings.lease_seconds, context.warn);
    const own: ExecutorContext = { ...context, backend, worker: id, leases, slots };
    return { context: own, worker: createPlanWorker(own), search: createSearch(own) };
  });
  let stopping = false;

  async function work(planId: string): Promise<void> {
    // It may be about steps that only another process can run.
    await notify(context.db.query, `work:${planId}`);
    for (const member of members) begin(member, planId);
  }

  /** What fails is found again by the next round. */
  function begin(member: (typeof members)[number], planId: string): void {
    member.worker.work(planId).catch((error: unknown) => {
      // A job may outlive its plan.
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

  /** After a reconnection the topic names no plan, so all work is looked for. */
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
        lookForWork().catch((error: unknown) =>
          context.warn('No work could be looked for.', error),
        );
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
    leasesQuietMs: () => Math.max(...members.map(({ context: own }) => own.leases.quietMs())),
    letGo() {
      for (const member of members) member.context.leases.stop();
    },
  };
}
