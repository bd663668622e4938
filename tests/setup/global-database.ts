// The run's PostgreSQL and its template; not durable.
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import type { TestProject } from 'vitest/node';
import { type Embedded, openEmbedded } from '#db/embedded/embedded.ts';
import { isAlive } from '#db/embedded/postmaster.ts';
import { migrate } from '#db/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: string;
    /** A file `kept` in it preserves it. */
    databaseHome: string;
  }
}

const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
const log = { info: () => undefined, warn: (message: string) => console.error(message) };
const namePrefix = 'countersign-tests-';
const keptForMs = 24 * 3600 * 1000;

type Shared = { home: string; server: Embedded };
/** The first project of a run starts the server, the last ends it. */
type State = { shared: Promise<Shared> | null; users: number };

/** On the process, as each project loads this file again. */
function stateOfRun(): State {
  const place = globalThis as { countersignTestDatabase?: State };
  place.countersignTestDatabase ??= { shared: null, users: 0 };
  return place.countersignTestDatabase;
}

/** Ends servers of killed runs; kept folders stay a day. */
async function sweep(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((n) => n.startsWith(namePrefix))) {
    const home = join(tmpdir(), name);
    if (isAlive(Number(name.slice(namePrefix.length).split('-')[0]))) continue;
    // Another run may sweep at the same time.
    const files = await readdir(home).catch(() => null);
    if (files === null) continue;
    const kept = files.includes('kept');
    if (kept && Date.now() - (await stat(home)).mtimeMs < keptForMs) continue;
    const running = await stat(join(home, 'postgres', 'data', 'postmaster.pid')).catch(() => null);
    if (running !== null) {
      const left = await openEmbedded({ dir: join(home, 'postgres'), log, settings });
      await left.close();
    }
    await rm(home, { recursive: true, force: true });
  }
}

export async function startServer(): Promise<Shared> {
  await sweep();
  const home = await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
  await chmod(home, 0o711); // As root, the server runs as another user, who needs access.
  const server = await openEmbedded({ dir: join(home, 'postgres'), log, settings });
  const template = server.url.replace(/countersign$/, 'countersign_template');
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database countersign_template');
  await client.end();
  await migrate(template);
  const boss = new PgBoss({ connectionString: template, supervise: false, schedule: false });
  await boss.start();
  await boss.stop({ graceful: false });
  return { home, server };
}

export async function endServer(shared: Shared): Promise<void> {
  await shared.server.close();
  if ((await readdir(shared.home)).includes('kept'))
    console.error(`Databases of failed tests are kept: COUNTERSIGN_HOME=${shared.home}`);
  else await rm(shared.home, { recursive: true, force: true });
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const state = stateOfRun();
  state.users += 1;
  state.shared ??= startServer();
  const shared = await state.shared;
  project.provide('databaseServer', shared.server.url);
  project.provide('databaseHome', shared.home);
  return async () => {
    state.users -= 1;
    if (state.users > 0) return;
    state.shared = null;
    await endServer(shared);
  };
}
