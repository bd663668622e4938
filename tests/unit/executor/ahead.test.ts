// What may be called ahead, and what can be stored of it, against a plan that is gone through by chance.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ahead, type AheadCall } from '#executor/ahead.ts';
import type { GrantedStep, Outcome } from '#store/sql/settle.ts';

function granted(position: number, needs: number[]): GrantedStep {
  return {
    position,
    needs,
    step_id: `s${position}`,
    description: '',
    tool: 'control',
    operation: 'noop',
    target: null,
    args: {},
    resources: {},
    capabilities: [],
    seen: null,
    effect: 'read',
    guarded: false,
    when: [],
    ask_before: false,
    seal: null,
    lane: 1,
    attempt: 1,
    tries: 1,
    final_args: null,
  };
}

const success = ({ position }: GrantedStep): Outcome => ({
  position,
  attempt: 1,
  status: 'succeeded',
  summary: null,
  output: null,
  error: null,
  question: null,
  final_args: null,
  retry_in_ms: null,
});

function call(book: Ahead, step: GrantedStep, now = 0): AheadCall {
  const lease = { plan_id: 'PLAN-1', position: step.position, attempt: 1 };
  return book.begin(step, lease, new AbortController(), now);
}

function comeBack(book: Ahead, made: AheadCall): void {
  made.outcome = success(made.step);
  book.allow(made);
}

const none: ReadonlySet<number> = new Set();
const placesOf = (calls: AheadCall[]) => calls.map(({ step }) => step.position);

describe('steps ahead', () => {
  test('are called when all they need has succeeded here, once', () => {
    const book = new Ahead();
    expect(book.grant([granted(3, [1, 2])], none)).toEqual([]);
    expect(book.succeed(1)).toEqual([]);
    expect(book.succeed(1)).toEqual([]);
    const [step] = book.succeed(2);
    expect(step?.position).toBe(3);
    if (step !== undefined) call(book, step);
    expect(book.succeed(2)).toEqual([]);
    expect(book.grant([granted(3, [1, 2])], none)).toEqual([]);
  });

  test('are called at once where what they need has succeeded already, or was settled by the turn that granted them', () => {
    const book = new Ahead();
    book.succeed(1);
    expect(book.grant([granted(3, [1, 2])], new Set([2]))).toHaveLength(1);
  });

  test('are stored only with all they wait for, and say how many these are', () => {
    const book = new Ahead();
    const [one, two] = [granted(3, [1, 2]), granted(4, [3])];
    book.grant([one, two], none);
    book.succeed(1);
    book.succeed(2);
    const first = call(book, one, 10);
    comeBack(book, first);
    first.ended = 15;
    book.succeed(3);
    const second = call(book, two, 20);
    expect(placesOf(book.choose(new Set([1]), 10))).toEqual([]);
    expect(placesOf(book.choose(new Set([1, 2]), 10))).toEqual([3]);
    comeBack(book, second);
    expect(placesOf(book.choose(new Set([1, 2]), 10))).toEqual([3, 4]);
    expect(placesOf(book.choose(new Set([1, 2]), 1))).toEqual([3]);
    expect(book.choose(new Set([1, 2]), 0)).toEqual([]);
    expect(book.describe(first, 30)).toMatchObject([
      { unmet: 2, began_ms_ago: 20, ended_ms_ago: 15 },
    ]);
    book.settle([1]);
    expect(book.describe(first, 30)).toMatchObject([{ unmet: 1 }]);
    expect(placesOf(book.choose(new Set([2]), 10))).toEqual([3, 4]);
  });

  test('are given up when all they waited for is settled and they have not started, with what was called because of them', () => {
    const book = new Ahead();
    const [step, slow, next] = [granted(3, [1]), granted(4, [1]), granted(5, [3])];
    book.grant([step, slow, next, granted(6, [5]), granted(7, [1]), granted(8, [2])], none);
    book.succeed(1);
    const made = call(book, step);
    const under = call(book, slow);
    comeBack(book, made);
    book.succeed(3);
    const because = call(book, next);
    expect(book.giveUp()).toEqual([]);
    book.settle([1]);
    expect(book.giveUp()).toEqual([made, because]);
    expect(book.has(made)).toBe(false);
    // What is under way may still start.
    expect(book.has(under)).toBe(true);
    expect(book.known()).toEqual([4, 8]);
    book.forgetUncalled();
    expect(book.known()).toEqual([4]);
    expect(book.take(4)).toBe(under);
    expect(book.size).toBe(0);
  });

  test('are given up with a success that was refused', () => {
    const book = new Ahead();
    const steps = [granted(3, [1, 2]), granted(4, [3]), granted(5, [2])];
    book.grant(steps, none);
    book.succeed(1);
    expect(book.revoke([1])).toEqual([]);
    expect(book.succeed(2).map(({ position }) => position)).toEqual([5]);
  });

  test('never begin before, and never are stored without, what they need', () => {
    const plan = fc
      .array(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }), {
        minLength: 2,
        maxLength: 30,
      })
      .map((rows) =>
        rows.map((backs, at) => [...new Set(backs.map((back) => at - back).filter((n) => n >= 0))]),
      );
    const walk = fc.property(plan, fc.infiniteStream(fc.nat(1000)), (needs, chance) => {
      const next = (below: number) => (chance.next().value ?? 0) % below;
      const book = new Ahead();
      const stored = new Set<number>();
      const here = new Set<number>();
      const heads = new Set<number>();
      const flying: AheadCall[] = [];
      const begin = (steps: GrantedStep[]) => {
        for (const step of steps) {
          const missing = needs[step.position]?.filter((n) => !stored.has(n) && !here.has(n));
          expect(missing).toEqual([]);
          flying.push(call(book, step));
        }
      };
      for (let turns = 0; stored.size < needs.length && turns < 500; turns++) {
        needs.forEach((own, at) => {
          const free = !stored.has(at) && !here.has(at) && own.every((n) => stored.has(n));
          if (free && !heads.has(at)) {
            const made = book.take(at);
            heads.add(at);
            if (made !== null && flying.includes(made)) flying.splice(flying.indexOf(made), 1);
          }
        });
        const open = needs.flatMap((own, at) =>
          stored.has(at) || heads.has(at) || here.has(at)
            ? []
            : [
                granted(
                  at,
                  own.filter((n) => !stored.has(n)),
                ),
              ],
        );
        begin(
          book.grant(
            open.filter(() => next(2) === 0),
            none,
          ),
        );
        for (const at of [...heads].filter(() => next(2) === 0)) {
          here.add(at);
          begin(book.succeed(at));
        }
        for (const made of flying.splice(0, next(4))) {
          comeBack(book, made);
          here.add(made.step.position);
          begin(book.succeed(made.step.position));
        }
        const ended = new Set([...heads].filter((at) => here.has(at)));
        const chosen = book.choose(ended, next(6));
        for (const made of chosen) {
          const at = made.step.position;
          const [told] = book.describe(made, 0);
          const own = needs[at]?.filter((n) => !stored.has(n)) ?? [];
          expect(told?.unmet).toBe(own.length);
          const together = [...ended, ...placesOf(chosen)];
          expect(own.filter((n) => !together.includes(n))).toEqual([]);
        }
        for (const at of placesOf(chosen)) book.take(at);
        for (const at of [...ended, ...placesOf(chosen)]) {
          stored.add(at);
          heads.delete(at);
        }
        book.settle([...ended, ...placesOf(chosen)]);
        for (const made of book.giveUp()) {
          here.delete(made.step.position);
          if (flying.includes(made)) flying.splice(flying.indexOf(made), 1);
        }
      }
      expect(stored.size).toBe(needs.length);
    });
    fc.assert(walk, { numRuns: 300 });
  });
});
