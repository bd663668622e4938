import { describe, expect, it } from 'vitest';
import { systemClock } from '#domain/clock.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { draftPlan } from '#planner/draft/draft-plan.ts';
import { Session } from '#planner/stages/session.ts';
import { createStageTools } from '#planner/stages/stage-tools.ts';
import { createToolset } from '#planner/tools/registry.ts';
import { builtins, toolsOf } from '../manifest.ts';
import { makeDesk, makeState } from './tool-context.ts';

const { signal } = new AbortController();
const rows = (from: number, to: number): Json[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => ({ id: from + at, kind: 'open' }));

function open(answer: (args: JsonObject) => Json, taken: string[], answers: string[] = []) {
  const list: OperationSpec = {
    tool: 'crm',
    operation: 'list',
    name: 'crm_list',
    description: 'Lists',
    input: { type: 'object', properties: Object.fromEntries(taken.map((name) => [name, {}])) },
    effect: 'read',
    destructive: false,
    source: 'mcp',
  };
  const base = toolsOf([...builtins, list]);
  const calls: JsonObject[] = [];
  const tools = {
    ...base,
    validate: () => [],
    call: async (_name: string, args: JsonObject) => {
      calls.push(args);
      return { summary: 'done', data: answer(args) };
    },
  };
  const session = new Session(makeState());
  const { state: _, signal: __, ...desk } = makeDesk({ request: 'Delete every one' });
  const stageTools = createStageTools({
    stage: 'DRAFT_OUTLINE',
    session,
    tools: createToolset({
      tools,
      otherPlans: async () => ({ blocks: [], more: false }),
      preferences: {
        isKnown: async () => true,
        isBusy: async () => true,
        claim: async () => false,
      },
      guarded: [],
    })(),
    toolContext: { ...desk, ownMessages: answers, tools },
    clock: systemClock,
    remember: async (_tool, _args, make) => ({ outcome: await make(), remembered: false }),
    report: () => undefined,
  });
  const call = (name: string, args: JsonObject) => stageTools.call(name, args, signal);
  return {
    calls,
    session,
    each: (more: JsonObject = {}) =>
      call('for_each', {
        id: 'g',
        title: 'Delete each',
        operation: 'crm_list',
        args: {},
        list: '/items',
        step: {
          description: 'Delete {{item/id}}',
          operation: 'workspace_delete',
          args: { path: 'data/{{item/id}}' },
        },
        ...more,
      }),
    submit: () => call('submit_plan', { title: 'Delete all', confidence: 1 }),
    draft: () => {
      const { outline } = session.state;
      if (outline === null) throw new Error('There is no draft.');
      return draftPlan(outline, null, null);
    },
  };
}

describe('a listing of several pages is read to its end without being told how', () => {
  const page = (start: number) => ({ items: rows(start, Math.min(start + 100, 250)) });
  it.each<[string, string[], (args: JsonObject) => Json]>([
    [
      'nextCursor',
      ['cursor'],
      ({ cursor = 0 }) =>
        ({
          ...page(Number(cursor)),
          nextCursor: Number(cursor) < 200 ? String(Number(cursor) + 100) : undefined,
        }) as Json,
    ],
    [
      'next_page_token beside an empty last one',
      ['page_token', 'page_size'],
      ({ page_token: at = 0 }) => ({
        ...page(Number(at)),
        next_page_token: Number(at) < 200 ? String(Number(at) + 100) : '',
      }),
    ],
    [
      'a number in "next"',
      ['offset', 'limit'],
      ({ offset = 0 }) => ({
        ...page(Number(offset)),
        next: Number(offset) < 200 ? Number(offset) + 100 : null,
      }),
    ],
    [
      'page info as in GraphQL, whose last cursor leads nowhere',
      ['after', 'first'],
      ({ after = 0 }) => ({
        ...page(Number(after)),
        pageInfo: { endCursor: String(Number(after) + 100), hasNextPage: Number(after) < 200 },
      }),
    ],
    [
      'a page without items between two others',
      ['cursor'],
      ({ cursor = 0 }) => ({
        items: cursor === '100' ? [] : rows(Number(cursor), Math.min(Number(cursor) + 100, 350)),
        next_cursor: Number(cursor) < 300 ? String(Number(cursor) + 100) : null,
      }),
    ],
  ])('%s', async (_, taken, answer) => {
    const { each, submit, draft } = open(answer, taken);
    expect((await each()).result.ok).toBe(true);
    expect(draft().steps).toHaveLength(250);
    expect(draft().risks ?? []).toEqual([]);
    expect(await submit()).toMatchObject({ ends: 'sufficient_context' });
  });
});

describe('a list that is not whole', () => {
  it.each<[string, JsonObject, string]>([
    ['says truncated', { truncated: true }, '100 of at least 101'],
    ['says has_more', { has_more: true }, '100 of at least 101'],
    ['has a cursor that nothing takes', { next_cursor: 'x' }, '100 of at least 101'],
    ['says how many there are', { total_count: 6200 }, '100 of 6,200'],
    ['says so about the page', { meta: { totalCount: 6200 } }, '100 of 6,200'],
    ['links to the next page', { next: 'https://example.org/?page=2' }, '100 of at least 101'],
  ])('%s: a person is asked, then it is the first risk', async (_, more, numbers) => {
    const answer = () => ({ items: rows(0, 100), ...more });
    const { each, submit, session } = open(answer, []);
    await each();
    expect(await submit()).toMatchObject({ ends: 'needs_clarification' });
    const { result } = session.state;
    if (result?.kind !== 'question') throw new Error('Nothing was asked.');
    const [asked] = result.questions;
    expect(asked?.text).toContain(numbers);
    const [choice] = asked?.options ?? [];
    const again = open(answer, [], [choice?.text ?? '']);
    await again.each();
    expect(await again.submit()).toMatchObject({ ends: 'sufficient_context' });
    expect(again.draft().risks?.[0]).toMatchObject({ text: expect.stringContaining(numbers) });
    expect(again.draft().steps).toHaveLength(100);
  });

  it('is no risk any more once it was narrowed or taken out', async () => {
    const { each, draft } = open(
      ({ folder }) => ({ items: rows(0, 5), truncated: folder === undefined }),
      ['folder'],
    );
    await each();
    expect(draft().risks).toHaveLength(1);
    await each({ args: { folder: 'a' } });
    expect(draft().risks ?? []).toEqual([]);
  });

  it.each<[string, string[], (args: JsonObject, nth: number) => Json]>([
    [
      'the same page under the same cursor',
      ['cursor'],
      () => ({ items: rows(0, 10), next_cursor: 'a' }),
    ],
    [
      'the same page under a new cursor',
      ['cursor'],
      (_, nth) => ({ items: rows(0, 10), next_cursor: `c${nth}` }),
    ],
    [
      'two pages in turns',
      ['cursor'],
      ({ cursor }, nth) => ({
        items: cursor === 'b' ? rows(10, 20) : rows(0, 10),
        next_cursor: cursor === 'b' ? `a${nth}` : 'b',
      }),
    ],
  ])('that repeats itself is refused: %s', async (_, taken, answer) => {
    let nth = 0;
    const { each, calls, session } = open((args) => answer(args, ++nth), taken);
    expect((await each()).result.ok).toBe(false);
    expect(calls.length).toBeLessThan(6);
    expect(session.state.outline).toBeNull();
  });

  it('whose second page fails makes nothing', async () => {
    const { each, session } = open(
      ({ cursor }) => {
        if (cursor !== undefined) throw new Error('Bad gateway');
        return { items: rows(0, 10), next_cursor: 'a' };
      },
      ['cursor'],
    );
    expect((await each()).result.ok).toBe(false);
    expect(session.state.outline).toBeNull();
  });

  it('by conditions on a field that some items lack says how many', async () => {
    const items = [...rows(0, 4), { id: 4 }, { id: 5 }];
    const { each, draft } = open(() => ({ items }), []);
    await each({ where: [{ path: '/kind', is: 'equals', value: 'open' }] });
    expect(draft().steps).toHaveLength(4);
    expect(draft().risks?.[0]).toMatchObject({
      text: expect.stringContaining('2 items without /kind'),
    });
  });

  it('by lines that could not be read names them', async () => {
    const skipped = [{ line: 7, reason: 'it has 3 values, and there are 2 columns' }];
    const { each, submit, draft } = open(() => ({ items: rows(0, 3), skipped }), []);
    await each();
    expect(await submit()).toMatchObject({ ends: 'sufficient_context' });
    expect(draft().risks?.[0]).toMatchObject({ text: expect.stringContaining('line 7: it has 3') });
  });
});

describe('a text is a list too', () => {
  it.each<[string, JsonObject, Json, number, number]>([
    ['CSV by its name', { path: 'a.csv' }, 'id;kind\n1;a\n2;b\n3;c;d\n', 2, 1],
    ['CSV by its type', { url: 'https://example.org/x' }, 'id,kind\n1,a\n', 1, 0],
    ['TSV', { path: 'a.tsv' }, 'id\tkind\n1\ta\n2\tb\n', 2, 0],
    ['a JSON list', { path: 'a.json' }, '[{"id":1},{"id":9007199254740993}]', 2, 0],
    ['JSON lines', { path: 'a.txt' }, '{"id":1}\n{"id":2}\n{"id":\n', 2, 1],
  ])('%s', async (_, args, text, count, skipped) => {
    const headers = 'url' in args ? { 'content-type': 'text/csv' } : {};
    const { each, draft } = open(() => ({ text, headers }), []);
    await each({ args, list: '/text' });
    expect(draft().steps).toHaveLength(count);
    expect(draft().steps[0]?.args).toEqual({ path: 'data/1' });
    expect(draft().risks ?? []).toHaveLength(skipped);
  });

  it('lines are items themselves, and one that was cut is not everything', async () => {
    const { each, submit, draft } = open(() => ({ text: 'a\n\nb, c\r\nd\n', truncated: true }), []);
    const step = { description: 'x', operation: 'workspace_delete', args: { path: '{{item}}' } };
    await each({ list: '/text', step });
    expect(draft().steps.map(({ args }) => args?.path)).toEqual(['a', 'b, c', 'd']);
    expect(await submit()).toMatchObject({ ends: 'needs_clarification' });
  });
});
