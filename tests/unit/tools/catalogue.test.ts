// The more careful of conflicting descriptions wins.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#domain/text.ts';
import type { Effect, Operation, OperationSpec, ToolStatus } from '#domain/tool.ts';
import { createCatalogue, describeChange, digestOperation } from '#tools/catalogue.ts';

function spec(name: string, effect: Effect, required = 'line'): OperationSpec {
  const [tool = '', operation = ''] = name.split('_');
  return {
    tool,
    operation,
    name,
    description: name,
    input: { type: 'object', properties: { [required]: { type: 'string' } }, required: [required] },
    effect,
    destructive: false,
    source: 'mcp',
  };
}

function registryOf(specs: OperationSpec[], down: string[] = []) {
  const operations = new Map<string, Operation>(
    specs.map((own) => [own.name, { ...own, call: async () => ({ summary: '', data: null }) }]),
  );
  return {
    list: () => specs,
    get: (name: string) => operations.get(name),
    validate: (_name: string, args: JsonObject) =>
      'line' in args ? [] : ['here: line is missing'],
    check: async (tool: string) =>
      down.includes(tool)
        ? { ok: false as const, reason: `${tool} is down` }
        : { ok: true as const },
    status: (): ToolStatus[] =>
      [...new Set(specs.map(({ tool }) => tool))].map((tool) => ({
        tool,
        source: 'mcp',
        ok: !down.includes(tool),
        operations: 1,
      })),
  };
}

async function open(own: OperationSpec[], manifests: OperationSpec[][], down: string[] = []) {
  const catalogues = createCatalogue({ of: () => registryOf(own, down) });
  await catalogues.refresh(async () => manifests);
  return catalogues.of(null);
}

describe('the catalogue', () => {
  it('lists its own operations first, then what workers have beside them', async () => {
    const catalogue = await open(
      [spec('b_run', 'read')],
      [[spec('z_run', 'read'), spec('b_run', 'read')], [spec('a_run', 'write')]],
    );
    expect(catalogue.list().map(({ name }) => name)).toEqual(['b_run', 'a_run', 'z_run']);
    expect(catalogue.get('a_run')?.effect).toBe('write');
    expect(catalogue.get('c_run')).toBeUndefined();
  });

  it('believes the more careful description, whoever gives it', async () => {
    const catalogue = await open(
      [spec('a_run', 'read'), spec('b_run', 'write')],
      [
        [spec('a_run', 'write'), spec('b_run', 'read'), spec('c_run', 'read')],
        [spec('c_run', 'idempotent', 'text')],
      ],
    );
    const effects = catalogue.list().map(({ name, effect }) => [name, effect]);
    expect(effects).toEqual([
      ['a_run', 'write'],
      ['b_run', 'write'],
      ['c_run', 'idempotent'],
    ]);
    expect(catalogue.get('a_run')?.effect).toBe('write');
    expect(catalogue.validate('c_run', {})).toEqual(['text is missing']);
  });

  it('checks arguments by its own rules, or by the schema a worker gave', async () => {
    const catalogue = await open([spec('a_run', 'read')], [[spec('b_run', 'read', 'text')]]);
    expect(catalogue.validate('a_run', {})).toEqual(['here: line is missing']);
    expect(catalogue.validate('b_run', {})).toEqual(['text is missing']);
    expect(catalogue.validate('b_run', {}, ['text'])).toEqual([]);
    expect(catalogue.validate('b_run', { text: 'yes' })).toEqual([]);
  });

  it('says of a schema that cannot be used that it cannot', async () => {
    const broken = { ...spec('b_run', 'read'), input: { $ref: '#/nowhere' } };
    const [problem] = (await open([], [[broken]])).validate('b_run', {});
    expect(problem).toMatch(/^its schema, as a worker describes it, cannot be used/);
  });

  it('counts a tool as there when it answers here or a worker offers it', async () => {
    const own = [spec('a_run', 'read'), spec('b_run', 'read')];
    const catalogue = await open(own, [[spec('b_run', 'read'), spec('c_run', 'read')]], ['a', 'b']);
    expect(await catalogue.check('a')).toEqual({ ok: false, reason: 'a is down' });
    expect(await catalogue.check('b')).toEqual({ ok: true });
    expect(await catalogue.check('c')).toEqual({ ok: true });
    expect(await catalogue.check('d')).toMatchObject({
      reason: expect.stringContaining('No worker offers the tool d'),
    });
  });

  it('forgets what went away with the worker that had it', async () => {
    let manifests = [[spec('a_run', 'read')]];
    const catalogues = createCatalogue({ of: () => registryOf([]) });
    const catalogue = catalogues.of(null);
    await catalogues.refresh(async () => manifests);
    expect(catalogue.get('a_run')).toBeDefined();
    manifests = [];
    await catalogues.refresh(async () => manifests);
    expect(catalogue.list()).toEqual([]);
  });
});

it.each([
  ['mcp', {}, null],
  ['mcp', { description: 'Other' }, 'its description'],
  [
    'mcp',
    { description: 'Other', input: {}, destructive: true },
    'its description, the schema of its arguments and what it says of its effect',
  ],
  ['file', { input: {} }, 'the schema of its arguments'],
  ['builtin', { description: 'Other', input: {} }, null],
  ['builtin', { input: {}, effect: 'write' }, 'what it says of its effect'],
] as const)('of an operation of the source %s, %j changes %s', (source, change, expected) => {
  const shown: OperationSpec = { ...spec('a_run', 'read'), source };
  expect(describeChange(digestOperation(shown), { ...shown, ...change })).toBe(expected);
});

it('takes an operation of another source for another one, even if Countersign now brings it', () => {
  const shown = spec('a_run', 'read');
  expect(describeChange(digestOperation(shown), { ...shown, source: 'builtin' })).toBe(
    'the server or the code it comes from',
  );
});
