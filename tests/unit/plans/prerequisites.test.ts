import { expect, test } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { resolvePrerequisites } from '#plans/content/resolve-prerequisites.ts';

const step = (description: string, more: Partial<StepDraft> = {}): StepDraft => ({
  description,
  tool: 'control',
  operation: 'noop',
  ...more,
});
const resolve = async (...steps: StepDraft[]) => {
  const { draft, findings } = await resolvePrerequisites({ title: 'T', steps });
  return {
    steps: draft.steps,
    after: draft.steps.map(({ after = [] }) => after),
    found: findings.map(({ step_id, message }) => [step_id, message]),
    findings,
  };
};

test('titles, tags and ids become dependencies once each, and the note is cleared', async () => {
  const { steps, after, found } = await resolve(
    step('Fetch the data', { tags: ['data'] }),
    step('Clean the data', { tags: ['data'] }),
    step('Look at the logs', { id: 'logs' }),
    step('Write the report', {
      after: ['logs'],
      notes: {
        prereq_titles: [' fetch THE  data '],
        prereq_tags: ['data'],
        prereq_step_ids: ['logs', 2],
      },
    }),
  );
  expect(found).toEqual([]);
  expect(after[3]).toEqual(['logs', '2', '1']);
  expect(steps.every((one) => !('notes' in one))).toBe(true);
});

test('other notes stay as they are, and what else a note says stays beside its prerequisites', async () => {
  const { steps } = await resolve(
    step('A', { notes: 'careful' }),
    step('B', { notes: { prereq_titles: 'A', owner: 'ana' } }),
  );
  expect(steps.map(({ notes }) => notes)).toEqual(['careful', { owner: 'ana' }]);
  expect(steps[1]?.after).toEqual(['1']);
});

test('a tag means all other steps that have it, and a title all steps of a partition of that name', async () => {
  const { after, found } = await resolve(
    step('A', { tags: ['x'], partition: 'Letters' }),
    step('B', { tags: ['x'], partition: 'Letters' }),
    step('C', { tags: ['x'], notes: { prereq_tags: ['x'] } }),
    step('D', { notes: { prereq_titles: ['letters'] } }),
  );
  expect(found).toEqual([]);
  expect(after.slice(2)).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
});

test('a title to the letter wins over one that only differs in case', async () => {
  const { after, found } = await resolve(
    step('send it'),
    step('Send it'),
    step('Check', { notes: { prereq_titles: ['Send it'] } }),
  );
  expect(found).toEqual([]);
  expect(after[2]).toEqual(['2']);
});

test('unknown and ambiguous prerequisites are findings of their step, and the rest of the note holds', async () => {
  const { after, found, findings } = await resolve(
    step('Write the letter'),
    step('Write the letter'),
    step('Post', {
      id: 'post',
      notes: {
        prereq_titles: ['write the letter', 'Nothing'],
        prereq_tags: ['none'],
        prereq_step_ids: ['9', '1'],
      },
    }),
  );
  expect(after[2]).toEqual(['1']);
  expect(found).toEqual([
    [
      'post',
      'Step post (Post): its note names step “9”, which is not in the plan; it names the tag “none”, which no step has; it names “write the letter”, and 2 steps are called so (1 and 2); it names “Nothing”, and no step is called so.',
    ],
  ]);
  expect(findings[0]).toMatchObject({ severity: 'ERROR', category: 'prerequisite' });
});

test('a step that names itself, and a note that cannot be read, are findings', async () => {
  const { found } = await resolve(
    step('A', { notes: { prereq_titles: ['A'] } }),
    step('B', { notes: { prereq_tags: [{}] } }),
  );
  expect(found.map(([, message]) => message)).toEqual([
    'Step 1 (A): its note names “A”, which is the step itself.',
    'Step 2 (B): its note cannot be read: its prereq_tags is no list of texts.',
  ]);
});

test('a circle of notes is named, and only what closes it is left out', async () => {
  const { after, found } = await resolve(
    step('One', { id: 'A', notes: { prereq_titles: ['Two'] } }),
    step('Two', { id: 'B', notes: { prereq_titles: ['One'] } }),
  );
  expect(found).toEqual([
    ['A', 'Step A (One): its note closes a circle: A waits for B by its note, and B for A.'],
  ]);
  expect(after).toEqual([[], ['A']]);
});

test('a note that closes a circle with an order that is said gives way to it', async () => {
  const { after, found } = await resolve(
    step('One', { id: 'A', after: ['C'] }),
    step('Two', { id: 'B', after: ['A'] }),
    step('Three', { id: 'C', notes: { prereq_step_ids: ['B'] } }),
  );
  expect(after).toEqual([['C'], ['A'], []]);
  expect(found).toEqual([
    [
      'C',
      'Step C (Three): its note closes a circle: C waits for B by its note, and B for A, A for C.',
    ],
  ]);
});

test('steps of a series find each other, and a wrong note of one refuses the plan', async () => {
  const series = (title: string) => ({
    title: 'T',
    steps: [],
    series: [
      {
        id: 'weekly',
        title: 'Weekly',
        rrule: 'FREQ=WEEKLY',
        starts_at: '2026-05-04T09:00:00Z',
        timezone: 'UTC',
        until: null,
        steps: [step('First'), step('Second', { notes: { prereq_titles: [title] } })],
      },
    ],
  });
  const { draft, findings } = await resolvePrerequisites(series('First'));
  expect(findings).toEqual([]);
  expect(draft.series?.[0]?.steps[1]).toMatchObject({ id: 'weekly-2', after: ['weekly-1'] });
  await expect(resolvePrerequisites(series('Third'))).rejects.toThrow(CountersignError);
});

test('twenty thousand steps that each name the one before are resolved in seconds', async () => {
  const steps = Array.from({ length: 20_000 }, (_, index) =>
    step(`Step ${index}`, index === 0 ? {} : { notes: { prereq_titles: [`step ${index - 1}`] } }),
  );
  const begun = performance.now();
  const { after, found } = await resolve(...steps);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(found).toEqual([]);
  expect(after[19_999]).toEqual(['19999']);
});
