// Sessions of the embedded server: opens, identifies, counts.
import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { roleName } from './cluster.ts';

export type Login = { port: number; password: string };

/** Closing sessions may be listed for this long. */
const lingerMs = 1000;

export async function openSession(
  login: Login,
  name: string,
  database = 'countersign',
): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port: login.port,
    user: roleName,
    password: login.password,
    database,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ssl: false,
  });
  await client.connect();
  return client;
}

async function withSession<T>(login: Login, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await openSession(login, 'embedded house-keeping', 'postgres');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function ask(client: Client, statement: string, values: string[]): Promise<string> {
  const { rows } = await client.query<{ answer: string }>(statement, values);
  return rows[0]?.answer ?? '';
}

/** It accepts our password and reports that folder. */
export async function isOurServer(login: Login, data: string): Promise<boolean> {
  try {
    const folder = await withSession(login, (client) =>
      ask(client, "select current_setting('data_directory') as answer", []),
    );
    return (await realpath(folder)) === (await realpath(data));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const refused = error instanceof DatabaseError || /^(ECONN|EPIPE|ETIMEDOUT|ENOENT)/.test(code);
    if (refused || (error instanceof Error && /timeout|terminated/i.test(error.message)))
      return false;
    throw error;
  }
}

/** The caller holds the lock. */
export async function ensureDatabase(login: Login): Promise<void> {
  await withSession(login, async (client) => {
    const found = await ask(
      client,
      'select count(*) as answer from pg_database where datname = $1',
      ['countersign'],
    );
    if (Number(found) === 0) await client.query('create database countersign');
  });
}

export const watchdogName = 'embedded watchdog';

export async function hasWatchdog(session: Client): Promise<boolean> {
  const count = 'select count(*) as answer from pg_stat_activity where application_name = $1';
  return Number(await ask(session, count, [watchdogName])) > 0;
}

/** @param id a presence to exclude, or null */
export async function countUsers(
  session: Client,
  id: string | null,
): Promise<{ sessions: number; present: boolean }> {
  const { rows } = await session.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where application_name like 'countersign%' and application_name <> $1`,
    [`countersign presence ${id ?? ''}`],
  );
  const present = rows.some(({ name }) => name.startsWith('countersign presence'));
  return { sessions: rows.length, present };
}

/** Own sessions just closed linger, so only those there afterwards count. @param id own presence to exclude, or null */
export async function othersConnected(login: Login, id: string | null): Promise<number> {
  return await withSession(login, async (client) => {
    const deadline = Date.now() + lingerMs;
    for (;;) {
      const { sessions, present } = await countUsers(client, id);
      if (sessions === 0 || present || Date.now() > deadline) return sessions;
      await pause(20);
    }
  });
}
