import { expect, test } from 'vitest';
import { nameEvidence, viewEvidence } from '#cards/evidence.ts';
import type { PlanContext } from '#domain/plan/plan.ts';
import { makeFacts } from '../../fixtures/plans.ts';

const based = (tool_outputs: PlanContext['tool_outputs']) =>
  makeFacts({ context: { tool_outputs, notes: '', artifacts: [] } });

const brief = {
  tool: 'workspace',
  operation: 'read',
  data: {
    args: { path: 'notes/\nbrief.md' },
    output: { path: 'notes/brief.md', text: '<b>Ship</b> it' },
    at: '2026-03-04T10:02:00.000Z',
  },
};

test('reads are named by what was read and when, and their content is text', () => {
  const [first, second] = viewEvidence(
    based({ '1 workspace_read': brief, other: { tool: 'crm', operation: 'list', data: [1] } }),
  );
  expect(first?.what).toMatch(/^notes\/ brief\.md, read .*\d\d:02/);
  expect(first?.content).toBe('<b>Ship</b> it');
  expect(second).toEqual({ what: 'crm list', url: null, content: '[\n  1\n]' });
});

test('a line names the first of them', () => {
  const many = Object.fromEntries(
    Array.from({ length: 7 }, (_, index) => [
      `${index}`,
      { tool: 'crm', operation: `list_${index}`, data: null },
    ]),
  );
  expect(nameEvidence(based(many))).toBe(
    'crm list_0; crm list_1; crm list_2; crm list_3; crm list_4; and 2 more',
  );
  expect(nameEvidence(based({}))).toBe('');
});
