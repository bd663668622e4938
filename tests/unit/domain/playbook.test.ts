import { expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { fillPlaybook, replaceInDraft } from '#domain/plan/playbook.ts';
import { draftStep } from '../../fixtures/steps.ts';

const draftOf = (description: string): PlanDraft => ({
  title: 'Say',
  steps: [draftStep('a', description, 'control_noop')],
});
const signs = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));

test('any sign may be part of a text', () => {
  for (const text of ['2026-05-01', 'a/b-c.md', ...signs]) {
    const { draft, missing } = replaceInDraft(draftOf(`from ${text} to`), { [text]: '$&' });
    expect([missing, draft.steps[0]?.description]).toEqual([[], 'from $& to']);
  }
});

test('what would make a plan too large is refused before it is made', () => {
  const draft = draftOf('a '.repeat(100_000));
  expect(() => replaceInDraft(draft, { a: 'x'.repeat(2000) })).toThrow(
    expect.objectContaining({ code: 'limit_exceeded' }),
  );
});

test('a parameter by the name of something that every object has keeps its text', () => {
  const param = { name: 'constructor', text: 'ACME', optional: true, places: 1 };
  expect(fillPlaybook(draftOf('for ACME'), [param], {}).steps[0]?.description).toBe('for ACME');
});
