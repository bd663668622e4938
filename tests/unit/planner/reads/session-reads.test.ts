// A partly seen file is never the base of a new text.
import { expect, test } from 'vitest';
import type { Json } from '#domain/text.ts';
import { addRead, findPartialBases } from '#planner/reads/session-reads.ts';

const line = (index: number) => `2026-03-04 10:00:${index} the service said something\n`;
const textOf = (lines: number) => Array.from({ length: lines }, (_, i) => line(i)).join('');

function isRefused(data: Json, content: string, path = 'log.txt'): boolean {
  const reads = addRead([], { operation: 'workspace_read', args: { path: 'log.txt' }, data });
  const step = {
    id: '1',
    description: 'Write it',
    tool: 'workspace',
    operation: 'write',
    args: { path, content },
  };
  return findPartialBases([step], reads).length > 0;
}

test.each([
  ['a text of which the model saw the beginning', textOf(600), false, `${textOf(200)}end\n`, true],
  ['a text that was cut by the tool', textOf(20), true, `${textOf(20)}end\n`, true],
  ['a cut text with a new beginning', textOf(600), false, `# Log\n${textOf(200)}`, true],
  ['a text that was seen whole', textOf(20), false, `${textOf(20)}end\n`, false],
  ['a long text that the model saw whole', textOf(300), false, `${textOf(300)}end\n`, false],
  ['another text in place of a long one', textOf(600), false, 'Nothing to report.\n', false],
])('%s', (_, text, truncated, content, refused) => {
  const data = { path: 'log.txt', text, truncated };
  expect(isRefused(data, content)).toBe(refused);
  expect(isRefused(data, content, 'other.txt')).toBe(false);
});
