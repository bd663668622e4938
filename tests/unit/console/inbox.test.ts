import { describe, expect, it } from 'vitest';
import type { InboxGroup, InboxPage, InboxPlan } from '#domain/plan/inbox.ts';
import { isFolded, isUnread, mayTick } from '../../../adapters/console/page/inbox/inbox.ts';
import { appendPage, keepTicks, mergeGroups } from '../../../adapters/console/page/inbox/pages.ts';
import { parseSearch, toQuery } from '../../../adapters/console/page/inbox/search.ts';
import {
  describeEntry,
  describePage,
  progressOf,
  sinceWhen,
} from '../../../adapters/console/page/inbox/words.ts';
import { makePlan } from '../../fixtures/plans.ts';

function listed(id: string, more: Partial<InboxPlan> = {}): InboxPlan {
  return {
    ...makePlan({ id }),
    waits: null,
    waits_since: null,
    waits_step: null,
    may_approve: false,
    ...more,
  };
}

function pageOf(group: InboxGroup, ids: string[], next_cursor: string | null = null): InboxPage {
  return { group, total: 99, counted: true, plans: ids.map((id) => listed(id)), next_cursor };
}

const idsOf = ({ plans }: Pick<InboxPage, 'plans'>) => plans.map(({ id }) => id).join('');

describe('a group that is read again', () => {
  it.each([
    ['nothing has changed', 'abcd', 'ab', 'abcd', 'old'],
    ['newer ones have come above', 'abcd', 'xya', 'xyabcd', 'old'],
    ['some of the first have gone', 'abcd', 'bc', 'bcd', 'old'],
    ['all of the first have gone, and others came', 'abcd', 'xy', 'xy', 'new'],
    ['only the first page was known', 'ab', 'ab', 'ab', 'new'],
  ])('keeps what was paged to where %s', (_, known, head, merged, cursor) => {
    const [now] = mergeGroups(
      [pageOf('done', [...head], 'new')],
      [pageOf('done', [...known], 'old')],
    );
    expect(now === undefined ? '' : idsOf(now)).toBe(merged);
    expect(now?.next_cursor).toBe(cursor);
  });

  it('has no plan that another group has now, and ends where the server says that it ends', () => {
    const known = [pageOf('needs_you', ['a', 'b', 'c', 'd'], 'old'), pageOf('running', [])];
    const heads = [pageOf('needs_you', ['a', 'b'], 'new'), pageOf('running', ['d'])];
    expect(mergeGroups(heads, known).map(idsOf)).toEqual(['abc', 'd']);
    const short = [pageOf('needs_you', ['a']), pageOf('running', [])];
    expect(mergeGroups(short, known).map(idsOf)).toEqual(['a', '']);
  });

  it('takes a further page once', () => {
    const grown = appendPage(pageOf('done', ['a', 'b'], 'x'), pageOf('done', ['b', 'c'], 'y'));
    expect(idsOf(grown)).toBe('abc');
    expect(grown.next_cursor).toBe('y');
  });
});

it('a plan is unread until it was opened in its present state', () => {
  const plan = listed('a', { waits: 'task', waits_since: '2026-01-02' });
  const seenAt = (at: string) => new Map([['a', at]]);
  expect(isUnread(plan, new Map())).toBe(true);
  expect(isUnread(plan, seenAt('2026-01-01'))).toBe(true);
  expect(isUnread(plan, seenAt('2026-01-02'))).toBe(false);
  expect(isUnread(listed('a', { status: 'completed' }), new Map())).toBe(false);
});

describe('ticks', () => {
  const waiting = (id: string) => listed(id, { waits: 'approval', may_approve: true });

  it('go with plans that no longer wait, and stay where a plan is out of sight', () => {
    const ticked = new Map(['a', 'b', 'c'].map((id) => [id, waiting(id)]));
    const groups = [
      { ...pageOf('needs_you', []), plans: [waiting('a')] },
      { ...pageOf('done', []), plans: [listed('b')] },
    ];
    expect([...keepTicks(ticked, groups, mayTick).keys()]).toEqual(['a', 'c']);
  });

  it('are for what waits for the reader’s approval only', () => {
    expect(mayTick(waiting('a'))).toBe(true);
    expect(mayTick(listed('a', { waits: 'task' }))).toBe(false);
    expect(mayTick(listed('a', { waits: 'change', may_approve: true }))).toBe(false);
  });
});

describe('groups that are closed', () => {
  it('are the long ones of others and of what is done, until the reader says otherwise or searches', () => {
    const done = (total: number) => ({ ...pageOf('done', []), total });
    expect(isFolded(done(5), {}, false)).toBe(false);
    expect(isFolded(done(50), {}, false)).toBe(true);
    expect(isFolded(done(50), { done: false }, false)).toBe(false);
    expect(isFolded(done(50), { done: true }, true)).toBe(false);
    expect(isFolded({ ...done(50), group: 'needs_you' }, {}, false)).toBe(false);
  });
});

describe('a search', () => {
  it.each([
    ['march figures', { words: 'march figures', person: '', tool: '' }],
    ['from:Ana march', { words: 'march', person: 'Ana', tool: '' }],
    ['from:"Ana Lopez" tool:http', { words: '', person: 'Ana Lopez', tool: 'http' }],
    ['FROM:Ana from:Ben', { words: '', person: 'Ben', tool: '' }],
    ['from: march', { words: 'march', person: '', tool: '' }],
    ['tool:', { words: '', person: '', tool: '' }],
    ['"two words', { words: 'two words', person: '', tool: '' }],
    ['http://example.com', { words: 'http://example.com', person: '', tool: '' }],
    ['  ', { words: '', person: '', tool: '' }],
    ['status:Done march', { words: 'march', person: '', tool: '', group: 'done' }],
    ['status:lost', { words: 'lost', person: '', tool: '' }],
  ])('“%s” is read as it is meant', (text, search) => {
    expect(parseSearch(text)).toEqual({ group: '', ...search });
  });

  it('asks only for what was typed', () => {
    expect(toQuery('from:Ana')).toEqual({ person: 'Ana' });
    expect(toQuery('')).toEqual({});
  });
});

describe('a plan in the inbox', () => {
  it('says what waits for the reader before how it stands', () => {
    const words = (plan: Partial<InboxPlan>) => describeEntry(listed('a', plan)).words;
    expect(words({ status: 'executing', waits: 'task' })).toBe('Your task');
    expect(words({ status: 'proposed', waits: 'approval' })).toBe('Your approval');
    expect(words({ status: 'proposed' })).toBe('Waiting');
    expect(words({ status: 'proposed', revising: true })).toBe('Revising');
    expect(words({ status: 'executing' })).toBe('Running');
    expect(words({ status: 'executing', paused: true })).toBe('Paused');
    expect(words({ status: 'completed' })).toBe('Done');
  });

  it('says how far it is only while it runs', () => {
    const counts = { ...makePlan().counts, succeeded: 9 };
    const plan = { counts, total_steps: 23 };
    expect(progressOf(listed('a', { ...plan, status: 'executing' }))).toEqual({
      ended: 9,
      total: 23,
    });
    expect(progressOf(listed('a', { ...plan, status: 'completed' }))).toBeNull();
    const repeats = ['every Monday'];
    expect(progressOf(listed('a', { ...plan, status: 'executing', repeats }))).toBeNull();
  });

  it('is as old as its state', () => {
    const [created_at, waits_since, execution_ended_at] = [
      '2026-01-01',
      '2026-01-02',
      '2026-01-03',
    ];
    const since = (plan: Partial<InboxPlan>) => sinceWhen(listed('a', { created_at, ...plan }));
    expect(since({ status: 'proposed' })).toBe(created_at);
    expect(since({ status: 'executing', waits_since })).toBe(waits_since);
    expect(since({ status: 'completed', execution_ended_at })).toBe(execution_ended_at);
  });
});

describe('the tab of the browser', () => {
  it('says how many plans need the reader, and which plan is open', () => {
    expect(describePage(0, null)).toBe('Countersign');
    expect(describePage(3, null)).toBe('(3) Countersign');
    expect(describePage(1200, { title: 'Post it', state: 'Running' })).toBe(
      '(1,200) Post it · Running · Countersign',
    );
  });
});
