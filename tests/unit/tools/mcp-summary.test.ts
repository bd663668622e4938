import { expect, test } from 'vitest';
import { readResult } from '#tools/mcp/read-result.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });
const issue = {
  id: 42,
  title: 'Broken',
  labels: ['a', 'b'],
  body: 'x'.repeat(300),
  url: 'https://t.example/42',
};

test.each<[string, Parameters<typeof readResult>[1], string]>([
  [
    'a text on one line',
    { content: [text('\n  Wrote a.txt\nand b.txt')] },
    'Wrote a.txt and b.txt',
  ],
  [
    'the telling fields of a record, never its JSON',
    { content: [text(JSON.stringify(issue))], structuredContent: issue },
    `title: Broken · id: 42 · url: https://t.example/42 · labels: 2 items`,
  ],
  [
    'the same of JSON in a text',
    { content: [text('{"name":"north","rows":12}')] },
    'name: north · rows: 12',
  ],
  ['how long a list is', { content: [text('[1,2,3]')] }, '3 items'],
  [
    'what it links to',
    {
      content: [
        text('Exported.'),
        { type: 'resource_link', uri: 'https://t.example/march.pdf', name: 'march.pdf' },
      ],
    },
    'Exported. · march.pdf: https://t.example/march.pdf',
  ],
  ['that it is done, where it says nothing', { content: [] }, 'tracker_open is done.'],
])('is %s', (_, result, summary) => {
  expect(readResult('tracker_open', result, false).summary).toBe(summary);
});
