// PgBouncer in transaction mode.
import { spawn } from 'node:child_process';
import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { waitFor } from '../wait.ts';
import { installPackage } from './debian.ts';

const places = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];

async function find(): Promise<string | null> {
  for (const path of [process.env.PGBOUNCER_PATH ?? '', ...places])
    if (
      await access(path).then(
        () => path !== '',
        () => false,
      )
    )
      return path;
  return null;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was free');
  return address.port;
}

/** @returns the DATABASE_URL for a process */
export async function startPgBouncer(url: string, connections: number): Promise<string> {
  if ((await find()) === null)
    await installPackage('pgbouncer', async () => (await find()) !== null);
  const program = await find();
  if (program === null)
    throw new Error(
      'A pooler is tested with PgBouncer, and none was found. Install it ("apt-get install pgbouncer", "brew install pgbouncer") or set PGBOUNCER_PATH to one.',
    );
  const { hostname, port, username, password, pathname } = new URL(url);
  const own = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pgbouncer-'));
  await chmod(folder, 0o777); // It drops root privileges.
  const config = join(folder, 'pgbouncer.ini');
  const log = join(folder, 'pgbouncer.log');
  await writeFile(
    config,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
logfile = ${log}
`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, ['-q', ...user, config], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const pooled = new URL(url);
  pooled.port = String(own);
  await waitFor('PgBouncer to answer', async () => {
    if (child.exitCode !== null)
      throw new Error(await readFile(log, 'utf8').catch(() => 'it ended'));
    const client = new Client({ connectionString: pooled.href });
    client.on('error', () => {});
    return await client.connect().then(
      async () => {
        await client.end();
        return true;
      },
      () => false,
    );
  });
  return pooled.href;
}
