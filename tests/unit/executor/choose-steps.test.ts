// Ready steps that fit the pools, in order, without starvation.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PoolState, ResourceWait } from '#db/sql/resources.ts';
import { type Candidate, chooseSteps } from '#executor/choose-steps.ts';

const maxWaitMs = 1000;
const own = 'PLAN-own';

const step = (position: number, needs: Record<string, number>): Candidate => ({ position, needs });
const pool = (name: string, free: number, limit = 10): PoolState => ({ name, free, limit });
const wait = (
  plan_id: string,
  position: number,
  amount: number,
  waited_ms: number,
): ResourceWait => ({
  pool: 'cpu',
  plan_id,
  position,
  amount,
  waited_ms,
});

function choose(
  candidates: Candidate[],
  pools: PoolState[],
  waits: ResourceWait[] = [],
  limit = 100,
) {
  const { chosen, blocked } = chooseSteps(candidates, pools, waits, own, limit, maxWaitMs);
  return { chosen: chosen.map(({ position }) => position), blocked };
}

describe('steps that need resources', () => {
  it('start in their order as far as they fit, and no more than were asked for', () => {
    const ready = [1, 2, 3, 4].map((position) => step(position, { cpu: 3 }));
    expect(choose(ready, [pool('cpu', 10)]).chosen).toEqual([1, 2, 3]);
    expect(choose(ready, [pool('cpu', 10)], [], 2).chosen).toEqual([1, 2]);
  });

  it('are passed by smaller ones at first, and stand in line', () => {
    const ready = [step(1, { cpu: 8 }), step(2, { cpu: 1 }), step(3, { cpu: 8 })];
    const { chosen, blocked } = choose(ready, [pool('cpu', 4)]);
    expect(chosen).toEqual([2]);
    expect(blocked).toEqual([{ position: 1, pool: 'cpu', amount: 8 }]);
  });

  it('are not passed any more once they have waited long, by their own plan or another', () => {
    const small = step(2, { cpu: 1 });
    expect(choose([small], [pool('cpu', 4)], [wait(own, 1, 4, 2000)]).chosen).toEqual([]);
    expect(choose([small], [pool('cpu', 4)], [wait('PLAN-other', 9, 4, 2000)]).chosen).toEqual([]);
    expect(choose([small], [pool('cpu', 4)], [wait('PLAN-other', 9, 4, 10)]).chosen).toEqual([2]);
    expect(choose([small], [pool('cpu', 5)], [wait('PLAN-other', 9, 4, 2000)]).chosen).toEqual([2]);
  });

  it('go first when their turn has come, and leave the rest to the others', () => {
    const waits = [wait(own, 3, 6, 2000), wait('PLAN-other', 9, 5, 1500)];
    const ready = [step(1, { cpu: 3 }), step(3, { cpu: 6 })];
    expect(choose(ready, [pool('cpu', 10)], waits).chosen).toEqual([3]);
  });

  it('that need more than there is stand in nobody’s way', () => {
    const { chosen, blocked } = choose(
      [step(1, { cpu: 11 }), step(2, { cpu: 4 })],
      [pool('cpu', 2)],
    );
    expect(chosen).toEqual([]);
    expect(blocked).toEqual([{ position: 2, pool: 'cpu', amount: 4 }]);
  });
});

const names = ['cpu', 'gpu', 'net'];
const pools = fc.tuple(
  ...names.map((name) =>
    fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 100 }))
      .map(([limit, used]): PoolState => ({ name, limit, free: Math.floor((limit * used) / 100) })),
  ),
);
const needs = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 14 }));
const candidates = fc
  .array(needs, { maxLength: 20 })
  .map((all) => all.map((need, index) => step(index + 1, need)));
/** A step queues for all its needs at once; the queue holds whole steps, longest wait first. */
const waitsOf = (ready: Candidate[]) =>
  fc
    .uniqueArray(
      fc.record({
        plan_id: fc.constantFrom(own, 'PLAN-b', 'PLAN-c'),
        position: fc.integer({ min: 1, max: 20 }),
        needs,
        waited_ms: fc.integer({ min: 0, max: 3000 }),
      }),
      { maxLength: 12, selector: ({ plan_id, position }) => `${plan_id} ${position}` },
    )
    .map((steps) =>
      steps
        .sort((a, b) => b.waited_ms - a.waited_ms)
        .flatMap(({ plan_id, position, needs, waited_ms }): ResourceWait[] => {
          const mine = plan_id === own ? ready[position - 1]?.needs : undefined;
          return Object.entries(mine ?? needs).map(([pool, amount]) => ({
            pool,
            plan_id,
            position,
            amount,
            waited_ms,
          }));
        }),
    );
const readyAndWaits = candidates.chain((ready) => fc.tuple(fc.constant(ready), waitsOf(ready)));

const amount = (chosen: Candidate[], name: string) =>
  chosen.reduce((sum, { needs }) => sum + (needs[name] ?? 0), 0);

describe('any choice', () => {
  it('takes no more of a pool than is free, nothing twice, and not more steps than asked for', () => {
    fc.assert(
      fc.property(
        readyAndWaits,
        pools,
        fc.integer({ min: 1, max: 25 }),
        ([ready, line], state, limit) => {
          const { chosen } = chooseSteps(ready, state, line, own, limit, maxWaitMs);
          for (const { name, free } of state)
            expect(amount(chosen, name)).toBeLessThanOrEqual(free);
          expect(chosen.length).toBeLessThanOrEqual(limit);
          expect(new Set(chosen).size).toBe(chosen.length);
          expect(chosen).toEqual(ready.filter((one) => chosen.includes(one)));
        },
      ),
    );
  });

  it('leaves whoever waits longest, and is due, what it waits for', () => {
    fc.assert(
      fc.property(readyAndWaits, pools, ([ready, line], state) => {
        const { chosen } = chooseSteps(ready, state, line, own, 100, maxWaitMs);
        for (const { name, free } of state) {
          const first = line.find((w) => w.pool === name && w.waited_ms >= maxWaitMs);
          if (first === undefined || free < first.amount) continue;
          const served = first.plan_id === own && chosen.some((c) => c.position === first.position);
          if (!served) expect(free - amount(chosen, name)).toBeGreaterThanOrEqual(first.amount);
        }
      }),
    );
  });

  it('starts every step that fits while nobody waits', () => {
    fc.assert(
      fc.property(candidates, pools, (ready, state) => {
        const { chosen, blocked } = chooseSteps(ready, state, [], own, 100, maxWaitMs);
        for (const one of ready.filter((candidate) => !chosen.includes(candidate))) {
          const short = names.some((name) => {
            const free = state.find((p) => p.name === name)?.free ?? 0;
            return (one.needs[name] ?? 0) > free - amount(chosen, name);
          });
          expect(short).toBe(true);
        }
        // One blocked step per pool queues, with all its needs.
        for (const { position, pool: name, amount: asked } of blocked)
          expect(ready[position - 1]?.needs[name]).toBe(asked);
      }),
    );
  });
});
