// Every command in docs/commands.md is understood as it stands: a plan or an answer, and no question.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builtins, tableOperations, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { operationsOf, plan, proposalOf } from './requests.ts';

const page = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/^ {4}(\S.*)$/gm)].map(([, command = '']) => command);
const files = {
  'todo.txt': 'milk',
  'old.txt': 'old',
  'shopping.txt': 'milk and bread',
  'logs/a.log': '1',
  'logs/today.log': '2',
  'orders.csv': 'id,name,due\n1,Ana,2026-04-01\n2,Ben,2026-05-01',
};
const manifest = [...builtins, ...tableOperations];

it('there are commands', () => {
  expect(commands.length).toBeGreaterThan(20);
});

it.each(commands)('%s', async (command) => {
  const planner = createOfflinePlanner({ tools: toolsOf(manifest, files) });
  const { result } = await plan(planner, command);
  expect(result).toMatchObject({ kind: expect.stringMatching(/^(?:proposal|answer)$/) });
  if (/\brow\b/.test(command)) expect(result.kind).toBe('proposal');
});

it('“first … second … finally” is an order of steps', async () => {
  const planner = createOfflinePlanner({ tools: toolsOf(builtins, files) });
  const ordered =
    'First, create a.md with the text Alpha; second, copy it to b.md; finally, post "done; finally" here.';
  const draft = proposalOf(await plan(planner, ordered));
  expect(operationsOf(draft).map(([name]) => name)).toEqual([
    'workspace_write',
    'workspace_copy',
    'chat_post',
  ]);
  expect(draft.steps[0]?.args).toMatchObject({ path: 'a.md', content: 'Alpha' });
  expect(draft.steps.at(-1)?.args).toMatchObject({ text: 'done; finally' });
});

it('a condition is said in title and summary too', async () => {
  const planner = createOfflinePlanner({ tools: toolsOf(builtins, files) });
  const draft = proposalOf(await plan(planner, 'Delete old.txt if Ana agrees'));
  expect(draft.title).toContain('delete old.txt if the answer is Yes');
  expect(draft.summary).toContain('permanently deletes old.txt if the answer is Yes');
});
