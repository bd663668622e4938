// Restores a backup, all or nothing, in one transaction.
// The world may have changed since, so by default active plans are paused and open chat events set aside.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Client } from 'pg';
import { type CopyStreamQuery, from } from 'pg-copy-streams';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { bossSchema, journal, schemaName, sessionName } from '../instance.ts';
import { listOwnTables, migrateWithin, requireKnown } from '../migrate.ts';
import { causeOf } from '../transient.ts';
import { copied, quote, quoteTable } from './dump.ts';
import { formatVersion, Header, Manifest, Sequences } from './format.ts';
import { stageFiles } from './place-files.ts';
import { readEntries, type TarEntry } from './tar.ts';

/** In a named instance all three are one. */
const schemas = [...new Set([schemaName, journal.schema, bossSchema])];

export type Restored = {
  header: Header;
  rows: number;
  files: number;
  paused: number;
  set_aside: number;
  tokens: number;
  kept: string[];
};

export type RestoreOptions = {
  now: Date;
  /** Continue active plans and handle open chat events. */
  resume: boolean;
  force: boolean;
  /** Destinations by the first part of a file's name; other files are left out. */
  folders: Record<string, string>;
};

const damaged = (what: string) =>
  new CountersignError(
    'invalid_request',
    `The backup is damaged: ${what}. Nothing was restored. Use another backup.`,
  );

async function* readFileEntries(file: string): AsyncGenerator<TarEntry> {
  const bytes = createReadStream(file);
  const unzipped = createGunzip();
  bytes.on('error', (error) => unzipped.destroy(error));
  bytes.pipe(unzipped);
  try {
    yield* readEntries(unzipped);
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new CountersignError('not_found', `There is no file ${file}.`);
    throw damaged(errorMessage(error));
  } finally {
    bytes.destroy();
  }
}

function parseJson<T>(parse: (value: unknown) => T, { name, content }: TarEntry): T {
  try {
    return parse(JSON.parse(content.toString('utf8')));
  } catch (error) {
    throw damaged(`${name} cannot be read (${errorMessage(error)})`);
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: `restore of ${sessionName}`,
    connectionTimeoutMillis: 10_000,
  });
  // A lost connection fails the query that needs it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function refuseUsers(client: Client): Promise<void> {
  // Statistics are cached within a transaction.
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = $1 or starts_with(application_name, $1 || ' ')) and not starts_with(application_name, 'countersign presence ')`,
    [sessionName],
  );
  if ((rows[0]?.n ?? 0) > 0)
    throw new CountersignError(
      'already_decided',
      'Countersign is running on this database. Stop every process of it, then restore.',
    );
}

const writtenAnew = ['backends', 'rate_limits', 'resource_pools', 'retention', 'webhook_endpoints'];

async function hasData(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace($1) and relkind = 'r' and relname = any($2)`,
    [quote(schemaName), listOwnTables().filter((name) => !writtenAnew.includes(name))],
  );
  for (const { name } of rows) {
    const found = await client.query(`select from ${quoteTable(name)} limit 1`);
    if (found.rows.length > 0) return true;
  }
  return false;
}

/** Drops empty schemas, renames those with data. @returns the new names @throws `already_decided` without `force` */
async function makeRoom(client: Client, { force, now }: RestoreOptions): Promise<string[]> {
  const keep = await hasData(client);
  if (keep && !force)
    throw new CountersignError(
      'already_decided',
      'The database is not empty. Restore into an empty one, or use --force, which keeps the present data aside.',
    );
  const aside = `_before_${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
  const kept: string[] = [];
  for (const name of schemas) {
    const { rows } = await client.query(`select from pg_namespace where nspname = $1`, [name]);
    if (rows.length === 0) continue;
    if (keep && (name !== bossSchema || name === schemaName)) {
      await client.query(`alter schema ${quote(name)} rename to ${quote(`${name}${aside}`)}`);
      kept.push(`${name}${aside}`);
    } else await client.query(`drop schema ${quote(name)} cascade`);
  }
  return kept;
}

function createFiller(client: Client, header: Header) {
  const columns = new Map(header.tables.map((table) => [table.name, table]));
  const filled: Manifest['tables'] = {};
  let current: { name: string; stream: CopyStreamQuery; hash: Hash; bytes: number } | null = null;

  async function end(): Promise<void> {
    if (current === null) return;
    const { name, stream, hash, bytes } = current;
    current = null;
    stream.end();
    await finished(stream);
    filled[name] = { rows: stream.rowCount, bytes, sha256: hash.digest('hex') };
  }

  async function fill(name: string, content: Buffer): Promise<void> {
    if (current?.name !== name) {
      await end();
      const table = columns.get(name);
      if (table === undefined) throw damaged(`it has no columns for ${name}`);
      const stream = client.query(from(`copy ${copied(table)} from stdin`));
      current = { name, stream, hash: createHash('sha256'), bytes: 0 };
    }
    current.hash.update(content);
    current.bytes += content.length;
    const { stream } = current;
    await new Promise<void>((done, fail) => {
      stream.write(content, (error) => (error ? fail(error) : done()));
    });
  }
  return { fill, end, filled };
}

function compare(manifest: Manifest, tables: Manifest['tables'], files: Manifest['files']): void {
  for (const [name, wanted] of Object.entries(manifest.tables)) {
    const got = tables[name] ?? { rows: 0, bytes: 0, sha256: createHash('sha256').digest('hex') };
    if (got.rows !== wanted.rows || got.bytes !== wanted.bytes || got.sha256 !== wanted.sha256)
      throw damaged(`${name} has ${got.rows} rows instead of ${wanted.rows}, or other ones`);
  }
  for (const [name, wanted] of Object.entries(manifest.files))
    if (files[name]?.sha256 !== wanted.sha256) throw damaged(`${name} is not as it was`);
}

/** Uses only columns that every backup version has. */
async function holdBack(client: Client, madeAt: string) {
  const reason = `Restored from a backup of ${madeAt}: what it was about to do may have been done since. Resume it if not.`;
  const paused = await client.query(
    `with held as (
      update ${quoteTable('plans')} set paused_at = now(), revision = revision + 1, updated_at = now()
      where status in ('approved', 'executing') and paused_at is null
      returning id, revision, status, version
    ), told as (
      insert into ${quoteTable('plan_events')} (plan_id, revision, kind, status, details)
      select id, revision, 'paused', status, array[$1::text] from held
    )
    insert into ${quoteTable('audit')} (plan_id, actor, actor_kind, via, action, version, reason)
    select id, 'countersign', 'system', 'system', 'pause', version, $1 from held`,
    [reason],
  );
  const aside = await client.query(
    `update ${quoteTable('inbox')} set failed_at = now(), error = $1
     where handled_at is null and failed_at is null`,
    [`It had not been handled when the backup of ${madeAt} was made.`],
  );
  return { paused: paused.rowCount ?? 0, set_aside: aside.rowCount ?? 0 };
}

const hasTable = ({ tables }: Header, wanted: string) => tables.some(({ name }) => name === wanted);

/** New workers would wait for their heartbeats and workspace claims. */
async function forgetWorkers(client: Client, header: Header): Promise<void> {
  if (hasTable(header, 'backends')) await client.query(`delete from ${quoteTable('backends')}`);
}

/** People may have signed out since. @returns the number of valid tokens */
async function endSessions(client: Client, header: Header): Promise<number> {
  if (!hasTable(header, 'access_tokens')) return 0;
  await client.query(`delete from ${quoteTable('sign_in_sessions')}`);
  const { rows } = await client.query<{ n: number }>(`
    select count(*)::int as n from ${quoteTable('access_tokens')}
    where revoked_at is null and (expires_at is null or expires_at > now())`);
  return rows[0]?.n ?? 0;
}

async function fillAll(
  client: Client,
  entries: AsyncGenerator<TarEntry>,
  header: Header,
  { resume, files: staged }: { resume: boolean; files: ReturnType<typeof stageFiles> },
): Promise<Omit<Restored, 'header' | 'kept'>> {
  const filler = createFiller(client, header);
  const files: Manifest['files'] = {};
  for await (const entry of entries) {
    const { name, content } = entry;
    const [kind = '', table = ''] = name.split('/');
    if (kind === 'tables') {
      await filler.fill(table, content);
      continue;
    }
    await filler.end();
    if (name === 'sequences.json') {
      const sequences = parseJson((value) => Sequences.parse(value), entry);
      for (const [sequence, last] of Object.entries(sequences))
        await client.query('select setval($1::regclass, $2)', [quoteTable(sequence), last]);
      continue;
    }
    if (name === 'manifest.json') {
      const manifest = parseJson((value) => Manifest.parse(value), entry);
      compare(manifest, filler.filled, files);
      const held = resume ? { paused: 0, set_aside: 0 } : await holdBack(client, header.made_at);
      const rows = Object.values(filler.filled).reduce((sum, one) => sum + one.rows, 0);
      await forgetWorkers(client, header);
      const tokens = await endSessions(client, header);
      return { rows, files: Object.keys(files).length, ...held, tokens };
    }
    files[name] = {
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
    if (!(await staged.write(entry))) throw damaged(`${name} leads elsewhere`);
  }
  throw damaged('its end is missing');
}

/** Reads all of it first, so that a damaged backup changes nothing. */
async function check(file: string): Promise<void> {
  const entries = readFileEntries(file);
  const header = await readHeader(entries);
  await requireKnown(header.migration);
  const tables = new Map(
    header.tables.map(({ name }) => [name, { rows: 0, bytes: 0, hash: createHash('sha256') }]),
  );
  const files: Manifest['files'] = {};
  for await (const entry of entries) {
    const { name, content } = entry;
    const [kind = '', table = ''] = name.split('/');
    const found = kind === 'tables' ? tables.get(table) : undefined;
    if (found !== undefined) {
      found.hash.update(content);
      found.bytes += content.length;
      for (let at = content.indexOf(0x0a); at !== -1; at = content.indexOf(0x0a, at + 1))
        found.rows += 1;
    } else if (name === 'manifest.json') {
      const read = Object.fromEntries(
        [...tables].map(([one, { rows, bytes, hash }]) => [
          one,
          { rows, bytes, sha256: hash.digest('hex') },
        ]),
      );
      compare(
        parseJson((value) => Manifest.parse(value), entry),
        read,
        files,
      );
      return;
    } else
      files[name] = {
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      };
  }
  throw damaged('its end is missing');
}

/** @throws `invalid_request` if it is no backup, or of a later format */
async function readHeader(entries: AsyncGenerator<TarEntry>): Promise<Header> {
  const first = await entries.next();
  if (first.done === true || first.value.name !== 'backup.json')
    throw damaged('it does not begin with backup.json');
  const header = parseJson((value) => Header.parse(value), first.value);
  if (header.format_version > formatVersion)
    throw new CountersignError(
      'schema_too_new',
      `The backup has format ${header.format_version}; this Countersign reads up to ${formatVersion}. Restore it with Countersign ${header.version} or newer.`,
    );
  return header;
}

async function restoreWithin(
  client: Client,
  entries: AsyncGenerator<TarEntry>,
  options: RestoreOptions & { files: ReturnType<typeof stageFiles> },
): Promise<Restored> {
  const header = await readHeader(entries);
  await client.query(
    `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
  );
  const kept = await makeRoom(client, options);
  await migrateWithin(client, header.migration);
  await client.query(
    `set local datestyle = 'ISO'; set local timezone = 'UTC'; set local countersign.counted = 'on'`,
  );
  for (const { name } of header.tables)
    await client.query(`alter table ${quoteTable(name)} disable trigger user`);
  const restored = await fillAll(client, entries, header, options);
  // Before triggers change again.
  await client.query('set constraints all immediate');
  for (const { name } of header.tables)
    await client.query(`alter table ${quoteTable(name)} enable trigger user`);
  await client.query(
    `set local datestyle to default; set local timezone to default; set local countersign.counted = 'off'`,
  );
  await migrateWithin(client, null);
  await refuseUsers(client);
  return { header, ...restored, kept };
}

function explain(error: unknown, committing: boolean): CountersignError {
  if (error instanceof CountersignError) return error;
  const sentence = committing
    ? 'The connection was lost at the end of the restore, so it may be done or not. Run it again: with --force nothing that is there is lost'
    : 'The restore failed, and changed nothing. Mend what is wrong and run it again';
  return new CountersignError('database_unavailable', `${sentence} (${causeOf(error)}).`, {
    cause: error,
  });
}

/** @throws `already_decided` (in use or not empty), `schema_too_new`, `invalid_request` (damaged), `database_unavailable` */
export async function restoreBackup(
  url: string,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  await check(file);
  const files = stageFiles(options.folders);
  const restored = await restoreAtOnce(url, file, { ...options, files });
  await files.place();
  return restored;
}

async function restoreAtOnce(
  url: string,
  file: string,
  options: RestoreOptions & { files: ReturnType<typeof stageFiles> },
): Promise<Restored> {
  const client = await connect(url);
  const entries = readFileEntries(file);
  let committing = false;
  try {
    await refuseUsers(client);
    await options.files.drop();
    await client.query('begin');
    const restored = await restoreWithin(client, entries, options);
    committing = true;
    await client.query('commit');
    return restored;
  } catch (error) {
    if (!committing) await options.files.drop();
    throw explain(error, committing);
  } finally {
    await client.end();
    await entries.return(undefined);
  }
}
