import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fillDetails } from '#adapters/slack/press/fill-window.ts';
import { readHeld } from '#adapters/slack/press/held.ts';
import { keepPages } from '#cards/details-view.ts';
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { JsonObject } from '#domain/text.ts';
import { checkSlackView } from '../../fixtures/block-kit.ts';
import { following, labelled, makeFacts, makeStep, reviewOf } from '../../fixtures/plans.ts';

type View = Awaited<ReturnType<typeof fillDetails>>;

const Runs = z.object({
  type: z.string(),
  elements: z.array(
    z.object({ text: z.string(), style: z.record(z.string(), z.boolean()).optional() }),
  ),
});
const RichText = z.object({ type: z.literal('rich_text'), elements: z.array(Runs) });

const richText = ({ blocks }: View) =>
  blocks.flatMap((block) => RichText.safeParse(block).data?.elements ?? []);
const textOf = (view: View) =>
  richText(view)
    .map(({ elements }) => elements.map(({ text }) => text).join(''))
    .join('\n');
const setApart = (views: View[]) =>
  views
    .flatMap(richText)
    .filter(({ type }) => type === 'rich_text_preformatted')
    .flatMap(({ elements }) => elements.map(({ text }) => text))
    .join('');

/** As the service pages them: 25, guarded ones first. */
function serviceOf(steps: ShownStep[]) {
  const inOrder = steps.toSorted((a, b) => Number(b.guarded) - Number(a.guarded));
  return {
    listSteps: async (_id: string, { cursor = '0' }: { cursor?: string }) => {
      const from = Number(cursor);
      const next = from + 25 < inOrder.length ? String(from + 25) : null;
      return { steps: inOrder.slice(from, from + 25), next_cursor: next };
    },
  };
}

const inThread = { channel: 'C1', thread: '1.1' };
function heldFor({ plan }: PlanCardFacts, place: typeof inThread | null = inThread) {
  const { id, version, digest } = plan;
  const press: CardPress = { action: 'details', plan_id: id, version, digest };
  return { team: 'T1', user: 'U1', place, press, missing: null, fields: [], pages: [''] };
}

async function readAll(steps: ShownStep[], facts = makeFacts({}, steps)): Promise<View[]> {
  const views: View[] = [];
  let pages = [''];
  for (;;) {
    const view = await fillDetails(serviceOf(steps), facts, { ...heldFor(facts), pages }, false);
    expect(checkSlackView(view)).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(125_000);
    views.push(view);
    const next = /"action_id":"countersign:page:next".*?"value":"([^"]+)"/.exec(
      JSON.stringify(view.blocks),
    )?.[1];
    if (next === undefined) return views;
    pages = keepPages([...pages, next]);
    expect(views.length).toBeLessThan(500);
  }
}

const writing = (content: string) => makeStep('1', { args: { path: 'a.txt', content } });

describe('a long value', () => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i} ${'word '.repeat(9)}`).join('\n');
  test.each([
    ['5,000 characters in lines', lines.slice(0, 5000), 1],
    ['5,000 characters without a break', 'x'.repeat(5000), 1],
    ['a text of three pages', `${lines}\n`.repeat(6), 3],
    ['pairs of surrogates', '😀'.repeat(20_000), 4],
    ['characters of three bytes', '語'.repeat(30_000), 3],
    ['nothing but breaks', '\n'.repeat(4000), 1],
  ])('of %s is shown whole and is never split within a character', async (_, content, pages) => {
    const views = await readAll([writing(content)]);
    expect(views).toHaveLength(pages);
    expect(setApart(views)).toBe(content);
    expect(setApart(views).isWellFormed()).toBe(true);
    for (const view of views)
      for (const { elements } of richText(view))
        for (const { text } of elements) expect(text.isWellFormed()).toBe(true);
  });

  test('says on its pages that it goes on, and is approved from each', async () => {
    const views = await readAll([writing('x'.repeat(30_000))]);
    expect(views.map((view) => textOf(view).includes('Continues on the next page.'))).toEqual([
      true,
      true,
      false,
    ]);
    expect(views.map((view) => textOf(view).includes('(continued)'))).toEqual([false, true, true]);
    for (const view of views) {
      expect(view.submit?.text).toBe('Approve');
      expect(view.callback_id).toBe('countersign:approve');
    }
  });

  test('that is empty is said to be', async () => {
    const [view] = await readAll([writing('')]);
    expect(view && textOf(view)).toContain('content: empty');
  });

  test('in a headline is cut there and stands below whole', async () => {
    const url = `https://example.com/${'p'.repeat(40_000)}/end`;
    const views = await readAll([makeStep('1', { tool: 'http', operation: 'get', args: { url } })]);
    expect(setApart(views)).toBe(`GET ${url}`);
  });
});

test('a call with 2,000 arguments is shown with each of them, on pages that Slack takes', async () => {
  const args: JsonObject = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`argument-${i}`, i % 3 === 0 ? `a\n${i}` : `<${i}>`]),
  );
  const views = await readAll([makeStep('1', { tool: 'other', operation: 'call', args })]);
  const shown = views.map(textOf).join('\n');
  let read = 0;
  const missing = Object.entries(args).filter(([name, value]) => {
    const at = shown.indexOf(`${name}:`, read);
    read = shown.indexOf(String(value), at);
    return at === -1 || read === -1;
  });
  expect(missing).toEqual([]);
});

test('hidden characters are shown escaped, and nothing in a value is markup', async () => {
  const [view] = await readAll([writing('a\u202eb <!channel> *bold* <https://x|y>')]);
  expect(view && textOf(view)).toContain('a\\u{202E}b <!channel> *bold* <https://x|y>');
  expect(JSON.stringify(view?.blocks)).not.toContain('mrkdwn');
});

const sixty = Array.from({ length: 60 }, (_, i) => {
  const id = String(i + 1);
  if (i < 57)
    return makeStep(id, { operation: 'read', effect: 'read', args: { path: `${id}.md` } });
  const args = { path: `important-${id}.md` };
  return makeStep(id, { operation: 'delete', guarded: true, args });
});

test('of sixty steps the guarded ones come first, in bold, and say that they cannot be undone', async () => {
  const views = await readAll(sixty, makeFacts({}, sixty, { review: reviewOf(sixty) }));
  const [first] = views;
  const runs = first === undefined ? [] : richText(first).flatMap(({ elements }) => elements);
  const heads = runs.filter(({ text }) => /^\d+ /.test(text));
  expect(heads.slice(0, 4)).toEqual([
    { text: '58 🛡  Permanently deletes important-58.md', style: { bold: true } },
    { text: '59 🛡  Permanently deletes important-59.md', style: { bold: true } },
    { text: '60 🛡  Permanently deletes important-60.md', style: { bold: true } },
    { text: '1  Reads 1.md' },
  ]);
  expect(runs.filter(({ style }) => style?.code)).toHaveLength(3);
  expect(views).toHaveLength(3);
  expect(first && textOf(first)).toContain('Approving covers all 60 steps');
  expect(views.map(({ submit }) => submit?.text)).toEqual(Array(3).fill('Approve all 60'));
  const all = views.map(textOf).join('\n');
  for (const { args } of sixty) expect(all).toContain(` ${String(args.path)}`);
});

test('steps are ticked by what they do, not by what the planner calls them', async () => {
  const lying = [
    makeStep('1', {
      description: 'Delete tmp.txt',
      target: 'tmp.txt',
      operation: 'delete',
      args: { path: 'payroll.csv' },
    }),
    makeStep('2'),
  ];
  const [view] = await readAll(lying, makeFacts({ planner_model: 'gpt' }, lying));
  expect(view?.callback_id).toBe('countersign:part');
  const inputs = JSON.stringify(view?.blocks.filter(({ type }) => type === 'input'));
  expect(inputs).toContain('Uncheck steps you don’t want');
  expect(inputs).toContain('Permanently deletes payroll.csv');
  expect(inputs).not.toContain('tmp.txt');
  expect(view && textOf(view)).toMatch(/Permanently deletes payroll\.csv {2}cannot be undone\n/);
});

test('a step is ticked by its place in the plan, whatever order the steps can run in', async () => {
  const steps = labelled([
    makeStep('1', { args: { path: 'second.txt', content: '' }, after: following('2') }),
    makeStep('2', { args: { path: 'first.txt', content: '' } }),
  ]);
  const [view] = await readAll(steps);
  const inputs = JSON.stringify(view?.blocks.filter(({ type }) => type === 'input'));
  const options = [...inputs.matchAll(/"text":"(\d {2}[^"]+)","emoji":false},"value":"(\d+)"/g)];
  expect(options.slice(0, 2).map(([, label, value]) => [label, value])).toEqual([
    ['1  Creates first.txt', '1'],
    ['2  Creates second.txt', '0'],
  ]);
});

describe('a window', () => {
  const facts = makeFacts();
  const steps = serviceOf(facts.steps);
  test('that was opened from a list, or by who may not approve, approves nothing', async () => {
    const listed = await fillDetails(steps, facts, heldFor(facts, null), false);
    const reader = { ...facts, may_approve: false };
    const read = await fillDetails(steps, reader, heldFor(reader), false);
    for (const view of [listed, read]) {
      expect(checkSlackView(view)).toEqual([]);
      expect(view.submit).toBeUndefined();
      expect(view.callback_id).toBe('countersign:notice');
    }
  });

  test('of another version than was seen says so, begins at its first page, and is bound to it', async () => {
    const held = heldFor(facts);
    const now = makeFacts({ version: 2, digest: 'e'.repeat(64) });
    const view = await fillDetails(steps, now, { ...held, pages: ['', '1.0.'] }, false);
    expect(textOf(view)).toContain('has changed since you saw it. This is version 2.');
    expect(readHeld(view.private_metadata ?? '')).toMatchObject({
      pages: [''],
      press: { version: 2, digest: 'e'.repeat(64) },
    });
    const refused = await fillDetails(steps, now, held, true);
    expect(textOf(refused)).toContain('Nothing was approved');
  });
});

test.each([
  ['short', 'Hi'],
  ['long', 'word '.repeat(700)],
])('60 steps with %s texts can each be edited from one of the pages', async (_, content) => {
  const steps = Array.from({ length: 60 }, (_, i) =>
    makeStep(`s${i}`.padEnd(200, '-'), { position: i, args: { path: `${i}.md`, content } }),
  );
  const whole = makeFacts({}, steps, { may_approve: true });
  const views = await readAll(steps, { ...whole, steps: steps.slice(0, 24) });
  const edited = JSON.stringify(views).match(/"text":"Edit \d+"/g) ?? [];
  expect(new Set(edited).size).toBe(60);
});
