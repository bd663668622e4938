import { describe, expect, it } from 'vitest';
import { coalesce } from '#domain/coalesce.ts';

/** A read that ends on request and gives `shelf.holds` as it was at its start. */
function useReading() {
  const shelf = { holds: 0 };
  const runs: { end(): void; fail(error: Error): void }[] = [];
  let underWay = 0;
  let most = 0;
  const read = coalesce(async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    const found = shelf.holds;
    try {
      await new Promise<void>((end, fail) => runs.push({ end, fail }));
    } finally {
      underWay -= 1;
    }
    return found;
  });
  const begun = async (count: number) => {
    // Everything that is ready happens before the next task of the loop.
    await new Promise(setImmediate);
    expect(runs).toHaveLength(count);
    const run = runs.at(-1);
    if (run === undefined) throw new Error('Nothing has begun.');
    return run;
  };
  return { shelf, read, begun, most: () => most };
}

describe('a reading that many ask for', () => {
  it('runs once for all who ask before it has begun', async () => {
    const { read, begun } = useReading();
    const all = [read(), read(), read()];
    (await begun(1)).end();
    expect(await Promise.all(all)).toEqual([0, 0, 0]);
    await begun(1);
  });

  it('runs once more for all who ask while it is under way, and never beside itself', async () => {
    const { shelf, read, begun, most } = useReading();
    const first = read();
    const run = await begun(1);
    shelf.holds = 1;
    const later = Array.from({ length: 50 }, () => read());
    await begun(1);
    shelf.holds = 2;
    run.end();
    (await begun(2)).end();
    expect(await first).toBe(0);
    // An answer includes the data present at its request.
    expect(new Set(await Promise.all(later))).toEqual(new Set([2]));
    await begun(2);
    expect(most()).toBe(1);
  });

  it('begins anew for whoever asks when the one after it is under way', async () => {
    const { shelf, read, begun } = useReading();
    const first = read();
    const one = await begun(1);
    const second = read();
    one.end();
    const two = await begun(2);
    shelf.holds = 1;
    const third = read();
    two.end();
    (await begun(3)).end();
    expect(await Promise.all([first, second, third])).toEqual([0, 0, 1]);
  });

  it('tells a failure to those who asked for it alone, and goes on', async () => {
    const { read, begun } = useReading();
    const failing = [read(), read()].map((one) => one.catch(({ message }: Error) => message));
    const run = await begun(1);
    const next = read();
    run.fail(new Error('no answer'));
    expect(await Promise.all(failing)).toEqual(['no answer', 'no answer']);
    (await begun(2)).end();
    expect(await next).toBe(0);
  });
});
