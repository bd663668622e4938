// Changes name steps as cards do: by number and letter.
import { expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { readChanges } from '#planner/commands/changes.ts';
import { readComments } from '#planner/offline/comments.ts';

const write = (id: string, after: string[] = []) => ({
  ...{ id, description: `Write ${id}.txt`, tool: 'files', operation: 'write', after },
  args: { path: `${id}.txt`, content: id },
});
/** Cards call these 1, 2a, 2b and 3. */
const previous: PlanDraft = {
  title: 'Four files',
  steps: [write('p'), write('q', ['p']), write('r', ['p']), write('s', ['q', 'r'])],
};
const setting = { now: new Date('2026-03-04T10:00:00Z'), timezone: 'UTC' };
const read = (text: string) => readChanges(text, previous, setting);

test.each([
  ['leave out step 2b', ['p', 'q', 's']],
  ['Remove step 2A.', ['p', 'r', 's']],
  ['leave out step 3', ['p', 'q', 'r']],
])('"%s" leaves out what the card calls that', (text, left) => {
  const feedback = read(text);
  if (feedback.kind !== 'changes') throw new Error(feedback.question.text);
  expect(feedback.changes.steps.map(({ id }) => id)).toEqual(left);
});

test('"step 2b before step 2a" orders the two', () => {
  const feedback = read('step 2b before step 2a');
  if (feedback.kind !== 'changes') throw new Error(feedback.question.text);
  const [, moved] = feedback.changes.steps;
  expect(moved?.after).toMatchObject([{ id: 'p' }, { id: 'r', type: 'FS' }]);
});

test('a label that no step has is asked about', () => {
  const feedback = read('leave out step 2c');
  expect(feedback).toMatchObject({
    kind: 'question',
    question: { text: expect.stringContaining('There is no step 2c') },
  });
});

const comment = (step_id: string | null, text: string) => ({ step_id, text });
test.each([
  [
    [comment('p', 'remove it'), comment(null, 'remove step 3')],
    ['q', 'r'],
  ],
  [
    [comment('q', 'remove it'), comment(null, 'remove step 2b')],
    ['p', 's'],
  ],
  [
    [comment(null, 'remove step 1'), comment('s', 'remove it')],
    ['q', 'r'],
  ],
])('the numbers in comments are those of the card: %j', (comments, left) => {
  const parsed = readComments(comments, previous, setting);
  if (parsed.kind !== 'changes') throw new Error(parsed.question.text);
  expect(parsed.changes.steps.map(({ id }) => id)).toEqual(left);
});

test('a step that is gone keeps its number', () => {
  const steps = [write('p'), write('q', ['p']), write('r', ['q']), write('s', ['r'])];
  const comments = [comment('p', 'remove it'), comment(null, 'remove step 3')];
  const parsed = readComments(comments, { ...previous, steps }, setting);
  if (parsed.kind !== 'changes') throw new Error(parsed.question.text);
  expect(parsed.changes.steps.map(({ id }) => id)).toEqual(['q', 's']);
});

test.each([
  [[comment('p', 'remove it'), comment(null, 'remove step 1')]],
  [[comment('p', 'remove step 3')]],
  [[comment('p', 'change content of step 3 to "x"')]],
  [[comment('p', 'step 3 on 20 December at 10:00')]],
  [[comment('p', 'step 2a before step 2b')]],
  [[comment('p', 'add: delete a.txt'), comment('q', 'add: delete b.txt')]],
])(
  'comments that cannot be kept to their step, or made together, are asked about: %j',
  (comments) => {
    expect(readComments(comments, previous, setting).kind).toBe('question');
  },
);
