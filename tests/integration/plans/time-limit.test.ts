// How long a call may take: the limit of the configuration, and on top what the operation takes by its nature.
import { expect, test } from 'vitest';
import { reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({
  settings: { executor: { lease_seconds: 2, step_timeout_seconds: 1 } },
});

test('a wait that is longer than the time limit of a call is waited for', async () => {
  const plan = await runPlan(instance, {
    title: 'Wait',
    steps: [
      {
        id: 'wait',
        description: 'Wait',
        tool: 'control',
        operation: 'wait',
        args: { seconds: 1.5 },
      },
    ],
  });
  const done = await reach(instance, plan.id, 'completed', 'failed');
  expect(done.result_summary).toBe('1 step done.');
});
