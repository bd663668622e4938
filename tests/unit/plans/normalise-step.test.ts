import { expect, test } from 'vitest';
import { Problems } from '#domain/errors.ts';
import { checkResources } from '#plans/content/normalise-step.ts';

const pools = { cpu: { capacity: 4, headroom: 1 } };

function refusal(resources: Record<string, number>): string | null {
  const problems = new Problems();
  checkResources({ resources }, 'steps[0]', '1', pools, problems);
  try {
    problems.settle();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('a step reserves what a pool has, and no more', () => {
  expect(refusal({ cpu: 3 })).toBeNull();
  expect(refusal({ cpu: 3.5 })).toContain('needs 3.5 of cpu, which has 3');
});

test.each(['constructor', 'toString', 'gpu'])('%s is no pool', (name) => {
  expect(refusal({ [name]: 1 })).toContain(`needs ${name}, which is no resource pool`);
});
