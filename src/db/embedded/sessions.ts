// Sessions of the embedded server: opens one, checks whose server it is, and lists who else is connected.
import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { roleName } from './cluster.ts';

/** The login data. */
export type Login = { port: number; password: string };

/** How long sessions that are being closed may still be listed. */
const lingerMs = 1000;

/** Opens a session. The caller ends it. */
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

/**
 * Whether the server that takes this login is the one of `data`: it takes our password and says so. A server that does
 * not let us in (another's, or one that is starting or stopping) is not.
 */
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

/** Makes the database `countersign` unless it is there. The caller holds the lock. */
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

/** How the watchdog's session is called; it is nobody who uses the server. */
export const watchdogName = 'embedded watchdog';

/** Whether a watchdog is connected to the server of this session. */
export async function hasWatchdog(session: Client): Promise<boolean> {
  const count = 'select count(*) as answer from pg_stat_activity where application_name = $1';
  return Number(await ask(session, count, [watchdogName])) > 0;
}

/** How many sessions processes of ours have at this moment; `id` is a presence that does not count, or null. */
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

/**
 * Counts the sessions of other processes. Sessions that this process has just closed vanish a moment later,
 * so only what is still there after that moment counts; another's presence counts at once.
 * @param id this process's presence, which does not count, or null
 */
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
