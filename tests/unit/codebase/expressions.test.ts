import { expect, test } from 'vitest';
import { readNearWord } from '#conversation/read-word.ts';
import { readStepChoice } from '#domain/plan/step-choice.ts';
import { cleanLine } from '#domain/shown-text.ts';
import { findWrittenCalls } from '#models/written-calls.ts';
import { areAlike } from '#planner/policy/options.ts';
import { parsePolicyRequest } from '#planner/policy/policy-words.ts';
import { readModes } from '#runs/read-modes.ts';
import { collectExpressions, findFault } from '../../codebase/expressions.ts';
import { longestTurnMs, measureTurn } from '../../setup/watch-loop.ts';

const collect = (text: string) => collectExpressions({ path: 'src/a.ts', text });

test.each([
  ['/[.!]+$/', 'quadratic'],
  ['/^(a+)+$/', 'exponential'],
  ['new RegExp(`(?:$' + '{part}|x)*$`)', 'of a constant'],
])('%s is found, which is %s', (written) => {
  const { found, unknown } = collect(`const part = 'x'; const a = ${written};`);
  expect(unknown).toEqual([]);
  expect(found.map((one) => findFault(one))).toEqual([
    expect.stringMatching(/polynomial|exponential/),
  ]);
});

test.each([
  '/^\\s*(?:yes|no)[.!]?$/',
  'new RegExp(`^$' + '{RegExp.escape(name)}$`)',
  "new RegExp(names.map(RegExp.escape).join('|'), 'g')",
])('%s is linear', (written) => {
  const { found, unknown } = collect(`const a = ${written};`);
  expect(unknown).toEqual([]);
  expect(found.map((one) => findFault(one))).toEqual([null]);
});

test('one that is made of what only a run knows is named', () => {
  expect(collect('const read = (source: string) => new RegExp(source);').unknown).toEqual([
    'src/a.ts:1',
  ]);
});

const many = (text: string) => text.repeat(30_000 / text.length);

test.each<[string, () => unknown]>([
  ['the answer to the question of style', () => parsePolicyRequest(`${'!'.repeat(4200)}x`, true)],
  ['please in an answer', () => parsePolicyRequest(`${many(' please')}x`, true)],
  ['a preference', () => parsePolicyRequest(`be brief${many('\n\t')}and`)],
  ['a written call', () => findWrittenCalls(`<tool_call>${many('\t')}`, new Set(['a']), 1)],
  ['many written calls', () => findWrittenCalls(many('<tool_call>'), new Set(['a']), 1)],
  ['a fenced call', () => findWrittenCalls(`\`\`\`${many('\n')}`, new Set(['a']), 1)],
  ['a mode', () => readModes(`${many(' \n')}plan this extensively x`)],
  ['many modes', () => readModes(many('plan this in detail, '))],
  ['a near word', () => readNearWord(many('approve - '))],
  ['a list of steps', () => readStepChoice(`${many('1 - 2, ')}x`)],
  ['names in a question', () => areAlike(many('“'), many('..'), 0.5)],
  ['a line', () => cleanLine(many(' '))],
])('%s is read within a moment, however long', (_, read) => {
  expect(measureTurn(read).ms).toBeLessThan(longestTurnMs);
});
