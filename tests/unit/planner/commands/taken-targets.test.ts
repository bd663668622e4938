import { expect, it } from 'vitest';
import { createMemoryPlanner } from '../../../fixtures/memory-planner.ts';
import { builtins, toolsOf } from '../manifest.ts';
import { limits } from '../planners.ts';
import { converse, listSteps, proposalOf } from '../requests.ts';

const taken = new Set(['a.txt', 'b.txt', 'archive', 'archive/a.txt', 'archive/a-2.txt']);
const tools = toolsOf(builtins, { 'archive/a.txt': '1', 'archive/a-2.txt': '2' });
const planner = createMemoryPlanner({
  tools: {
    ...tools,
    async call(name, args, signal) {
      if (args.path !== 'archive') throw new Error('it is no folder');
      return tools.call(name, args, signal);
    },
    inspect: async (_, { path }) => ({
      ...{ fingerprint: null, size: null, modified_at: null },
      state: taken.has(String(path)) ? 'exists' : 'new',
    }),
  },
  ...{ model: null, limits, clock: { now: () => new Date('2026-03-04T10:00:00Z') } },
});

it.each([
  ['Overwrite archive/a.txt', '{"from":"a.txt","to":"archive/a.txt","overwrite":true}'],
  ['overwrite it', '{"from":"a.txt","to":"archive/a.txt","overwrite":true}'],
  ['Use archive/a-3.txt instead', '{"from":"a.txt","to":"archive/a-3.txt"}'],
  ['call it archive/b.txt', '{"from":"a.txt","to":"archive/b.txt"}'],
])('“%s” decides the target', async (reply, args) => {
  const outcome = await converse(planner, ['Move a.txt to archive/', reply]);
  expect(listSteps(proposalOf(outcome))).toEqual([`1 workspace_move ${args}`]);
});

it.each(['yes', "don't overwrite it", 'archive/a-2.txt', 'archive/'])(
  '“%s” leaves it open',
  async (reply) => {
    const { result } = await converse(planner, ['Move a.txt to archive/', reply]);
    expect(result).toMatchObject({ kind: 'question', questions: [{ id: 'target 0' }] });
  },
);

it('looks into a folder that is named without a slash', async () => {
  const { result } = await converse(planner, ['Move a.txt to "archive"']);
  expect(result).toMatchObject({
    questions: [
      { options: [{ text: 'Overwrite archive/a.txt' }, { text: 'Use archive/a-3.txt instead' }] },
    ],
  });
});

it('means the moved file in later commands', async () => {
  const lines = ['Move a.txt to archive/, then copy it to c.txt', 'Use archive/a-3.txt instead'];
  expect(listSteps(proposalOf(await converse(planner, lines))).at(-1)).toBe(
    '2 workspace_copy {"overwrite":true,"path":"archive/a-3.txt","to":"c.txt"} <- 1',
  );
});

it.each([
  'delete b.txt, then move a.txt to b.txt',
  'move b.txt to c.txt, then move a.txt to b.txt',
  'move a.txt to new.txt',
])('plans “%s”, whose target is free by then', async (text) => {
  expect((await converse(planner, [text])).result.kind).toBe('proposal');
});

it('asks about what an earlier command of the plan creates', async () => {
  const { result } = await converse(planner, ['write "x" to new.txt, then move a.txt to new.txt']);
  expect(result).toMatchObject({ kind: 'question', questions: [{ id: 'target 1' }] });
});
