// Every built-in and reference-server operation survives its form unchanged.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { stepWindow } from '#adapters/slack/press/build-windows.ts';
import { viewBuildForm } from '#cards/build-view.ts';
import { measureCard, platformLimits } from '#cards/limits.ts';
import { slackPage } from '#cards/slack-build.ts';
import { drawBuildFormDialog, teamsPage } from '#cards/teams-build.ts';
import { advance, emptyBuild } from '#domain/plan/build.ts';
import { readEntries, toEntries } from '#domain/plan/form-entries.ts';
import {
  type Entries,
  initialEntries,
  type OperationField,
  repeatItems,
  visibleFields,
} from '#domain/plan/operation-form.ts';
import type { JsonObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { readRequest } from '#planner/commands/request.ts';
import { tokenize } from '#planner/commands/tokens.ts';
import { exampleOf } from '#tools/example-arguments.ts';
import { formOf } from '#tools/operation-form.ts';
import { compileValidator } from '#tools/validate-arguments.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import { checkSlackView } from '../../fixtures/block-kit.ts';
import { node, root } from '../../setup/process.ts';
import { waitFor } from '../../wait.ts';
import { type Bench, openBench } from './tool-bench.ts';

const zone = {
  toMoment: (local: string) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) ? `${local}:00Z` : null),
  toLocal: (moment: string) => moment.slice(0, 16),
};

function makeForm(properties: JsonSchema, required: string[] = [], more: JsonSchema = {}) {
  const input = { type: 'object', properties, required, additionalProperties: false, ...more };
  const spec = { tool: 't', operation: 'o', name: 't_o', description: '', effect: 'read' } as const;
  const { fields } = formOf({ ...spec, input, destructive: false, source: 'mcp' }, []);
  const check = (args: JsonObject) => compileValidator(input)(args);
  return { fields, read: (entries: Entries, of = fields) => readEntries(of, entries, zone), check };
}

const obj = (properties: JsonSchema): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const propertiesOf = (count: number, one: JsonSchema = { type: 'string' }): JsonSchema =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, one]));

const nested = (depth: number, wrap: (one: JsonSchema) => JsonSchema): JsonSchema =>
  depth === 0 ? { type: 'string' } : wrap(nested(depth - 1, wrap));

const manyOf = (count: number, one?: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: propertiesOf(count, one),
});

function sampleOf(field: OperationField): string | boolean {
  const { type, holds, options, min } = field;
  if (field.initial !== null && typeof field.initial !== 'object') return field.initial;
  if (options.length > 0) return options[0]?.value ?? '';
  if (holds === 'list') return field.numbers ? '1\n2' : 'one\ntwo';
  if (holds === 'pairs') return 'accept: text/plain';
  if (holds === 'moment') return '2026-12-03T09:00';
  if (holds === 'json') return '{"a": [1, {"b": null}]}';
  if (type === 'number') return String(min ?? 3);
  if (type === 'boolean') return true;
  return type === 'date' ? '2026-12-03' : 'some text';
}

const sample = (fields: OperationField[]): Entries =>
  Object.fromEntries(visibleFields(fields, {}).map((field) => [field.name, sampleOf(field)]));

describe('every operation', () => {
  let bench: Bench;
  let folder: string;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-forms-')));
    const real = (name: string) =>
      join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
    bench = await openBench({
      mcpServers: {
        everything: { command: node, args: [real('server-everything')] },
        files: { command: node, args: [real('server-filesystem'), folder] },
        memory: { command: node, args: [real('server-memory')], env },
      },
    });
  });
  const list = () =>
    waitFor('the servers to connect', () => {
      const found = bench.registry.list();
      return (
        ['everything', 'files', 'memory'].every((name) =>
          found.some(({ tool }) => tool === name),
        ) && found
      );
    });
  afterAll(async () => {
    await bench.close();
    await rm(folder, { recursive: true });
  });

  it('can be filled in, in fields of its own wherever its schema has any', async () => {
    const specs = await list();
    expect(specs.length).toBeGreaterThan(50);
    const asJson: string[] = [];
    for (const spec of specs) {
      const { fields } = formOf(spec, []);
      const all = repeatItems(fields, { '/entities': 2 });
      const { args, problems } = readEntries(all, sample(all), zone);
      expect(problems, spec.name).toEqual([]);
      if (spec.source === 'mcp')
        expect(bench.registry.validate(spec.name, args), spec.name).toEqual([]);
      for (const { holds, name } of fields) if (holds === 'json') asJson.push(spec.name + name);
      const again = toEntries(fields, args, zone);
      const back = readEntries(again.fields, again.entries, zone, again.kept);
      expect(back, spec.name).toEqual({ args, problems: [] });
    }
    expect(asJson.filter((name) => !/^(human|plan|draft)_/.test(name))).toEqual([]);
  });

  it('has an example that fits it, and is called with it as a command', async () => {
    for (const spec of await list()) {
      const { args } = exampleOf(spec);
      expect(compileValidator(spec.input)(args), `${spec.name} ${JSON.stringify(args)}`).toEqual(
        [],
      );
      if (Object.keys(args).length === 0) continue;
      const source = `call ${spec.name} with ${JSON.stringify(args, null, 2)}`;
      const operations = new Map([[spec.name.toLowerCase(), spec.name]]);
      const tokens = tokenize(source);
      const setting = { now: new Date(0), timezone: 'UTC', operations, it: null };
      expect(readRequest({ source, tokens, ...setting })).toMatchObject({
        request: { commands: [{ slots: { values: { operation: spec.name, args } } }] },
      });
    }
  });

  test.each<[string, JsonSchema, unknown]>([
    [
      'a reference',
      { $ref: '#/$defs/p', $defs: { p: obj({ n: { type: 'integer', minimum: 5 } }) } },
      { n: 5 },
    ],
    [
      'a union',
      obj({ u: { anyOf: [obj({ kind: { const: 'a' } }), { type: 'string' }] } }),
      { u: { kind: 'a' } },
    ],
    [
      'lists',
      obj({
        l: { type: 'array', minItems: 2, items: { type: 'array', items: { type: 'boolean' } } },
      }),
      { l: [[true], [true]] },
    ],
    [
      'texts',
      obj({ dueDate: { type: 'string', format: 'date' }, entityType: { type: 'string' } }),
      { dueDate: '2026-12-02', entityType: 'entity type' },
    ],
    [
      'itself',
      { ...obj({ child: { $ref: '#' } }), properties: { child: { $ref: '#' } } },
      expect.anything(),
    ],
  ])('an example of %s', (_, input, args) => {
    expect(exampleOf({ input }).args).toEqual(args);
  });

  test.each<[string, JsonSchema]>([
    ['lists in lists', nested(8, (items) => ({ type: 'array', minItems: 1000, items }))],
    ['objects in objects', nested(6, (one) => obj(propertiesOf(30, one)))],
    ['a long text', { type: 'string', minLength: 4e9 }],
    ['long names', obj(propertiesOf(10_000))],
    ['a long default', { default: 'a'.repeat(1e6) }],
  ])('an example of %s is short', (_, x) => {
    const { args } = exampleOf({ input: obj({ x }) });
    expect(JSON.stringify(args).length).toBeLessThan(8000);
  });

  it('has a form in Slack and in Teams within their limits, however much is entered', async () => {
    const held = { team: 'T1', user: 'U1', place: null, page: 0 };
    for (const spec of await list()) {
      const form = formOf(spec, []);
      const many = repeatItems(form.fields, { '/entities': 20, '/edits': 20 });
      const entries = Object.fromEntries(
        many.map((field): [string, string | boolean] => {
          // The adapter puts Slack's user there.
          if (field.pick === 'person') return [field.name, 'U1'];
          const isText = field.holds === 'value' && field.options.length === 0;
          const long = 'é'.repeat(field.type === 'multiline' ? 3000 : 900);
          return [
            field.name,
            isText && /^(text|multiline)$/.test(field.type) ? long : sampleOf(field),
          ];
        }),
      );
      const { step, ...others } = advance(emptyBuild, { kind: 'choose', form }, zone);
      const opened = {
        ...others,
        step: step && { ...step, entries, form: { ...form, fields: many } },
      };
      const add = advance(opened, { kind: 'add' }, zone);
      for (const build of [opened, add, { ...opened, step }]) {
        for (let page = 0, isLast = false; !isLast; page++) {
          const shown = viewBuildForm(build, page, slackPage);
          isLast = shown?.isLast ?? true;
          if (shown === null) continue;
          expect(checkSlackView(stepWindow({ ...held, page }, shown)), spec.name).toEqual([]);
        }
        for (let page = 0, isLast = false; !isLast; page++) {
          const shown = viewBuildForm(build, page, teamsPage);
          isLast = shown?.isLast ?? true;
          if (shown === null) continue;
          const card = drawBuildFormDialog(shown);
          expect(checkAdaptiveCard(card), spec.name).toEqual([]);
          expect(measureCard(card), spec.name).toBeLessThanOrEqual(platformLimits.teams.payload);
        }
      }
    }
  });

  it('says of each required field that it is missing, once', async () => {
    for (const spec of await list()) {
      const { fields } = formOf(spec, []);
      const needed = fields.filter(({ required, initial }) => required && initial === null);
      const { problems } = readEntries(fields, initialEntries(fields), zone);
      expect(problems.map(({ name }) => name).toSorted(), spec.name).toEqual(
        needed.map(({ name }) => name).toSorted(),
      );
    }
  });
});

test('an empty list stays when its step is edited, until something is entered', () => {
  const item = { type: 'object', properties: { name: { type: 'string' } } };
  const texts = { type: 'array', items: { type: 'string' } };
  const { fields } = makeForm({ items: { type: 'array', items: item }, tags: texts });
  const args = { items: [], tags: [] };
  const edited = toEntries(fields, args, zone);
  const read = (entries: Entries) =>
    readEntries(edited.fields, { ...edited.entries, ...entries }, zone, edited.kept).args;
  expect(read({})).toEqual(args);
  expect(read({ '/items/0/name': 'a', '/tags': 'x' })).toEqual({
    items: [{ name: 'a' }],
    tags: ['x'],
  });
});

describe('lists of objects', () => {
  const edits = {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        oldText: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['oldText', 'tags'],
    },
  };
  it('repeat, and an item that nothing was entered for is none', () => {
    const { fields, read } = makeForm({ edits }, ['edits']);
    expect(fields.map(({ label }) => label)).toEqual(['Edits 1, Old text', 'Edits 1, Tags']);
    const three = repeatItems(fields, { '/edits': 3 });
    const entries = { '/edits/0/oldText': 'a', '/edits/2/oldText': 'c', '/edits/2/tags': 'x\ny' };
    expect(read(entries, three)).toEqual({
      args: {
        edits: [
          { oldText: 'a', tags: [] },
          { oldText: 'c', tags: ['x', 'y'] },
        ],
      },
      problems: [],
    });
  });
  it('ask for what an item needs once something of it is given', () => {
    const { fields, read } = makeForm({ edits });
    expect(read({})).toEqual({ args: {}, problems: [] });
    const two = repeatItems(fields, { '/edits': 2 });
    expect(read({ '/edits/1/tags': 'x' }, two).problems).toEqual([
      { name: '/edits/1/oldText', message: '“Edits 2, Old text” is missing.' },
    ]);
  });
  it('keep their items when they are edited, and can be fewer', () => {
    const { fields } = makeForm({ edits }, ['edits']);
    const args = { edits: ['a', 'b'].map((oldText) => ({ oldText, tags: ['x'] })) };
    const read = toEntries(fields, args, zone);
    const all = repeatItems(read.fields, {});
    expect(readEntries(all, read.entries, zone, read.kept).args).toEqual(args);
    const one = repeatItems(read.fields, { '/edits': 1 });
    expect(readEntries(one, read.entries, zone, read.kept).args).toEqual({
      edits: args.edits.slice(0, 1),
    });
  });
  it('keep what no field of an item is for', () => {
    const { fields } = makeForm({ edits }, ['edits']);
    const items = ['a', 'b', 'c'].map((oldText) => ({ oldText, tags: ['x'] }));
    const extra = { line: 3 };
    const args = { edits: items.map((item, at) => (at === 0 ? item : { ...item, extra })) };
    const { fields: all, entries, kept } = toEntries(fields, args, zone);
    const changed = { ...entries, '/edits/1/oldText': 'B' };
    expect(readEntries(all, changed, zone, kept).args).toEqual({
      edits: [args.edits[0], { oldText: 'B', tags: ['x'], extra }, args.edits[2]],
    });
    const fewer = repeatItems(all, { '/edits': 2 });
    expect(readEntries(fewer, entries, zone, kept).args).toEqual({ edits: args.edits.slice(0, 2) });
  });
  it('can be the output of an earlier step', () => {
    const { fields, read } = makeForm({ edits }, ['edits']);
    const args: JsonObject = { edits: { $from: '1', path: '/rows' } };
    expect(read({ '/edits': { $from: '1', path: '/rows' } })).toEqual({ args, problems: [] });
    expect(toEntries(fields, args, zone).entries).toEqual({ '/edits': args.edits });
  });
});

describe('alternatives', () => {
  const channel = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'mail' }, to: { type: 'string' } },
        required: ['kind', 'to'],
      },
      {
        type: 'object',
        properties: {
          kind: { const: 'chat' },
          room: { type: 'string' },
          loud: { type: 'boolean' },
        },
        required: ['kind', 'room'],
      },
    ],
  };
  it('are chosen, and only the fields of the chosen one count', () => {
    const { fields, read, check } = makeForm({ channel }, ['channel']);
    const chooser = '/channel#';
    expect(fields.find(({ name }) => name === chooser)?.options.map(({ label }) => label)).toEqual([
      'mail',
      'chat',
    ]);
    const entries = { [chooser]: '2', '/channel/kind#2': 'chat', '/channel/room#2': 'ops' };
    const { args, problems } = read({ ...entries, '/channel/to#1': 'ana@example.com' });
    expect({ args, problems }).toEqual({
      args: { channel: { kind: 'chat', room: 'ops' } },
      problems: [],
    });
    expect(check(args)).toEqual([]);
    expect(toEntries(fields, args, zone).entries).toEqual(entries);
  });
  it('of text and JSON are told apart by how they begin', () => {
    const { read, check } = makeForm({ body: { anyOf: [{ type: 'string' }, { type: 'object' }] } });
    for (const [entry, body] of [
      ['plain', 'plain'],
      ['{"a": 1}', { a: 1 }],
      ['{not json', '{not json'],
    ] as const) {
      expect(read({ '/body': entry }).args).toEqual({ body });
      expect(check({ body })).toEqual([]);
    }
  });
});

describe('entries', () => {
  it.each<[string, JsonSchema, string, unknown]>([
    ['a day', { type: 'string', format: 'date' }, '2026-12-03', '2026-12-03'],
    [
      'a moment',
      { type: 'string', format: 'date-time' },
      '2026-12-03T09:00',
      '2026-12-03T09:00:00Z',
    ],
    ['numbers', { type: 'array', items: { type: 'integer' } }, '1\n2', [1, 2]],
    ['a number of a few', { enum: [1, 2] }, '2', 2],
    [
      'pairs',
      { type: 'object', additionalProperties: { type: 'string' } },
      'a: b: c',
      { a: 'b: c' },
    ],
    [
      'a large number',
      { type: ['object', 'array'] },
      '[12345678901234567890]',
      [12345678901234567890n],
    ],
    ['a nullable text', { anyOf: [{ type: 'string' }, { type: 'null' }] }, ' a ', 'a'],
    ['what $ref names', { $ref: '#/$defs/n' }, '7', 7],
  ])('are read as %s', (_, schema, entry, value) => {
    const { fields, read, check } = makeForm({ x: schema }, ['x'], {
      $defs: { n: { type: 'integer' } },
    });
    expect(read({ '/x': entry })).toEqual({ args: { x: value }, problems: [] });
    expect(check({ x: value } as JsonObject)).toEqual([]);
    const again = toEntries(fields, { x: value } as JsonObject, zone);
    expect(read(again.entries, again.fields).args).toEqual({ x: value });
  });
  it.each<[JsonSchema, string, string]>([
    [{ type: 'integer', maximum: 9 }, '12', 'X must be at most 9.'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a\nc', 'X must be a or b, not c.'],
    [{ type: 'string', format: 'date-time' }, 'soon', 'X must be a time such as 2026-12-03 09:00.'],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      'a',
      'X must be one name: value per line.',
    ],
    [
      { type: ['object', 'array'] },
      '{a}',
      'X must be JSON, such as {"name": "value"} or ["a", "b"].',
    ],
  ])('that do not fit %j have one sentence', (schema, entry, message) => {
    expect(makeForm({ x: schema }, ['x']).read({ '/x': entry }).problems).toEqual([
      { name: '/x', message },
    ]);
  });
  it('leave out a default that is unchanged, and keep one that an argument gives', () => {
    const { fields, read } = makeForm({ dry: { type: 'boolean', default: false } });
    expect(read(initialEntries(fields)).args).toEqual({});
    const { fields: own, entries } = toEntries(fields, { dry: false }, zone);
    expect(read(entries, own).args).toEqual({ dry: false });
  });
  it('keep arguments that no field is for', () => {
    const { fields } = makeForm({
      at: { type: 'object', properties: { city: { type: 'string' } } },
    });
    const args = { at: { city: 'Rome', zip: 1 }, more: [1] };
    const { entries, kept, fields: own } = toEntries(fields, args, zone);
    expect(kept).toEqual({ at: { zip: 1 }, more: [1] });
    expect(readEntries(own, { ...entries, '/at/city': 'Bari' }, zone, kept).args).toEqual({
      at: { city: 'Bari', zip: 1 },
      more: [1],
    });
  });
  it.each(['__proto__', 'constructor', 'toString'])('named %s stay in the arguments', (name) => {
    const path = [name, 'x'];
    const { fields } = makeForm({ at: { type: 'object', properties: { x: { type: 'string' } } } });
    const own = fields.map((field) => ({ ...field, path }));
    const { args } = readEntries(own, { '/at/x': 'set' }, zone);
    expect(Object.entries(args)).toEqual([[name, { x: 'set' }]]);
    expect([Reflect.get({}, 'x'), Reflect.get(Object, 'x')]).toEqual([undefined, undefined]);
  });
  it('have no field that no request may send', () => {
    const properties = Object.fromEntries(['__proto__', 'a'].map((key) => [key, {}]));
    expect(makeForm(properties, ['__proto__']).fields.map(({ name }) => name)).toEqual(['/a']);
  });
  it.each<[string, (many: JsonSchema) => JsonSchema, string]>([
    ['an object', (many) => many, '/x'],
    ['a list', (items) => ({ type: 'array', items }), '/x'],
    ['an alternative', (many) => ({ type: 'object', oneOf: [many, { type: 'object' }] }), '/x'],
    ['alternatives', (_) => ({ oneOf: Array(1000).fill({ type: 'object' }) }), '/x'],
    [
      'objects in objects',
      (_) => ({ type: 'object', properties: { y: manyOf(60, manyOf(60)) } }),
      '/x/y/p0',
    ],
  ])('of %s with too many properties are JSON as a whole', (_, toSchema, json) => {
    const properties = { x: toSchema(manyOf(1000)), a: { type: 'string' } };
    const { fields } = makeForm(properties);
    expect(fields.length).toBeLessThanOrEqual(100);
    expect(fields.find(({ holds }) => holds === 'json')?.name).toBe(json);
    expect(fields.find(({ name }) => name === '/a')?.type).toBe('text');
  });
  it('of too many properties are one JSON object', () => {
    const { fields, read } = makeForm(propertiesOf(1000));
    expect(fields.map(({ name, required }) => ({ name, required }))).toEqual([
      { name: '', required: false },
    ]);
    expect(read({ '': '{"p7": "a"}' })).toEqual({ args: { p7: 'a' }, problems: [] });
  });
  it('of a schema that says nothing are JSON as a whole', () => {
    const spec = {
      tool: 't',
      operation: 'o',
      name: 't_o',
      description: '',
      effect: 'read',
    } as const;
    const input = { type: 'object' };
    const { fields } = formOf({ ...spec, input, destructive: false, source: 'mcp' }, []);
    expect(readEntries(fields, { '': '{"a": 1}' }, zone).args).toEqual({ a: 1 });
  });
});
