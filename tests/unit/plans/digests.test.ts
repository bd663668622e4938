import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOfDraft, type StepContent, sparseContentOf } from '#domain/plan/step-content.ts';
import { canonicalStep, digestPlan, type PlanHeader } from '#plans/content/digests.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('"', '\\', '\n', '😀', ''),
);
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const args = fc.dictionary(text, fc.jsonValue() as fc.Arbitrary<StepContent['notes']>);

const given = fc.record({
  id: text,
  description: text,
  tool: text,
  operation: text,
  target: orNull(text),
  args,
  after: fc.array(
    fc.record({
      id: text,
      type: fc.constantFrom('FS' as const, 'SS' as const, 'FF' as const, 'SF' as const),
      lag_minutes: fc.integer({ min: -525_600, max: 525_600 }),
    }),
    { maxLength: 3 },
  ),
  priority: fc.integer(),
  partition: orNull(text),
  tags: fc.array(text, { maxLength: 3 }),
  resources: fc.dictionary(text, fc.double({ min: 0, max: 1e9, noNaN: true })),
  capabilities: fc.array(text, { maxLength: 3 }),
  notes: fc.jsonValue() as fc.Arbitrary<StepContent['notes']>,
  duration_minutes: orNull(fc.double({ min: 0, max: 1e9, noNaN: true })),
  not_before: orNull(fc.constant('2026-05-04T09:00:00.000Z')),
  when: fc.array(
    fc.record({
      step: text,
      path: fc.constantFrom('', '/status'),
      is: fc.constantFrom('equals' as const, 'contains' as const, 'less' as const),
      value: fc.jsonValue() as fc.Arbitrary<StepContent['notes']>,
    }),
    { maxLength: 2 },
  ),
  ask_before: fc.boolean(),
  seen: orNull(
    fc.record({
      state: fc.constantFrom('new' as const, 'exists' as const, 'missing' as const),
      fingerprint: orNull(text),
      size: orNull(fc.nat()),
      modified_at: orNull(text),
    }),
  ),
});

const empty = contentOfDraft({ description: '', tool: '', operation: '' });
const step: fc.Arbitrary<StepContent> = given.map((fields) => ({ ...empty, ...fields }));

const header: PlanHeader = {
  id: 'PLAN-00000001',
  version: 1,
  title: 'Tidy up',
  summary: null,
  context: { tool_outputs: {}, notes: '', artifacts: [] },
  risks: [],
  approver_policy: { kind: 'requester' },
  executor_model: null,
  tools_required: ['control_noop'],
};

test('a step written by hand is what the library makes of it', () => {
  fc.assert(
    fc.property(step, (content) => {
      expect(canonicalStep(content)).toBe(canonicalize(sparseContentOf(content)));
    }),
  );
});

test('a step whose target was not looked up is written as before there was anything to look up', () => {
  const [content] = fc.sample(step, 1);
  if (content === undefined) throw new Error('no sample');
  expect(canonicalStep({ ...content, seen: null })).not.toContain('"seen"');
});

test('a text without a canonical form is refused', () => {
  const [content] = fc.sample(step, 1);
  if (content === undefined) throw new Error('no sample');
  expect(() => canonicalStep({ ...content, description: 'half \ud83d' })).toThrow('surrogate');
});

test('the digest is that of the whole plan, however many steps there are', async () => {
  const [content] = fc.sample(step, 1);
  if (content === undefined) throw new Error('no sample');
  for (const count of [0, 1, 3, 2000]) {
    const steps = Array.from({ length: count }, (_, at) => ({ ...content, id: `s${at}` }));
    const whole = canonicalize({ ...header, steps: steps.map(sparseContentOf) }) ?? '';
    const expected = createHash('sha256').update(whole).digest('hex');
    expect(await digestPlan(header, steps)).toBe(expected);
  }
});
