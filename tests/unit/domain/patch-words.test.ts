import { expect, it } from 'vitest';
import { PatchOperation } from '#domain/plan/patch.ts';
import { describeOperations, maxShownOperations } from '#domain/plan/patch-words.ts';
import { draftStep } from '../../fixtures/steps.ts';

const table: [string, unknown][] = [
  [
    'Adds step 4: workspace_delete with arguments {"path":"payroll.csv"} and a question before it runs. Planner\'s reason: “Tidy up”.',
    {
      op: 'add_step',
      step: {
        ...draftStep('4', 'Tidy up', 'workspace_delete', { path: 'payroll.csv' }),
        ask_before: true,
      },
    },
  ],
  [
    'Changes steps 2 and 3: arguments {"path":"x.md"}, priority 5 and no earliest start.',
    {
      op: 'update_steps',
      steps: { ids: ['2', '3'] },
      set: { priority: 5, args: { path: 'x.md' }, not_before: null },
    },
  ],
  [
    'Changes step 2: arguments {"path":"x.md"} without overwrite.',
    {
      op: 'update_steps',
      steps: { ids: ['2'] },
      set: { args: { path: 'x.md', overwrite: null } },
    },
  ],
  [
    'Removes the steps of partition eu and the steps tagged old.',
    { op: 'remove_steps', steps: { partition: 'eu', tag: 'old' } },
  ],
  [
    'Adds step 5: control_noop with resources {"cpu":2}, earliest start 2026-05-04T09:00:00Z and the condition that step 2 /status is "green", 1 day after step 2 begins. Planner\'s reason: “Go on”.',
    {
      op: 'add_step',
      step: {
        ...draftStep('5', 'Go on', 'control_noop'),
        not_before: '2026-05-04T09:00:00Z',
        resources: { cpu: 2 },
        when: { step: '2', path: '/status', is: 'equals', value: 'green' },
        after: [{ id: '2', type: 'SS', lag_minutes: 1440 }],
      },
    },
  ],
  [
    'Step 3 runs 1 day after step 1 begins.',
    { op: 'add_dependency', step: '3', after: { id: '1', type: 'SS', lag_minutes: 1440 } },
  ],
  ['Step 3 waits for step 1.', { op: 'add_dependency', step: '3', after: { id: '1' } }],
  [
    'Step 3 no longer waits for step 1.',
    { op: 'remove_dependency', step: '3', after: { id: '1', type: 'FS' } },
  ],
];

it.each(table)('an operation reads “%s”', (words, operation) => {
  expect(describeOperations([PatchOperation.parse(operation)], (id) => id)).toEqual([words]);
});

it('a text that reads like another type is quoted', () => {
  const set = { target: 'false', partition: '1' };
  const update = PatchOperation.parse({ op: 'update_steps', steps: { ids: ['2'] }, set });
  const [line] = describeOperations([update], (id) => id);
  expect(line).toContain('target "false"');
  expect(line).toContain('partition "1"');
});

it('a value that is cut is said with its size', () => {
  const set = { args: { content: 'x'.repeat(500) } };
  const update = PatchOperation.parse({ op: 'update_steps', steps: { ids: ['2'] }, set });
  expect(describeOperations([update], (id) => id)[0]).toMatch(/x… \(514 characters\)\.$/);
});

it('only the first operations are told', () => {
  const remove = PatchOperation.parse({ op: 'remove_steps', steps: { ids: ['1'] } });
  const many = Array.from({ length: maxShownOperations + 5 }, () => remove);
  expect(describeOperations(many, (id) => id)).toHaveLength(maxShownOperations);
});
