// The plans that are measured have the shape their name says, at any size.
import { expect, test } from 'vitest';
import { drawHalf, drawPlan, type Shape, shapes } from '#bench/graphs.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';

const sizes = [1, 2, 3, 11, 30, 1111, 2222];

/** How many steps stand on the longest path that ends with each step, in the order of the steps. */
function depthsOf(steps: StepDraft[]): number[] {
  const depths = new Map<string, number>();
  for (const { id = '', after = [] } of steps) {
    const before = after.map((one) => depths.get(typeof one === 'string' ? one : one.id));
    expect(before).not.toContain(undefined); // Nothing waits for a later step, so there is no circle.
    depths.set(id, 1 + Math.max(0, ...before.map((depth) => depth ?? 0)));
  }
  return [...depths.values()];
}

/** Names of the steps that no other waits for. */
function lastOf(steps: StepDraft[]): string[] {
  const awaited = new Set(steps.flatMap(({ after = [] }) => after));
  return steps.flatMap(({ id = '' }) => (awaited.has(id) ? [] : [id]));
}

const cases = shapes.flatMap((shape) => sizes.map((size): [Shape, number] => [shape, size]));

test.each(cases)('%s with %i steps has that many and no circle', (shape, size) => {
  expect(depthsOf(drawPlan(shape, size).steps)).toHaveLength(size);
});

test('a wide plan has no edges, a deep one is a hundred chains', () => {
  expect(Math.max(...depthsOf(drawPlan('wide', 1000).steps))).toBe(1);
  const { steps } = drawPlan('deep', 1000);
  expect(Math.max(...depthsOf(steps))).toBe(10);
  expect(lastOf(steps)).toHaveLength(100);
});

test('a diamond goes out from one step and comes together in one, and no step waits for more than ten', () => {
  const { steps } = drawPlan('diamond', 2222);
  expect(steps.filter(({ after }) => after?.length === 0)).toHaveLength(1);
  expect(lastOf(steps)).toEqual(['s2222']);
  expect(Math.max(...steps.map(({ after }) => after?.length ?? 0))).toBe(10);
  expect(Math.max(...depthsOf(steps))).toBe(8);
});

test('a plan that rests half-way has one question, and one half waits for it', () => {
  const { steps } = drawHalf(100);
  expect(steps.filter(({ tool }) => tool === 'human').map(({ id }) => id)).toEqual(['s51']);
  expect(steps.filter(({ after }) => after?.includes('s51'))).toHaveLength(49);
});
