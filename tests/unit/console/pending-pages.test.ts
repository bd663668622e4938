import { describe, expect, it } from 'vitest';
import { findAdded, readPages } from '../../../adapters/console/page/live/pending-pages.ts';
import { makePlan } from '../../fixtures/plans.ts';

const plansOf = (...ids: string[]) => ids.map((id) => makePlan({ id }));

/** A server that has `ids`, two to a page; a cursor is where the next page begins. */
function useServer(...ids: string[]) {
  const asked: (string | null)[] = [];
  const read = async (wanted: number) => {
    const page = await readPages(async (cursor) => {
      asked.push(cursor);
      const from = Number(cursor ?? 0);
      const next = from + 2 < ids.length ? String(from + 2) : null;
      return { plans: plansOf(...ids.slice(from, from + 2)), next_cursor: next };
    }, wanted);
    return { ids: page.plans.map(({ id }) => id), next: page.next_cursor };
  };
  return { read, asked };
}

describe('the pages of what waits', () => {
  it('are read as far as the reader has asked, with where older ones go on', async () => {
    const { read, asked } = useServer('e', 'd', 'c', 'b', 'a');
    expect(await read(0)).toEqual({ ids: ['e', 'd'], next: '2' });
    expect(await read(3)).toEqual({ ids: ['e', 'd', 'c', 'b'], next: '4' });
    expect(asked).toEqual([null, null, '2']);
  });

  it('end where there are no more, however many are asked for', async () => {
    expect(await useServer('c', 'b', 'a').read(9)).toEqual({ ids: ['c', 'b', 'a'], next: null });
    expect(await useServer().read(9)).toEqual({ ids: [], next: null });
  });
});

describe('the first plan that was added below', () => {
  it.each([
    ['nothing else has changed', ['d', 'c'], ['d', 'c', 'b', 'a'], 'b'],
    ['newer ones have come meanwhile', ['d', 'c'], ['f', 'e', 'd', 'c', 'b', 'a'], 'b'],
    ['some of the list were decided meanwhile', ['d', 'c'], ['d', 'b', 'a'], 'b'],
    ['all of the list were decided meanwhile', ['d', 'c'], ['b', 'a'], 'b'],
    ['there is none', ['d', 'c'], ['e', 'd', 'c'], null],
    ['nothing waits any more', ['d', 'c'], [], null],
  ])('is found where %s', (_, before, now, added) => {
    expect(findAdded(plansOf(...before), plansOf(...now))).toBe(added);
  });
});
