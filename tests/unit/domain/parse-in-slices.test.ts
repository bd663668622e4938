// Gives zod's result without blocking the event loop.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { PlanPatch } from '#domain/plan/patch.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import { PlanOutline } from '#domain/planning/outline.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';

const step = { description: ' Write a ', tool: 'workspace', operation: 'write', args: { a: 1 } };
const node = { id: 'a', title: 'A', structure: 'task', level: 1 };
const outline = { title: 'T', summary: 'S', pattern: { pattern_type: 'data_pipeline' } };
const series = { id: 's', title: 'S', rrule: 'FREQ=DAILY', timezone: 'UTC', until: null };

test.each([
  ['steps', PlanDraft, { title: 'T', steps: [step, { ...step, after: ['1', { id: '2' }] }] }],
  ['no steps', PlanDraft, { title: 'T' }],
  ['what is no list', PlanDraft, { title: 'T', steps: 'all' }],
  ['what is no object', PlanDraft, 'a plan'],
  ['wrong steps', PlanDraft, { title: '', steps: [step, { ...step, tool: 1 }, null] }],
  ['an unknown key', PlanDraft, { title: 'T', more: 1, steps: [{ ...step, more: 1 }] }],
  ['steps of series', PlanDraft, { title: 'T', steps: [], series: [{ ...series, steps: [1] }] }],
  ['defaults', PlanOutline, { ...outline, nodes: [node, { ...node, steps: [step] }] }],
  ['steps of nodes', PlanOutline, { ...outline, nodes: [{ ...node, steps: [step, {}] }] }],
  ['operations', PlanPatch, { base_revision: 1, operations: [{ op: 'add_step', step }] }],
  ['too few', PlanPatch, { base_revision: 1, operations: [] }],
  ['a refinement', z.strictObject({ a: z.array(z.object({})) }).refine(() => false), { a: [{}] }],
])('%s are parsed as zod parses them', async (_, schema: z.ZodType, value) => {
  const expected = schema.safeParse(value);
  const result = await parseInSlices(schema, value);
  expect(result.data).toEqual(expected.data);
  const byPath = (issues: z.core.$ZodIssue[] = []) =>
    issues.map((one) => JSON.stringify(one)).sort();
  expect(byPath(result.error?.issues)).toEqual(byPath(expected.error?.issues));
});

test('works that rest take turns, and all of them have one slice a turn', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let piece = 0; piece < 3; piece++) {
      const end = performance.now() + 60;
      while (performance.now() < end);
      order.push(name);
      if (isSliceOver()) await nextTurn();
    }
  };
  isSliceOver();
  await Promise.all([work('a'), work('b')]);
  expect(order.join('')).toBe('ababab');
});
