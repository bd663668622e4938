// No argument of any operation reaches another organisation's data.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '#db/database.ts';
import { Settings } from '#domain/settings.ts';
import type { Tenancy } from '#domain/tenancy.ts';
import type { JsonObject } from '#domain/text.ts';
import type { ToolRegistry } from '#domain/tool.ts';
import { openPlannerTools } from '#planner/reads/open-reads.ts';
import { createCatalogue } from '#tools/catalogue.ts';
import { root } from '../../setup/process.ts';
import { type Bench, openBench, toolContext } from '../../unit/tools/tool-bench.ts';

const [one, two, three] = ['slack:T1', 'slack:T2', 'teams:33333333-aaaa'] as const;
// In one organisation's data only.
const secret = 'Quetzal';
const never = new AbortController().signal;

let tenancy: Tenancy = { apart: true, owners: [] };
let bench: Bench;
let folder: string;
let first: string;

const ics = (title: string) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260504T090000Z\r\nDTEND:20260504T100000Z\r\nSUMMARY:${title}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

function memoryServer(name: string, sharing: object) {
  const args = [join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')];
  return {
    command: process.execPath,
    args,
    env: { MEMORY_FILE_PATH: join(folder, name) },
    trusted: true,
    ...sharing,
  };
}

const write = (tools: ToolRegistry, path: string, content: string) =>
  tools.get('workspace_write')?.call({ path, content }, toolContext());

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-organisations-'));
  for (const name of ['own', 'unnamed', 'everybody'])
    await writeFile(join(folder, `${name}.ics`), ics(`${secret} in ${name}`));
  const at = (name: string) => join(folder, `${name}.ics`);
  bench = await openBench(
    {
      calendars: {
        'team-of-one': { at: at('own'), organisations: [one] },
        unnamed: at('unnamed'),
        everybody: { at: at('everybody'), shared: true },
      },
      mcpServers: {
        notes: memoryServer('notes.json', { organisations: [one] }),
        nobody: memoryServer('nobody.json', {}),
        all: memoryServer('all.json', { shared: true }),
      },
    },
    {
      tenancy: () => tenancy,
      startWaitMs: 15_000,
      chat: { post: async () => {} },
      reminders: { set: async () => {} },
      textModel: { complete: async () => ({ text: 'said', costUsd: 0 }) } as never,
    },
  );
  const own = bench.host.of(one);
  await write(own, `secret-of-T1.md`, `${secret} is our word.`);
  await write(own, 'notes/plan.csv', `name,word\nana,${secret}\n`);
  await write(own, 'calendar.ics', ics(secret));
  await symlink(join(folder, 'own.ics'), join(bench.workspace, 'out.ics'));
  const [name = ''] = await readdir(join(bench.workspace, '.countersign/organisations'));
  first = join(bench.workspace, '.countersign/organisations', name);
});
afterAll(async () => {
  await bench.close();
  await rm(folder, { recursive: true });
});

const waysIn = () => {
  const name = first.split('/').at(-1);
  const inside = `.countersign/organisations/${name}`;
  return [
    'secret-of-T1.md',
    'notes/plan.csv',
    'calendar.ics',
    '.',
    'notes',
    'team-of-one',
    `../${name}/secret-of-T1.md`,
    `../../../${inside}/secret-of-T1.md`,
    `x/../../${name}/secret-of-T1.md`,
    `${first}/secret-of-T1.md`,
    `file://${first}/secret-of-T1.md`,
    `${inside}/secret-of-T1.md`,
    `./${inside}/calendar.ics`,
    `.COUNTERSIGN/organisations/${name}/secret-of-T1.md`,
    `.countersign\u200b/organisations/${name}/secret-of-T1.md`,
    'into-one/secret-of-T1.md',
    'to-root/.countersign/organisations',
    'out.ics',
    one,
  ];
};

/** @param all optional ones too */
function fill(schema: unknown, text: string, all: boolean): unknown {
  if (typeof schema !== 'object' || schema === null) return text;
  const {
    type,
    properties,
    required,
    items,
    anyOf,
    enum: choices,
    minimum,
    ...rest
  } = schema as {
    [key: string]: unknown;
  };
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return fill(anyOf[0], text, all);
  if ('const' in rest) return rest.const;
  switch (type) {
    case 'object': {
      const needed = Array.isArray(required) ? required : [];
      const entries = Object.entries(properties ?? {}).filter(
        ([name]) => all || needed.includes(name),
      );
      return Object.fromEntries(entries.map(([name, one]) => [name, fill(one, text, all)]));
    }
    case 'array':
      return [fill(items, text, all)];
    case 'number':
    case 'integer':
      return typeof minimum === 'number' ? minimum : 0;
    case 'boolean':
      return true;
    default:
      return text;
  }
}

async function tell(ask: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await ask()) ?? '';
  } catch (error) {
    return `${error} ${JSON.stringify(error)}`;
  }
}

describe('another organisation', () => {
  test('gets nothing of the first from any operation, look-up or check', async () => {
    const other = bench.host.of(two);
    // Its own folder may link anywhere.
    await write(other, 'mine.md', 'mine');
    const [theirs = ''] = (await readdir(join(first, '..'))).filter(
      (name) => !first.endsWith(name),
    );
    await symlink(first, join(first, '..', theirs, 'into-one'));
    await symlink(bench.workspace, join(first, '..', theirs, 'to-root'));
    const before = await readFile(join(first, 'secret-of-T1.md'), 'utf8');
    const names = bench.host.list().map(({ name }) => name);
    const readsOwn = (name: string, args: JsonObject) =>
      tell(() => bench.host.of(one).get(name)?.call(args, toolContext()));
    expect(await readsOwn('workspace_read', { path: 'secret-of-T1.md' })).toContain(secret);
    expect(await readsOwn('calendar_read', { from: '2026-05-01', to: '2026-05-30' })).toContain(
      secret,
    );
    expect(names).toEqual(expect.arrayContaining(['workspace_read', 'notes_read_graph']));
    for (const spec of bench.host.list()) {
      if (spec.tool === 'all') continue;
      const operation = other.get(spec.name);
      for (const way of waysIn())
        for (const all of [true, false]) {
          const args = fill(spec.input, way, all) as JsonObject;
          const signal = AbortSignal.timeout(2000);
          const context = toolContext({ signal });
          const results = await Promise.all([
            tell(() => other.validate(spec.name, args)),
            tell(() => operation?.check?.(args)),
            tell(() => operation?.inspect?.(args, signal)),
            tell(() => operation?.compare?.(args, signal)),
            tell(() => operation?.preview?.(args, signal)),
          ]);
          results.push(await tell(() => operation?.call(args, context)));
          expect(results.join(), `${spec.name} ${way}`).not.toContain(secret);
        }
    }
    expect(await readFile(join(first, 'secret-of-T1.md'), 'utf8')).toBe(before);
    expect((await readdir(first)).sort()).toEqual(['calendar.ics', 'notes', 'secret-of-T1.md']);
    expect(await readFile(join(folder, 'own.ics'), 'utf8')).toBe(ics(`${secret} in own`));
  }, 120_000);

  test('reaches its own servers and calendars, and those that are shared', async () => {
    const of = (tenant: string | null) => {
      const tools = bench.host.of(tenant);
      const servers = tools.status().flatMap(({ tool, source }) => (source === 'mcp' ? tool : []));
      return servers.sort();
    };
    expect([of(one), of(two), of(null)]).toEqual([['all', 'notes'], ['all'], ['all', 'nobody']]);
    const read = async (tenant: string | null, calendar: string) => {
      const range = { from: '2026-05-01', to: '2026-05-30', calendar };
      const operation = bench.host.of(tenant).get('calendar_read');
      return (await tell(() => operation?.call(range, toolContext()))).includes(secret);
    };
    expect(await read(one, 'team-of-one')).toBe(true);
    expect(await read(one, 'unnamed')).toBe(false);
    expect(await read(two, 'everybody')).toBe(true);
    expect(await read(null, 'unnamed')).toBe(true);
    expect(await read(null, 'team-of-one')).toBe(false);
    expect(await bench.host.of(two).check('notes')).toMatchObject({ ok: false });
  });

  test('is told nothing of the first before it plans', async () => {
    const registry = bench.host.of(two);
    const { plannerTools } = Settings.parse({});
    const tools = openPlannerTools({
      registry,
      catalogue: createCatalogue(bench.host, () => tenancy).of(two),
      db: {} as Queryable,
      allowed: plannerTools,
      guarded: [],
      timezone: 'UTC',
    });
    const known = [await tools.lookAround?.('run-1', never), tools.manifest(), tools.readable()];
    const context = JSON.stringify(known);
    for (const word of [secret, 'secret-of-T1', 'team-of-one', 'notes_', 'unnamed'])
      expect(context).not.toContain(word);
    // As a word, since digests may hold any two letters.
    expect(context).not.toMatch(/\bT1\b/);
    expect(context).toContain('mine.md');
  });

  test('is not offered through a worker what its own process keeps from it', async () => {
    const catalogue = createCatalogue({ of: () => bench.host.of(three) }, () => tenancy);
    const manifest = bench.host.list();
    await catalogue.refresh(async () => [manifest]);
    const offered = catalogue
      .of(three)
      .list()
      .map(({ name }) => name);
    expect(offered).toContain('all_read_graph');
    expect(offered).toContain('workspace_read');
    expect(offered.filter((name) => /^(notes|nobody)_/.test(name))).toEqual([]);
    expect(catalogue.of(three).get('notes_read_graph')).toBeUndefined();
    expect(await catalogue.of(three).check('notes')).toMatchObject({ ok: false });
    expect(catalogue.of(one).get('notes_read_graph')).toBeDefined();
  });
});

test('names of organisations make folders that are never the same, nor outside', async () => {
  const names = ['../T1', '..', '.', 'slack:t1', 'slack:T1', 'slack/T1', 'slack-T1', '', 'ü:T1'];
  for (const name of names) await write(bench.host.of(name), 'who.md', name);
  for (const name of names) {
    const read = bench.host.of(name).get('workspace_read');
    const output = await read?.call({ path: 'who.md' }, toolContext());
    expect(output).toMatchObject({ data: { text: name } });
  }
  expect(await readdir(bench.workspace)).toEqual(['.countersign', 'out.ics']);
});

test('the first organisation keeps the folder that it had, and the others reach nothing of it', async () => {
  await writeFile(join(bench.workspace, 'since-1999.md'), secret);
  await mkdir(join(bench.workspace, 'folder'), { recursive: true });
  tenancy = { apart: true, owners: [three] };
  const list = async (tenant: string) =>
    tell(() =>
      bench.host.of(tenant).get('workspace_list')?.call({ recursive: true }, toolContext()),
    );
  expect(await list(three)).toContain('since-1999.md');
  expect(await list(three)).not.toContain('.countersign');
  expect(await list(two)).not.toContain('since-1999');
  expect(bench.host.of(three).get('nobody_read_graph')).toBeDefined();
  const ways = [
    '.countersign',
    first,
    `.countersign/organisations`,
    '.Countersign/x',
    'folder/../.countersign',
  ];
  for (const path of ways)
    for (const name of ['workspace_list', 'workspace_read', 'workspace_delete', 'workspace_move'])
      expect(
        await tell(() =>
          bench.host
            .of(three)
            .get(name)
            ?.call({ path, from: path, to: 'a', recursive: true }, toolContext()),
        ),
      ).toContain('Error');
  tenancy = { apart: false, owners: [] };
  expect(bench.host.of(two)).toBe(bench.host.of(null));
});
