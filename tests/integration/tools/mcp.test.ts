// The MCP project's real servers, over stdio and HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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
const patient = { startWaitMs: 15_000, retryMs: 50 };

const benches: Bench[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
  for (const child of children.splice(0)) await stop(child);
});

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function open(mcpServers: { [key: string]: unknown }, options = {}): Promise<Bench> {
  const bench = await openBench({ mcpServers }, { ...patient, ...options });
  benches.push(bench);
  return bench;
}

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

/** @param knows whether the session is known */
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

describe('servers over stdio', () => {
  let folders: { fs: string; trusted: string; memory: string };
  let bench: Bench;
  beforeAll(async () => {
    const makeFolder = async () => realpath(await mkdtemp(join(tmpdir(), 'countersign-mcp-')));
    const [fs, trusted, memory] = [await makeFolder(), await makeFolder(), await makeFolder()];
    folders = { fs, trusted, memory };
    const inspect = { write_file: 'move_file', edit_file: 'gone', forget: 'read_text_file' };
    const files = { command: node, args: [bin('server-filesystem'), folders.trusted] };
    bench = await openBench(
      {
        mcpServers: {
          fs: { command: node, args: [bin('server-filesystem'), folders.fs] },
          trusted: { ...files, trusted: true, inspect },
          memory: {
            command: node,
            args: [bin('server-memory')],
            env: { MEMORY_FILE_PATH: join(folders.memory, 'memory.json') },
          },
          all: {
            command: node,
            args: [bin('server-everything')],
            effects: {
              'toggle-simulated-logging': 'read',
              'trigger-long-running-operation': 'write',
              nothing: 'read',
            },
          },
        },
      },
      patient,
    );
  });
  afterAll(async () => {
    await bench.close();
    for (const folder of Object.values(folders)) await rm(folder, { recursive: true });
  });

  it('offer planners nothing while nobody trusts them', () => {
    const { registry } = bench;
    expect(registry.get('fs_read_text_file')).toMatchObject({ effect: 'write', destructive: true });
    const planner = plannerOperations(registry, { deny: [] });
    expect(planner.filter(({ tool }) => tool === 'fs')).toEqual([]);
  });

  it('offer their tools with the effects their annotations tell where they are trusted', () => {
    const { registry } = bench;
    expect(registry.get('trusted_write_file')).toMatchObject({
      tool: 'trusted',
      operation: 'write_file',
      source: 'mcp',
      effect: 'idempotent',
      destructive: true,
      targetArgument: 'path',
    });
    expect(registry.get('trusted_read_text_file')).toMatchObject({
      effect: 'read',
      destructive: false,
    });
    expect(registry.get('trusted_move_file')).toMatchObject({
      effect: 'write',
      targetArgument: 'destination',
    });
    expect(registry.status()).toContainEqual({
      tool: 'trusted',
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
    expect(planner).toContain('trusted_read_text_file');
    expect(planner).not.toContain('trusted_write_file');
  });

  it('have effects that the configuration can correct; what it says of tools that are not there is told', () => {
    const { registry, warnings } = bench;
    expect(registry.get('all_toggle-simulated-logging')).toMatchObject({
      effect: 'read',
      destructive: false,
    });
    expect(warnings).toContainEqual(expect.stringMatching(/effects names nothing/));
    expect(warnings.filter((warning) => warning.includes('trusted.inspect'))).toEqual([
      'mcpServers.trusted.inspect names move_file, which does more than read what is there.',
      'mcpServers.trusted.inspect names gone, which the server does not have.',
      'mcpServers.trusted.inspect names forget, which the server does not have.',
    ]);
    expect(registry.get('trusted_write_file')?.inspect).toBeUndefined();
  });

  it('write for real, and what they refuse is told in their own words', async () => {
    const { call, fail, registry } = bench;
    expect(registry.validate('fs_write_file', { path: 'x' })).toEqual(['content is missing']);
    const path = join(folders.fs, 'a.txt');
    const output = await call('fs_write_file', { path, content: 'hello' });
    expect(output.summary).toMatch(/Successfully wrote/);
    expect(await readFile(path, 'utf8')).toBe('hello');
    const error = await fail('fs_read_text_file', { path: '/etc/passwd' });
    expect(error).toMatchObject({ code: 'tool_failed', details: {} });
    expect(error.message).toMatch(/Access denied/);
  });

  it('give structured content where there is some, and text otherwise', async () => {
    const { call } = bench;
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

  it('give what the output schemas of their tools say, and say nothing where there is none', async () => {
    const { call, registry } = bench;
    const entities = [{ name: 'Ana', entityType: 'person', observations: ['rides'] }];
    const path = join(folders.fs, 'a.png');
    const calls: [string, JsonObject][] = [
      ['fs_write_file', { path, content: 'x' }],
      ['fs_read_text_file', { path }],
      ['fs_read_media_file', { path }],
      ['fs_directory_tree', { path: folders.fs }],
      ['memory_create_entities', { entities }],
      ['memory_read_graph', {}],
      ['all_get-structured-content', { location: 'Chicago' }],
    ];
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
  });

  it('are started again on the next use after they were killed', async () => {
    const { call, registry, warnings } = bench;
    const lost = () => warnings.find((warning) => /MCP server fs is not/.test(warning));
    process.kill(await findChild(folders.fs), 'SIGKILL');
    expect(await waitFor('the loss to be noticed', lost)).toMatch(
      /The MCP server fs is not reachable: it stopped/,
    );
    expect(registry.get('fs_list_allowed_directories')).toBeDefined();
    expect((await call('fs_list_allowed_directories', {})).summary).toMatch(/Allowed directories/);
    expect(await registry.check('fs')).toEqual({ ok: true });
  });

  it('are followed at a tool that runs only as a background task, by the process that began it', async () => {
    const other = await open({ all: { command: node, args: [bin('server-everything')] } });
    const operation = bench.registry.get('all_simulate-research-query');
    const begun = await operation?.call({ topic: 'bread' }, toolContext());
    if (begun === undefined || !('later' in begun)) throw new Error('it did not begin a task');
    const { signal } = new AbortController();
    const elsewhere = other.registry.get('all_simulate-research-query');
    expect(await elsewhere?.checkLater?.(begun.later, signal)).toEqual({ state: 'elsewhere' });
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

  it('leave a call under which they die with an unknown outcome, and it is not made again', async () => {
    const operation = bench.registry.get('all_trigger-long-running-operation');
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

// `setTimeout` is faked here.
async function pauseByInterval(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(resolve, 20);
  await promise;
  clearInterval(timer);
}

describe('servers that have trouble', () => {
  it('never stop the start; the status says what to do and no secret, and a later success is noticed', async () => {
    const script = join(tmpdir(), `countersign-late-${process.pid}.mjs`);
    const { registry, call, warnings } = await open({
      gone: { command: 'no-such-command-here' },
      late: { command: node, args: [script] },
      leaky: {
        command: node,
        args: ['-e', 'console.error("no access with " + process.env.TOKEN); process.exit(1)'],
        env: { TOKEN: 'tok-123456789' },
      },
      well: appendTool('/dev/null'),
    });
    const state = (tool: string) => registry.status().find((status) => status.tool === tool);
    // The newest revision both know.
    expect(state('well')).toMatchObject({ ok: true, health: { protocol: '2026-07-28' } });
    expect((await call('well_append', { line: 'x' })).summary).toBe('Appended x.');
    expect(state('gone')).toMatchObject({ ok: false, operations: 0 });
    expect(state('gone')?.reason).toMatch(/command or folder was not found; check it/);
    expect(await registry.check('gone')).toMatchObject({ ok: false });
    expect(state('late')?.reason).toMatch(/stopped while it was starting.*last output/i);
    expect(warnings.join('\n')).toMatch(/no access with …/);
    expect(JSON.stringify([warnings, registry.status()])).not.toContain('tok-123456789');
    await writeFile(script, `await import(${JSON.stringify(bin('server-everything'))});`);
    try {
      await waitFor('the late server', () => state('late')?.ok);
      expect((await call('late_echo', { message: 'hi' })).data).toEqual({ text: 'Echo: hi' });
      expect(state('late')?.health?.protocol).toBe('2025-11-25');
      expect(state('late')?.instructions).toContain('Everything Server');
    } finally {
      await rm(script);
    }
  });

  const listing = `
    const answers = {
      initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools: [] },
    };
    require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const answer = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'no' } };
      const end = method === 'tools/list' ? () => process.exit(1) : undefined;
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n', end);
    });`;
  it.each([
    ['at once', 'process.exit(1)'],
    ['once it has said why', 'console.error(process.pid); process.exit(1)'],
    ['right after it listed its tools', listing],
  ])(
    'that exit %s are started again after longer and longer pauses, a minute at most',
    async (_, script) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
      try {
        const server = { command: node, args: ['-e', script] };
        const { registry } = await open({ server }, { retryMs: 10_000, startWaitMs: 3_600_000 });
        const lastSeen = () => registry.status().at(-1)?.health?.last_problem?.at;
        const pauses: number[] = [];
        for (let start = 0; start < 6; start += 1) {
          while (lastSeen() !== new Date().toISOString() || vi.getTimerCount() === 0)
            await pauseByInterval();
          const before = Date.now();
          while (Date.now() - before < 5000) vi.advanceTimersToNextTimer();
          pauses.push((Date.now() - before) / 1000);
        }
        expect(pauses).toEqual([10, 20, 40, 60, 60, 60]);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('that need longer to start than the first attempts allow are used in the end', async () => {
    const late = `setTimeout(() => {${listing.replace('() => process.exit(1)', 'undefined')}}, 1500)`;
    const server = { command: node, args: ['-e', late] };
    const { registry } = await open({ server }, { startWaitMs: 0, connectTimeoutMs: 500 });
    await waitFor('the server to be connected', () => registry.status().at(-1)?.ok === true);
  });

  it('that are slow do not hold the start up', async () => {
    const { registry } = await open(
      { slow: { command: node, args: ['-e', 'setInterval(() => {}, 1000)'] } },
      { startWaitMs: 100, connectTimeoutMs: 20_000 },
    );
    expect(registry.status().at(-1)?.reason).toMatch(/still starting/);
  });
});

describe('a server over HTTP', () => {
  it('is used, lost and found again, also where nobody noticed', async () => {
    const port = await findFreePort();
    const first = await startHttpServer(port);
    const { call, registry, fail } = await open(
      { web: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, effects: { echo: 'write' } } },
      { retryMs: 60_000 },
    );
    expect((await call('web_echo', { message: 'one' })).summary).toBe('Echo: one');
    await stop(first);
    const down = await fail('web_echo', { message: 'two' });
    expect(down).toMatchObject({ code: 'tool_unavailable', details: {} });
    expect(down.message).toMatch(/nothing answers at its address/);
    expect(await registry.check('web')).toMatchObject({ ok: false });
    expect(registry.get('web_echo')).toBeDefined();
    const second = await startHttpServer(port);
    expect((await call('web_echo', { message: 'three' })).summary).toBe('Echo: three');
    // A restarted server never saw the call.
    await stop(second);
    await startHttpServer(port);
    expect((await call('web_echo', { message: 'four' })).summary).toBe('Echo: four');
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
});
