// The command grammar: every word is accounted for, or it asks. What is said besides a command never disappears and never
// ends up in a text that was not quoted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderSteps } from '#planner/commands/order.ts';
import { parseRequest } from '#planner/commands/parse.ts';
import { tokenize } from '#planner/commands/tokens.ts';
import { builtins, fsServer, tableOperations, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { operationsOf, plan, proposalOf } from './requests.ts';
import { plannerAt } from './run-utterance.ts';
import { utterances } from './utterances.ts';

const setting = {
  manifest: builtins,
  now: new Date('2026-03-04T10:00:00Z'),
  timezone: 'Europe/Berlin',
  answers: new Map<string, string>(),
  paths: [],
};
const parse = (text: string) => parseRequest(text, setting);

/** Commands that become a plan as they stand. */
const commands = utterances
  .filter(
    ({ label, say, outcome }) =>
      label === 'keep' && /^\d/.test(outcome[0] ?? '') && !/[⟩⏎]/.test(say),
  )
  .map(({ say }) => say)
  .filter((say) => parse(say).kind === 'request');

/** Words that no form knows. */
const unknown = fc.constantFrom('banana', 'quickly', 'zorgle', 'perhaps', 'backwards');

describe('a word that no form knows', () => {
  const dictates = /\b(?:saying|containing|with|to|write|post|put|ask|remind|message)\b|:/i;

  it('makes a question of a command', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), unknown, fc.nat(), (say, word, place) => {
        const tokens = tokenize(say);
        // Behind words that introduce a text it is that text.
        const free = tokens.filter(({ start }) => !dictates.test(say.slice(0, start)));
        const before = free[1 + (place % Math.max(1, free.length - 1))];
        fc.pre(before !== undefined);
        const text = `${say.slice(0, before?.start)}${word} ${say.slice(before?.start)}`;
        const parsed = parse(text);
        if (parsed.kind === 'request') expect(JSON.stringify(parsed)).toContain(word);
        if (parsed.kind === 'request')
          expect(JSON.stringify(parsed)).not.toBe(JSON.stringify(parse(say)));
      }),
      { numRuns: 300 },
    );
  });

  it('is never dropped behind "and"', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), unknown, (say, word) => {
        const text = `${say.replace(/[.!?]+$/, '')} and ${word} the rest`;
        const parsed = parse(text);
        if (parsed.kind === 'request') expect(JSON.stringify(parsed)).toContain(word);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what may be a command, a condition, a channel or a zone', () => {
  it.each([
    'Create a.txt saying hello then goodbye',
    'Create a.txt saying hello and save it',
    'Create a.txt saying hello once Ana agrees',
    'Create a.txt saying hello only if it rains',
    'Create a.txt saying hello before you leave',
    'Create a.txt saying hello after Ana has confirmed',
    'Create a.txt saying hello in #general',
    'Create a.txt saying call at 9:00 Berlin time',
    'Post hello after Kim has confirmed',
    'Post done once the tests have passed',
    'Write the minutes to notes.md',
    'Save this conversation to chat.txt',
    'Create a.txt saying ok, then ask Ana to check it, then post it here',
    'Send a message to @ben: lunch?',
  ])('does not become text: %s', (text) => {
    expect(parse(text).kind).toBe('questions');
  });

  it('is text in quotation marks', () => {
    const parsed = parse('Create a.txt saying "then, once, only if, #general, 9:00 Berlin time"');
    expect(parsed).toMatchObject({
      kind: 'request',
      request: {
        clauses: [
          { command: { text: { text: 'then, once, only if, #general, 9:00 Berlin time' } } },
        ],
      },
    });
  });
});

it('waits between what was said before and after, in a list too', async () => {
  const planner = createOfflinePlanner({ tools: toolsOf(builtins) });
  const { steps } = proposalOf(
    await plan(planner, '- post "start" here\n- wait 5 minutes\n- post "end" here'),
  );
  expect(steps.map(({ after }) => after ?? [])).toEqual([[], ['1'], ['2']]);
});

it('moves all of many files before their folder is deleted', async () => {
  const step = (id: number, name: string, args: Record<string, string>) => {
    const spec = builtins.find((one) => one.name === name);
    if (spec === undefined) throw new Error(name);
    const more = { after: new Set<string>(), group: 0, start: null, when: [], clause: 0 };
    return { id: String(id), spec, args, ...more };
  };
  const moves = Array.from({ length: 1000 }, (_, k) =>
    step(k, 'workspace_move', { from: `logs/${k}.log`, to: `old/${k}.log` }),
  );
  const last = step(1000, 'workspace_delete', { path: 'logs' });
  await orderSteps([...moves, last]);
  expect(last.after.size).toBe(1000);
  expect(moves.every(({ after }) => after.size === 0)).toBe(true);
});

describe('what a person decides', () => {
  it('does not decide about what follows in any case', () => {
    expect(parse('Delete a.txt only if Ana says yes. Then create b.txt saying x.').kind).toBe(
      'questions',
    );
  });

  it('is asked once for two ways out', async () => {
    const text =
      'Ask Sam whether we should ship; if he says yes, post "a" here; if he says no, post "b" here';
    const draft = proposalOf(await plan(createOfflinePlanner({ tools: toolsOf(builtins) }), text));
    expect(draft.steps.map(({ after }) => after ?? [])).toEqual([[], ['1'], ['1']]);
    expect(operationsOf(draft).map(([name]) => name)).toEqual([
      'human_confirm',
      'chat_post',
      'chat_post',
    ]);
  });
});

it.each([
  [
    'copy a.txt to b/c.txt',
    'Copy a.txt to b/c.txt',
    'Copies a.txt to b/c.txt.',
    ['Copy a.txt to b/c.txt'],
  ],
  ['read a.txt and post it', 'Post a.txt', 'Posts a.txt.', ['Read a.txt', 'Post a.txt']],
])('says of %s what is copied, and not from which step', async (say, title, summary, steps) => {
  const planner = createOfflinePlanner({ tools: toolsOf(builtins, { 'a.txt': 'A' }) });
  const draft = proposalOf(await plan(planner, say));
  expect(draft).toMatchObject({ title, summary });
  expect(draft.steps.map(({ description }) => description)).toEqual(steps);
});

it.each([
  'x and y, then z '.repeat(1250),
  'create a.txt saying x and '.repeat(800),
  'a '.repeat(10_000),
  `create a.txt saying ${'word '.repeat(4000)}`,
  '"'.repeat(20_000),
  "'a ".repeat(7000),
  '{'.repeat(20_000),
  `create a.txt saying "${'x '.repeat(10_000)}"`,
])('reads 20,000 characters at once: %.25s', (text) => {
  const startedAt = performance.now();
  parse(text);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

it('fills in a text that begins and ends with a column', async () => {
  const files = { 'orders.csv': 'id,name,due\n1,Ana,2026-04-01' };
  const tools = toolsOf([...builtins, ...tableOperations], files);
  const text = 'For each row in orders.csv, write "<name> owes <due>" to notes/<id>.md';
  const draft = proposalOf(await plan(createOfflinePlanner({ tools }), text));
  expect(operationsOf(draft)).toEqual([
    ['workspace_write', { path: 'notes/1.md', content: 'Ana owes 2026-04-01' }],
  ]);
});

it('begins what comes every two weeks on the next of its days', async () => {
  const text = 'Every two weeks on Monday at 9:00, post "go" here';
  // It is Wednesday.
  expect(proposalOf(await plan(plannerAt({ files: {} }), text)).series).toMatchObject([
    { starts_at: '2026-03-09T08:00:00.000Z' },
  ]);
});

it.each([
  'Add "done" to todo.txt',
  'Insert "done" at the top of todo.txt',
  'Replace A with B in todo.txt',
  'Copy todo.txt to b.txt',
])('%s is never worked out from what a server reads, or fails to read', async (say) => {
  const tools = toolsOf(fsServer, { 'todo.txt': 'A' });
  const { result } = await plan(createOfflinePlanner({ tools }), say);
  expect(result.kind).not.toBe('proposal');
  expect(tools.calls).toEqual([]);
});

it('an addition says nothing of what the file holds, and needs no look at it', async () => {
  const tools = toolsOf(builtins, {});
  const draft = proposalOf(await plan(createOfflinePlanner({ tools }), 'Add "done" to todo.txt'));
  expect(operationsOf(draft)).toEqual([
    ['workspace_edit', { path: 'todo.txt', action: 'append', text: 'done' }],
  ]);
  expect(tools.calls).toEqual([]);
});
