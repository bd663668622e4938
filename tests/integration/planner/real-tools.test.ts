// A new user's first requests, offline with the real tools.
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { substitute } from '#domain/plan/arguments.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { type Json, JsonObject } from '#domain/text.ts';
import { checkDraft } from '#planner/draft/check-draft.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { plannerOperations } from '#tools/guard.ts';
import { createMemoryPlanner } from '../../fixtures/memory-planner.ts';
import { makePlan } from '../../fixtures/plans.ts';
import { limits } from '../../unit/planner/planners.ts';
import { plan, proposalOf } from '../../unit/planner/requests.ts';
import { type Bench, openBench } from '../../unit/tools/tool-bench.ts';

const packages = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
const bin = (name: string) => join(packages, name, 'dist/index.js');
const standup =
  'Create notes/standup.md saying "Standup at 9:30", then move it to archive/standup.md';

let bench: Bench;
let folder: string;

async function close(): Promise<void> {
  await bench.close();
  await rm(folder, { recursive: true, force: true });
}

function toolsOf(): PlannerTools {
  const { registry } = bench;
  return {
    manifest: () => registry.list(),
    readable: () => plannerOperations(registry, { deny: [] }),
    call: (name, args) => bench.call(name, args),
    validate: (name, args, unknown) => registry.validate(name, args, unknown),
    atHand: null,
    posts: null,
    parts: null,
    requests: null,
    lookAround: null,
    listPlans: async () => ({ plans: [] }),
    getPlan: async () => makePlan(),
  };
}

async function ask(text: string) {
  return plan(createMemoryPlanner({ tools: toolsOf(), model: null, limits }), text);
}

// The draft's order respects prerequisites.
async function carryOut(draft: PlanDraft): Promise<void> {
  expect(await checkDraft(draft, toolsOf())).toEqual([]);
  const outputs = new Map<string, Json>();
  for (const step of draft.steps) {
    const args = substitute(
      step.args ?? {},
      (reference) => {
        const key = reference.path.slice(1);
        const from = outputs.get(reference.$from);
        const value =
          typeof from === 'object' && from !== null && !Array.isArray(from) ? from[key] : undefined;
        if (value === undefined) throw new Error(`step ${reference.$from} gave no ${key}`);
        return value;
      },
      () => null,
    );
    const { data } = await bench.call(`${step.tool}_${step.operation}`, JsonObject.parse(args));
    outputs.set(step.id ?? '', data);
  }
}

async function readFiles(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length + 1)] = await readFile(path, 'utf8');
  }
  return files;
}

describe.each(['built-in tools', 'the MCP filesystem server'])('with %s', (kind) => {
  const builtin = kind === 'built-in tools';
  let root: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-plan-')));
    const files = {
      command: process.execPath,
      args: [bin('server-filesystem'), folder],
      cwd: folder,
      trusted: true,
    };
    const settings = builtin ? {} : { mcpServers: { files }, disabledTools: ['workspace'] };
    bench = await openBench(settings, { startWaitMs: 15_000 });
    root = builtin ? bench.workspace : folder;
  });
  afterAll(close);
  afterEach(async () => {
    const names = await readdir(root).catch(() => []);
    await Promise.all(names.map((name) => rm(join(root, name), { recursive: true })));
  });

  async function put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const either = (form: string, call: string) => (builtin ? form : call);

  it('a note is created and moved', async () => {
    const text = either(
      standup,
      'call files_write_file with path: standup.md, content: "Standup at 9:30", then call files_move_file with source: standup.md, destination: moved.md',
    );
    await carryOut(proposalOf(await ask(text)));
    const path = builtin ? 'archive/standup.md' : 'moved.md';
    expect(await readFiles(root)).toEqual({ [path]: 'Standup at 9:30' });
  });

  it('a text is taken from one file to another', async () => {
    await put('a.txt', 'first\nsecond');
    const text = either(
      'read a.txt, then write the result to b.txt',
      'call files_read_text_file with path: a.txt, then call files_write_file with path: b.txt, content: "copied"',
    );
    await carryOut(proposalOf(await ask(text)));
    expect(await readFiles(root)).toMatchObject({ 'b.txt': builtin ? 'first\nsecond' : 'copied' });
  });

  it('a question is answered by looking', async () => {
    await put('notes/a.md', '# A');
    const list = either('What is in the workspace?', 'call files_list_directory with path: "."');
    expect((await ask(list)).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('notes'),
    });
    const read = either('show notes/a.md', 'call files_read_text_file with path: notes/a.md');
    expect((await ask(read)).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('# A'),
    });
  });

  it('a form whose operation is not connected says so', async () => {
    const { result } = await ask('Delete archive/old.md');
    expect(result).toMatchObject(
      builtin ? { kind: 'proposal' } : { kind: 'cannot', wanted: 'delete' },
    );
  });

  it('what no form reads gets the nearest ones', async () => {
    expect((await ask('Ask Ben whether it is ready')).result).toMatchObject({ kind: 'question' });
  });
});

describe('with other MCP servers', () => {
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-plan-')));
    const server = (name: string, env = {}) => ({
      command: process.execPath,
      args: [bin(name)],
      env,
      trusted: true,
    });
    bench = await openBench(
      {
        mcpServers: {
          everything: server('server-everything'),
          memory: server('server-memory', { MEMORY_FILE_PATH: join(folder, 'memory.json') }),
        },
      },
      { startWaitMs: 15_000 },
    );
  });
  afterAll(close);

  it('echoes and adds without a plan', async () => {
    expect((await ask('call everything_echo with message: "hello"')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('hello'),
    });
    expect((await ask('call everything_get-sum with a: 2, b: 3')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('5'),
    });
  });

  it('remembers an entity by a plan and finds it by a look-up', async () => {
    await carryOut(
      proposalOf(
        await ask(
          'call memory_create_entities with entities: [{"name":"Ana","entityType":"person","observations":["likes tea"]}]',
        ),
      ),
    );
    expect((await ask('call memory_search_nodes with query: Ana')).result).toMatchObject({
      kind: 'answer',
      text: expect.stringContaining('likes tea'),
    });
  });
});
