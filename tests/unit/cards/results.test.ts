import { expect, it } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { following, makeFacts, makeStep } from '../../fixtures/plans.ts';

const done = { status: 'succeeded' as const, attempt: 1 };
const over: Partial<Plan> = {
  status: 'completed',
  execution_started_at: '2026-02-03T14:03:00.000Z',
  execution_ended_at: '2026-02-03T14:06:00.000Z',
  result_summary: '3 steps done.',
};
const steps = [
  makeStep('write', { ...done, position: 1, result_summary: 'a.txt written, 12 bytes' }),
  makeStep('issue', {
    ...done,
    position: 2,
    tool: 'tracker',
    operation: 'open',
    target: null,
    result_summary: 'title: Broken · id: 42',
    output: { html_url: 'https://t.example/42', id: 42 },
  }),
  makeStep('ask', {
    ...done,
    position: 3,
    tool: 'human',
    operation: 'confirm',
    args: { assignee: 'Ben', question: 'May it go out?' },
    output: { answer: 'Yes', by: 'Ben' },
    result_summary: 'Yes',
    after: following('write', 'issue'),
  }),
];

it('keeps the goal, and says the outcome, the time and the estimate beside it', () => {
  const view = viewPlan(
    makeFacts({ ...over, summary: 'The letter is out' }, steps, { expected_minutes: 4 }),
  );
  expect(view.sentence).toBe('3 steps done.');
  expect(view.quotes).toEqual([{ by: 'Goal', words: 'The letter is out' }]);
  expect(view.facts).toContain('took 3 min, about 4 min expected');
});

it('names each result by its step, with its address and who answered', () => {
  const [results] = viewPlan(makeFacts(over, steps)).sections;
  expect(results?.lines.map(({ lead, text, quotes, url }) => [lead, text, quotes, url])).toEqual([
    ['✓ 1a', 'a.txt written, 12 bytes', [], null],
    [
      '✓ 1b',
      'https://t.example/42',
      [{ by: '', words: '“title: Broken \\u{B7} id: 42”' }],
      'https://t.example/42',
    ],
    ['✓ 2', 'Ben: “Yes” (“May it go out?”)', [], null],
  ]);
});

it.each([
  ['workspace', 'Wrote a.txt (12 bytes).', 'Wrote a.txt (12 bytes).'],
  ['control', 'Waited 2 minutes.', 'Waited 2 minutes.'],
  ['workspace', '✓ Approved by Ana.txt', '“✓ Approved by Ana.txt”'],
  ['tracker', 'Issue 42 opened', '“Issue 42 opened”'],
  ['http', '200 OK', '“200 OK”'],
  ['text', 'A poem', '“A poem”'],
])('quotes a result unless a tool of our own worded it: %s, %s', (tool, result_summary, shown) => {
  const step = makeStep('1', { ...done, tool, target: null, result_summary });
  expect(viewPlan(makeFacts(over, [step])).sections[0]?.lines[0]?.text).toBe(shown);
});

it.each(['https://site.example@evil.example/', 'javascript:alert(1)', 'not an address'])(
  'links to nothing that %s could pretend to be',
  (address) => {
    const [step] = steps.slice(1, 2).map((one) => ({ ...one, output: { html_url: address } }));
    if (step === undefined) throw new Error('the sample has a step');
    const [results] = viewPlan(makeFacts(over, [step])).sections;
    expect(results?.lines[0]?.url).toBeNull();
  },
);

it('folds more than eight results', () => {
  const many = Array.from({ length: 12 }, (_, i) =>
    makeStep(`${i + 1}`, { ...done, result_summary: `${i + 1}.txt written` }),
  );
  const [results] = viewPlan(makeFacts(over, many)).sections;
  expect([results?.lines.length, results?.more]).toEqual([8, '… and 4 more']);
});

it('says a failure once: that in the sentence, why in its section', () => {
  const failed = steps.map((step, i) =>
    i === 1
      ? {
          ...step,
          status: 'failed' as const,
          result_summary: null,
          output: null,
          error: { code: 'tool_failed', message: 'The tracker is closed.' },
        }
      : step,
  );
  const plan = {
    ...over,
    status: 'failed' as const,
    result_summary: 'Step 1b failed: The tracker is closed. 2 steps done.',
  };
  const view = viewPlan(makeFacts(plan, failed));
  expect(view.sentence).toBe('Step 1b failed.');
  const drawn = JSON.stringify([view.sentence, view.sections]);
  expect(drawn.split('The tracker is closed').length - 1).toBe(1);
});
