import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CountersignError } from '#domain/errors.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Operation, ToolRegistry } from '#domain/tool.ts';
import { normalisePlan } from '#plans/content/normalise.ts';
import { type Bench, openBench } from '../tools/tool-bench.ts';

let bench: Bench;
let registry: ToolRegistry;

const lines: Operation = {
  tool: 'lines',
  operation: 'count',
  name: 'lines_count',
  description: 'Counts lines.',
  effect: 'read',
  destructive: false,
  source: 'mcp',
  input: {
    type: 'object',
    properties: {
      most: { type: 'number' },
      exactly: { type: 'integer' },
      files: {
        type: 'array',
        items: { type: 'object', properties: { path: { type: 'string' } } },
      },
    },
  },
  output: {
    type: 'object',
    properties: {
      lines: { type: 'array', items: { type: 'string' } },
      count: { type: 'integer' },
      share: { type: 'number' },
      pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    },
    additionalProperties: false,
  },
  call: async () => ({ summary: '', data: null }),
};
const untyped: Operation = { ...lines, name: 'lines_any', operation: 'any' };
delete untyped.output;

beforeAll(async () => {
  bench = await openBench();
  const own = new Map([lines, untyped].map((operation) => [operation.name, operation]));
  registry = {
    ...bench.registry,
    get: (name) => own.get(name) ?? bench.registry.get(name),
    validate: (name, args, open) =>
      own.has(name) ? [] : bench.registry.validate(name, args, open),
  };
});
afterAll(() => bench.close());

const step = (id: string, name: string, args: JsonObject): StepDraft => {
  const [tool = '', operation = ''] = name.split('_');
  return { id, description: `Do ${id}`, tool, operation, args };
};
const read = step('2', 'workspace_read', { path: 'a.txt' });
const count = step('2', 'lines_count', {});
const write = (content: JsonObject) => step('3', 'workspace_write', { path: 'b.txt', content });

async function problemsOf(
  ...steps: StepDraft[]
): Promise<{ code: string; path: string; message: string }[]> {
  try {
    await normalisePlan({ title: 'Plan', steps }, registry, []);
    return [];
  } catch (error) {
    if (!(error instanceof CountersignError) || !Array.isArray(error.details.errors)) throw error;
    return error.details.errors;
  }
}

describe('a reference that can never work', () => {
  it.each<[string, StepDraft, StepDraft, string]>([
    [
      'takes a list for text',
      count,
      write({ $from: '2', path: '/lines' }),
      'Step 3 (workspace_write): content needs text, but /lines of step 2 (lines_count) is a list.',
    ],
    [
      'names what the output has not',
      read,
      write({ $from: '2', path: '/content' }),
      'Step 3 (workspace_write): content takes /content of step 2 (workspace_read), but the output of step 2 (workspace_read) has only path, text, size, binary, truncated, total_lines.',
    ],
    [
      'takes all of an output where one value of it would do',
      read,
      write({ $from: '2', path: '' }),
      'Step 3 (workspace_write): content needs text, but the output of step 2 (workspace_read) is an object; take /path or /text.',
    ],
    [
      'looks inside text',
      read,
      write({ $from: '2', path: '/text/0' }),
      'Step 3 (workspace_write): content takes /text/0 of step 2 (workspace_read), but /text of step 2 (workspace_read) is text, with nothing inside.',
    ],
    [
      'names an item of a list',
      count,
      write({ $from: '2', path: '/lines/first' }),
      'Step 3 (workspace_write): content takes /lines/first of step 2 (lines_count), but /lines of step 2 (lines_count) is a list; take one of its items, such as /0.',
    ],
    [
      'looks beyond a tuple',
      count,
      write({ $from: '2', path: '/pair/1' }),
      'Step 3 (workspace_write): content takes /pair/1 of step 2 (lines_count), but /pair of step 2 (lines_count) is a list without item 1.',
    ],
    [
      'takes something from a step that gives nothing',
      step('2', 'control_noop', {}),
      write({ $from: '2', path: '/text' }),
      'Step 3 (workspace_write): content takes /text of step 2 (control_noop), but the output of step 2 (control_noop) is null, with nothing inside.',
    ],
    [
      'sits inside an argument',
      count,
      step('3', 'lines_count', {
        files: [{ path: 'a' }, { path: { $from: '2', path: '/count' } }],
      }),
      'Step 3 (lines_count): files[1].path needs text, but /count of step 2 (lines_count) is a whole number.',
    ],
    [
      'has a path that is none',
      read,
      write({ $from: '2', path: '/a~2' }),
      'Step 3 (workspace_write): content has the path /a~2, which is not a JSON pointer (RFC 6901).',
    ],
  ])('%s', async (_, from, to, message) => {
    expect(await problemsOf(from, to)).toEqual([
      { code: 'invalid_reference', path: 'steps[1].args', message },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ $from: 3 }, '"a step\'s id"'],
    [{ $from: '2', path: 'text' }, '"path": "/text"'],
    [{ $from: '2', deep: true }, '"a step\'s id"'],
    [{ $decide: 3 }, '"what to choose"'],
  ])('%j is written wrongly', async (content, hint) => {
    const [problem, ...more] = await problemsOf(read, write(content));
    expect(more).toEqual([]);
    expect(problem?.code).toBe('invalid_reference');
    expect(problem?.message).toContain(hint);
  });

  it('stands for all arguments at once', async () => {
    const whole = step('3', 'workspace_write', { $from: '2', path: '' });
    expect(await problemsOf(read, whole)).toMatchObject([
      { code: 'invalid_reference', message: expect.stringContaining('give each argument its own') },
    ]);
  });
});

describe('a reference that may work', () => {
  it.each<[string, StepDraft, StepDraft]>([
    ['takes the type that is needed', read, write({ $from: '2', path: '/text' })],
    [
      'takes a whole number for a number',
      count,
      step('3', 'lines_count', { most: { $from: '2', path: '/count' } }),
    ],
    [
      'takes a number that may be whole',
      count,
      step('3', 'lines_count', { exactly: { $from: '2', path: '/share' } }),
    ],
    [
      'takes what an answer of the web may hold',
      step('2', 'http_get', { url: 'https://example.com' }),
      write({ $from: '2', path: '/json/items/0/title' }),
    ],
    [
      'takes it from an operation that says nothing of its output',
      step('2', 'lines_any', {}),
      write({ $from: '2', path: '/whatever/0' }),
    ],
    [
      'is taken by an operation that takes anything',
      count,
      step('3', 'control_noop', { all: { $from: '2' } }),
    ],
  ])('%s', async (_, from, to) => {
    expect(await problemsOf(from, to)).toEqual([]);
  });
});

it('reads a plan of ten thousand references in one pass', async () => {
  const steps = [
    read,
    ...Array.from({ length: 10_000 }, (_, index) =>
      step(`w${index}`, 'workspace_write', {
        path: `${index}.txt`,
        content: { $from: '2', path: index === 9_999 ? '/lines' : '/text' },
      }),
    ),
  ];
  expect(await problemsOf(...steps)).toHaveLength(1);
});
