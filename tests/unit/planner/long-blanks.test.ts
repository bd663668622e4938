// Long runs of blanks say nothing, but patterns are tried at each of them.
import { expect, it, test } from 'vitest';
import { createPlanner } from '#planner/create-planner.ts';
import { shortenBlanks } from '#planner/offline/shield.ts';
import { builtins, toolsOf } from './manifest.ts';
import { limits } from './planners.ts';
import { request } from './requests.ts';

const blanks = (count: number) => ' '.repeat(count);

test.each([
  ['what is short stays', `a${blanks(20)}b`, `a${blanks(20)}b`],
  ['what is longer is cut', `a${blanks(21)}b`, `a${blanks(20)}b`],
  ['a line still ends', `a${blanks(50)}\nb`, `a${blanks(19)}\nb`],
  [
    'what is quoted stays',
    `write "x${blanks(90)}y"${blanks(90)}now`,
    `write "x${blanks(90)}y"${blanks(20)}now`,
  ],
])('%s', (_, text, shortened) => {
  expect(shortenBlanks(text)).toBe(shortened);
});

// Read as it stands, each of them takes longer than a test may.
it.each([
  ['in talk', `hello${blanks(3000)}x`],
  ['at the end of an instruction', `Create notes.txt with "hi"${blanks(3000)}`],
  ['in a list', `Plan this:${'\n'.repeat(3000)}- create a.txt saying "x"`],
])('does not hold a planner up %s', async (_, text) => {
  const clock = { now: () => new Date('2026-03-04T10:00:00Z') };
  const planner = createPlanner({ tools: toolsOf(builtins), model: null, limits, clock });
  const { result } = await planner.plan(request(text), new AbortController().signal);
  expect(result.kind).not.toBe('aborted');
});
