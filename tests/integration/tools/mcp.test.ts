// The real servers of the Model Context Protocol project, over stdio and HTTP, started and killed for real.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '#domain/text.ts';
import { plannerOperations } from '#tools/guard.ts';
import { appendTool } from '../../fixtures/append-tool.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { type Bench, openBench, toolContext } from '../../unit/tools/tool-bench.ts';
import { waitFor } from '../../wait.ts';

const packages = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
const bin = (name: string) => join(packages, name, 'dist/index.js');
const node = process.execPath;

let bench: Bench | undefined;
const children: ChildProcess[] = [];

afterEach(async () => {
  await bench?.close();
  bench = undefined;
  for (const child of children.splice(0)) await stop(child);
});

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function open(mcpServers: { [key: string]: unknown }, options = {}): Promise<Bench> {
  bench = await openBench({ mcpServers }, { startWaitMs: 15_000, retryMs: 50, ...options });
  return bench;
}

/** The child of this test that was started with `word` among its arguments. */
async function findChild(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const id of ids) {
    const words = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
    const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status);
    if (isOurs && words.split('\0').includes(word)) return id;
  }
  throw new Error(`no child of this process runs ${word}`);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  server.close();
  await once(server, 'close');
  return address.port;
}

async function startHttpServer(port: number): Promise<ChildProcess> {
  const child = spawn(node, [bin('server-everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  children.push(child);
  await waitFor('the HTTP server to answer', () =>
    fetch(`http://127.0.0.1:${port}/mcp`).then((response) => response.status > 0),
  );
  return child;
}

const Message = z.object({ id: z.union([z.number(), z.string()]).optional(), method: z.string() });

/** A server with an echo. @param knows whether the session is one it knows, when `method` is asked for */
async function startForgetful(knows: (method: string) => Promise<boolean>) {
  const results: { [method: string]: object } = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'forgetful', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'Echo: hi' }] },
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = Message.parse(JSON.parse(await text(request)));
    const known = await knows(method);
    if (!known) return response.writeHead(404).end();
    if (id === undefined) return response.writeHead(202).end();
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'one' };
    const result = results[method];
    const answer =
      result === undefined ? { error: { code: -32601, message: 'Not known.' } } : { result };
    return response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const { url, close } = await listenOnLoopback(server);
  return { close, url: `${url}/mcp` };
}

describe('the filesystem server over stdio', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-mcp-')));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const openFiles = (trusted = false) =>
    open({ fs: { command: node, args: [bin('server-filesystem'), folder], trusted } });

  it('offers planners nothing while nobody trusts it', async () => {
    const { registry } = await openFiles();
    expect(registry.get('fs_read_text_file')).toMatchObject({ effect: 'write', destructive: true });
    const planner = plannerOperations(registry, { deny: [] });
    expect(planner.filter(({ tool }) => tool === 'fs')).toEqual([]);
  });

  it('offers its tools with the effects its annotations tell where it is trusted', async () => {
    const { registry } = await openFiles(true);
    expect(registry.get('fs_write_file')).toMatchObject({
      tool: 'fs',
      operation: 'write_file',
      source: 'mcp',
      effect: 'idempotent',
      destructive: true,
      targetArgument: 'path',
    });
    expect(registry.get('fs_read_text_file')).toMatchObject({ effect: 'read', destructive: false });
    expect(registry.get('fs_move_file')).toMatchObject({
      effect: 'write',
      targetArgument: 'destination',
    });
    expect(registry.status()).toContainEqual({
      tool: 'fs',
      source: 'mcp',
      ok: true,
      operations: 14,
      health: {
        since: expect.stringMatching(/^\d{4}-/),
        name: 'secure-filesystem-server',
        version: expect.any(String),
        protocol: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        last_problem: null,
        sign_in: null,
      },
    });
    const planner = plannerOperations(registry, { deny: [] }).map((operation) => operation.name);
    expect(planner).toContain('fs_read_text_file');
    expect(planner).not.toContain('fs_write_file');
  });

  it('is told about where its configuration declares a read that is none', async () => {
    const inspect = { write_file: 'move_file', edit_file: 'gone', forget: 'read_text_file' };
    const { registry, warnings } = await open({
      fs: { command: node, args: [bin('server-filesystem'), folder], trusted: true, inspect },
    });
    expect(warnings).toEqual([
      'mcpServers.fs.inspect names move_file, which does more than read what is there.',
      'mcpServers.fs.inspect names gone, which the server does not have.',
      'mcpServers.fs.inspect names forget, which the server does not have.',
    ]);
    expect(registry.get('fs_write_file')?.inspect).toBeUndefined();
  });

  it('writes for real, and what it refuses is told in its own words', async () => {
    const { call, fail, registry } = await openFiles();
    expect(registry.validate('fs_write_file', { path: 'x' })).toEqual(['content is missing']);
    const path = join(folder, 'a.txt');
    const output = await call('fs_write_file', { path, content: 'hello' });
    expect(output.summary).toMatch(/Successfully wrote/);
    expect(await readFile(path, 'utf8')).toBe('hello');
    const error = await fail('fs_read_text_file', { path: '/etc/passwd' });
    expect(error).toMatchObject({ code: 'tool_failed', details: {} });
    expect(error.message).toMatch(/Access denied/);
  });

  it('is started again on the next use after it was killed', async () => {
    const { call, registry, warnings } = await openFiles();
    process.kill(await findChild(bin('server-filesystem')), 'SIGKILL');
    await waitFor('the loss to be noticed', () => warnings.length > 0);
    expect(warnings[0]).toMatch(/The MCP server fs is not reachable: it stopped/);
    expect(registry.get('fs_list_allowed_directories')).toBeDefined();
    expect((await call('fs_list_allowed_directories', {})).summary).toMatch(/Allowed directories/);
    expect(await registry.check('fs')).toEqual({ ok: true });
  });
});

describe('servers that have trouble', () => {
  it('never stop the start; the status says what to do, and a later success is noticed', async () => {
    const script = join(tmpdir(), `countersign-late-${process.pid}.mjs`);
    const { registry, call, warnings } = await open({
      gone: { command: 'no-such-command-here' },
      late: { command: node, args: [script] },
      memory: {
        command: node,
        args: [bin('server-memory')],
        env: { MEMORY_FILE_PATH: `${script}.json` },
      },
    });
    const state = (tool: string) => registry.status().find((status) => status.tool === tool);
    expect(state('memory')).toMatchObject({ ok: true });
    expect(state('gone')).toMatchObject({ ok: false, operations: 0 });
    expect(state('gone')?.reason).toMatch(/command or folder was not found; check it/);
    expect(await registry.check('gone')).toMatchObject({ ok: false });
    expect(state('late')?.reason).toMatch(/stopped while it was starting.*last output/i);
    expect(warnings.length).toBeGreaterThan(0);
    await writeFile(script, `await import(${JSON.stringify(bin('server-everything'))});`);
    try {
      await waitFor('the late server', () => state('late')?.ok);
      expect((await call('late_echo', { message: 'hi' })).data).toEqual({ text: 'Echo: hi' });
      // How it says it is to be used, for planners.
      expect(state('late')?.instructions).toContain('Everything Server');
    } finally {
      await rm(script);
      await rm(`${script}.json`, { force: true });
    }
  });

  it('that are slow do not hold the start up', async () => {
    const { registry } = await open(
      { slow: { command: node, args: ['-e', 'setInterval(() => {}, 1000)'] } },
      { startWaitMs: 100, connectTimeoutMs: 20_000 },
    );
    expect(registry.status().at(-1)?.reason).toMatch(/still starting/);
  });

  it('have effects that the configuration can correct, and no secret in what is said of them', async () => {
    const { registry, warnings } = await open({
      all: {
        command: node,
        args: [bin('server-everything')],
        effects: { 'toggle-simulated-logging': 'read', nothing: 'read' },
      },
      leaky: {
        command: node,
        args: ['-e', 'console.error("no access with " + process.env.TOKEN); process.exit(1)'],
        env: { TOKEN: 'tok-123456789' },
      },
    });
    expect(registry.get('all_toggle-simulated-logging')).toMatchObject({
      effect: 'read',
      destructive: false,
    });
    expect(warnings.join('\n')).toMatch(/effects names nothing/);
    expect(warnings.join('\n')).toMatch(/no access with …/);
    expect(JSON.stringify([warnings, registry.status()])).not.toContain('tok-123456789');
  });
});

it('is spoken to in the revision of 2026 where it knows that, and else in the one it knows', async () => {
  const { registry, call } = await open({
    new: appendTool('/dev/null'),
    old: { command: node, args: [bin('server-everything')] },
  });
  const protocols = registry.status().map(({ tool, health }) => [tool, health?.protocol]);
  expect(protocols).toContainEqual(['new', '2026-07-28']);
  expect(protocols).toContainEqual(['old', '2025-11-25']);
  expect((await call('new_append', { line: 'x' })).summary).toBe('Appended x.');
});

describe('a call', () => {
  const openAll = (change = {}, others = {}) =>
    open({ all: { command: node, args: [bin('server-everything')], ...change }, ...others });

  it('gives structured content where there is some, and text otherwise', async () => {
    const { call } = await openAll();
    expect((await call('all_get-sum', { a: 2, b: 3 })).data).toEqual({
      text: 'The sum of 2 and 3 is 5.',
    });
    expect((await call('all_get-structured-content', { location: 'Chicago' })).data).toMatchObject({
      temperature: expect.any(Number),
    });
    expect((await call('all_get-tiny-image', {})).data).toMatchObject({
      attachments: [{ type: 'image', mime_type: 'image/png' }],
    });
  });

  it('gives what the tool’s output schema says, and says nothing where there is none', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-mcp-')));
    const { call, registry } = await openAll(
      {},
      {
        fs: { command: node, args: [bin('server-filesystem'), folder] },
        memory: {
          command: node,
          args: [bin('server-memory')],
          env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
        },
      },
    );
    const entities = [{ name: 'Ana', entityType: 'person', observations: ['rides'] }];
    const calls: [string, JsonObject][] = [
      ['fs_write_file', { path: join(folder, 'a.png'), content: 'x' }],
      ['fs_read_text_file', { path: join(folder, 'a.png') }],
      ['fs_read_media_file', { path: join(folder, 'a.png') }],
      ['fs_directory_tree', { path: folder }],
      ['memory_create_entities', { entities }],
      ['memory_read_graph', {}],
      ['all_get-structured-content', { location: 'Chicago' }],
    ];
    try {
      for (const [name, args] of calls) {
        const output = registry.get(name)?.output ?? false;
        const validate = new Ajv({ strict: false }).compile(output);
        expect([name, validate((await call(name, args)).data), validate.errors]).toEqual([
          name,
          true,
          null,
        ]);
      }
      expect(registry.get('all_echo')).not.toHaveProperty('output');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('stops when it is cancelled and when it takes too long', async () => {
    const { call, fail } = await openAll({ timeout_ms: 300 });
    const args = { duration: 60, steps: 1 };
    const signal = AbortSignal.timeout(50);
    const cancelled = await fail('all_trigger-long-running-operation', args, { signal });
    expect(cancelled.code).toBe('timed_out');
    const late = await fail('all_trigger-long-running-operation', args);
    expect(late).toMatchObject({ code: 'timed_out', details: { outcome: 'unknown' } });
    expect((await call('all_echo', { message: 'still here' })).summary).toBe('Echo: still here');
  });

  it('whose server dies under it is of unknown outcome and is not made again', async () => {
    const { registry } = await openAll({
      effects: { 'trigger-long-running-operation': 'write' },
    });
    const operation = registry.get('all_trigger-long-running-operation');
    const calling = operation?.call({ duration: 60, steps: 1 }, toolContext());
    const failed = expect(calling).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/stopped during trigger-long-running-operation/),
      details: { outcome: 'unknown' },
    });
    process.kill(await findChild(bin('server-everything')), 'SIGKILL');
    await failed;
  });
});

describe('a server over HTTP', () => {
  it('is used, lost and found again', async () => {
    const port = await findFreePort();
    const first = await startHttpServer(port);
    const { call, registry, fail } = await open({
      web: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
    });
    expect((await call('web_echo', { message: 'one' })).summary).toBe('Echo: one');
    await stop(first);
    const down = await fail('web_echo', { message: 'two' });
    expect(down).toMatchObject({ code: 'tool_unavailable', details: {} });
    expect(down.message).toMatch(/nothing answers at its address/);
    expect(await registry.check('web')).toMatchObject({ ok: false });
    expect(registry.get('web_echo')).toBeDefined();
    await startHttpServer(port);
    expect((await call('web_echo', { message: 'three' })).summary).toBe('Echo: three');
  });

  it('that forgets its client while a call is under way still answers that call', async () => {
    const held = Promise.withResolvers<void>();
    const seen: string[] = [];
    const { close, url } = await startForgetful(async (method) => {
      seen.push(method);
      if (method === 'tools/call') await held.promise;
      return !(method === 'tools/list' && seen.includes('tools/call'));
    });
    try {
      const { call, registry } = await open({ web: { url, effects: { echo: 'write' } } });
      const calling = call('web_echo', { message: 'hi' });
      await waitFor('the call', () => seen.includes('tools/call'));
      const checked = registry.check('web');
      await waitFor('another session', () => seen.lastIndexOf('initialize') > 1);
      held.resolve();
      expect((await calling).summary).toBe('Echo: hi');
      await checked;
    } finally {
      await close();
    }
  });

  it('that was restarted unnoticed is asked again, since it never saw the call', async () => {
    const port = await findFreePort();
    const first = await startHttpServer(port);
    const { call } = await open(
      { web: { url: `http://127.0.0.1:${port}/mcp`, effects: { echo: 'write' } } },
      { retryMs: 60_000 },
    );
    await stop(first);
    await startHttpServer(port);
    expect((await call('web_echo', { message: 'hi' })).summary).toBe('Echo: hi');
  });
});

it('follows a tool that runs only as a background task, and knows when it cannot', async () => {
  const mcpServers = { all: { command: node, args: [bin('server-everything')] } };
  const other = await openBench({ mcpServers }, { startWaitMs: 15_000, retryMs: 50 });
  const { registry } = await open(mcpServers);
  const operation = registry.get('all_simulate-research-query');
  const begun = await operation?.call({ topic: 'bread' }, toolContext());
  if (begun === undefined || !('later' in begun)) throw new Error('it did not begin a task');
  const { signal } = new AbortController();
  const elsewhere = other.registry.get('all_simulate-research-query');
  expect(await elsewhere?.checkLater?.(begun.later, signal)).toEqual({ state: 'elsewhere' });
  await other.close();
  expect(await operation?.checkLater?.(begun.later, signal)).toMatchObject({ state: 'running' });
  const done = await waitFor('the task to be done', async () => {
    const state = await operation?.checkLater?.(begun.later, signal);
    return state?.state === 'running' ? null : state;
  });
  expect(done).toMatchObject({
    state: 'done',
    output: { summary: expect.stringContaining('bread') },
  });
});
