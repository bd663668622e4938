// `mcp`: MCP servers, and signing in at hosted ones.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline/promises';
import { readManifests } from '#db/backends.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { showLine } from '#domain/shown-text.ts';
import { type SignIns, signInPaths } from '#domain/tool-sign-in.ts';
import { countOf } from '#domain/words.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog } from '../logging.ts';
import { print, printJson, warn } from '../print.ts';
import type { Instance } from '../wire/instance.ts';

async function withInstance(
  work: (instance: Instance, config: Config) => Promise<void>,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const { openInstance } = await import('../wire.ts');
  const log = createLog(config, true);
  const instance = await openInstance({ config, log, work: false, linkTo: () => null });
  try {
    await work(instance, config);
  } finally {
    await instance.close();
  }
}

function requireSignIns({ signIns }: Instance): SignIns {
  if (signIns !== null) return signIns;
  throw new CountersignError(
    'not_found',
    'None of the MCP servers in countersign.json has a "url", so there is nothing to sign in to. See docs/tools.md.',
  );
}

export function list({ json }: { json?: true }): Promise<void> {
  return withInstance(async ({ registry, db }, { settings }) => {
    const known = registry.status().filter(({ source }) => source === 'mcp');
    const offered = (await readManifests(db.query)).flat().filter(({ source }) => source === 'mcp');
    const rows = Object.entries(settings.mcpServers).map(([name, { disabled }]) => {
      const status = known.find(({ tool }) => tool === name);
      const here = status?.ok === true;
      // A server that is slow to start here may be up on a worker.
      const there = new Set(offered.flatMap((one) => (one.tool === name ? one.name : []))).size;
      return {
        name,
        state: disabled ? 'off' : here || there > 0 ? 'ok' : 'down',
        sign_in: status?.health?.sign_in ?? null,
        operations: here ? (status.operations ?? 0) : there,
        problem: there > 0 ? null : (status?.reason ?? null),
      };
    });
    if (json === true) return printJson(rows, 2);
    if (rows.length === 0) print('No MCP servers are set up. See docs/tools.md.');
    for (const { name, state, operations, problem, sign_in } of rows) {
      const words =
        state === 'off'
          ? 'switched off'
          : problem === null
            ? countOf(operations, 'operation')
            : showLine(problem, 2000);
      print(`${name}: ${words}${sign_in === 'done' ? ', signed in' : ''}`);
    }
  });
}

/** The return address, from the browser or pasted. */
async function waitForReturn(
  port: number,
  begin: (redirect: string) => Promise<void>,
  finish: (params: URLSearchParams) => Promise<string>,
): Promise<string> {
  const done = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== signInPaths.callback)
      return void response.writeHead(404).end();
    const say = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
    finish(url.searchParams).then(
      (words) => {
        say(200, `${words} You can close this page.`);
        done.resolve(words);
      },
      (error: unknown) => say(400, errorMessage(error)),
    );
  });
  const reader = process.stdin.isTTY ? createInterface({ input: process.stdin }) : null;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const address = server.address();
    const taken = typeof address === 'object' && address !== null ? address.port : port;
    await begin(`http://127.0.0.1:${taken}${signInPaths.callback}`);
    reader?.on('line', (line) => {
      if (!URL.canParse(line.trim())) return;
      finish(new URL(line.trim()).searchParams).then(done.resolve, (error: unknown) =>
        warn(errorMessage(error)),
      );
    });
    return await done.promise;
  } finally {
    reader?.close();
    server.closeAllConnections();
    server.close();
  }
}

/** @param port registered for the client, or 0 for any */
export function login(name: string, { port }: { port: number }): Promise<void> {
  return withInstance(async (instance) => {
    const signIns = requireSignIns(instance);
    const browser = randomBytes(32).toString('base64url');
    const words = await waitForReturn(
      port,
      async (redirect) => {
        const { url } = await signIns.begin(name, {
          redirect,
          browser,
          by: 'local',
          account: null,
          metadata: null,
        });
        print(`Open this address to sign in at ${name}:\n\n  ${url}\n`);
        if (process.stdin.isTTY)
          print(
            'Is your browser on another machine? Then paste the address at which it ends here.',
          );
      },
      async (params) => {
        const { server } = await signIns.finish(params, browser, instance.service.personOf);
        return `Signed in at ${server}.`;
      },
    );
    print(words);
  });
}

export function logout(name: string): Promise<void> {
  return withInstance(async (instance) => {
    const forgotten = await requireSignIns(instance).forget(name);
    print(forgotten ? `Forgot the sign-in at ${name}.` : `No one has signed in to ${name}.`);
  });
}
