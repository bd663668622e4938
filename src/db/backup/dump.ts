// Writes a backup from one read-only transaction that blocks no one.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { to } from 'pg-copy-streams';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { schemaName, sessionName } from '../instance.ts';
import { listOwnTables, newestApplied } from '../migrate.ts';
import { formatVersion, type Header, type Manifest } from './format.ts';
import { tarEnd, writeEntry } from './tar.ts';

const pieceBytes = 4_000_000;

export type Counts = { tables: number; rows: number; files: number };

type Table = Header['tables'][number];

async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers: string[] }>(
    `
    select c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as refers
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind = 'r' and c.relname = any($2) order by c.relname`,
    [schemaName, listOwnTables()],
  );
  const ordered: Table[] = [];
  const placed = new Set<string>();
  for (let left = rows; left.length > 0; ) {
    const next = left.filter(({ refers }) => refers.every((name) => placed.has(name)));
    if (next.length === 0) throw new Error('listTables: foreign keys go in a circle');
    for (const { name, columns } of next) {
      ordered.push({ name, columns });
      placed.add(name);
    }
    left = left.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

export const quote = escapeIdentifier;
export const quoteTable = (name: string) => `${quote(schemaName)}.${quote(name)}`;

export const copied = ({ name, columns }: Table) =>
  `${quoteTable(name)} (${columns.map(quote).join(', ')})`;

async function* dumpTable(
  client: Client,
  table: Table,
  manifest: Manifest,
): AsyncGenerator<Buffer> {
  const stream = client.query(to(`copy ${copied(table)} to stdout`));
  const hash = createHash('sha256');
  let [piece, held, bytes, pieces]: [Buffer[], number, number, number] = [[], 0, 0, 0];
  const flush = () => {
    pieces += 1;
    const content = Buffer.concat(piece);
    [piece, held] = [[], 0];
    return writeEntry({
      name: `tables/${table.name}/${String(pieces).padStart(6, '0')}.copy`,
      content,
    });
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    piece.push(chunk);
    held += chunk.length;
    bytes += chunk.length;
    if (held >= pieceBytes) yield* flush();
  }
  if (held > 0) yield* flush();
  manifest.tables[table.name] = { rows: stream.rowCount, bytes, sha256: hash.digest('hex') };
}

/** Read last, so that they exceed every row. */
async function readSequences(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `select s.relname as name, pg_sequence_last_value(s.oid)::text as last
     from pg_class s join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
     join pg_class t on t.oid = d.refobjid
     where s.relkind = 'S' and s.relnamespace = to_regnamespace($1) and t.relname = any($2)`,
    [quote(schemaName), listOwnTables()],
  );
  return Object.fromEntries(
    rows.flatMap(({ name, last }) => (last === null ? [] : [[name, Number(last)]])),
  );
}

async function* dumpFolder(
  name: string,
  folder: string,
  manifest: Manifest,
): AsyncGenerator<Buffer> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  for (const file of found) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null; // Deleted since the folder was read.
      throw error;
    });
    if (content === null) continue;
    const entry = `${name}/${relative(folder, path).split(sep).join('/')}`;
    manifest.files[entry] = {
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
    yield* writeEntry({ name: entry, content });
  }
}

const json = (name: string, value: unknown) =>
  writeEntry({ name, content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) });

async function* dump(
  client: Client,
  header: Omit<Header, 'tables' | 'postgres'>,
  folders: Record<string, string>,
  manifest: Manifest,
): AsyncGenerator<Buffer> {
  const [server] = (await client.query<{ server_version: string }>('show server_version')).rows;
  const tables = await listTables(client);
  yield* json('backup.json', { ...header, postgres: server?.server_version ?? '', tables });
  for (const table of tables) yield* dumpTable(client, table, manifest);
  yield* json('sequences.json', await readSequences(client));
  for (const [name, folder] of Object.entries(folders)) yield* dumpFolder(name, folder, manifest);
  yield* json('manifest.json', manifest);
  yield tarEnd;
}

/**
 * Writes the file completely or not at all, readable only by its owner. @param options.folders by their names in the backup
 * @throws `database_unavailable` if the database lacks our tables; disk errors
 */
export async function writeBackup(
  url: string,
  file: string,
  options: { version: string; now: Date; folders: Record<string, string> },
): Promise<Counts> {
  const client = new Client({
    connectionString: url,
    application_name: `${sessionName} backup`,
    connectionTimeoutMillis: 10_000,
  });
  const manifest: Manifest = { tables: {}, files: {} };
  const draft = `${file}.part`;
  await client.connect();
  try {
    await client.query(`begin isolation level repeatable read read only;
      set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
      set local datestyle = 'ISO'; set local timezone = 'UTC'; set local extra_float_digits = 3`);
    const migration = await newestApplied(client);
    if (migration === null)
      throw new CountersignError(
        'database_unavailable',
        'There is nothing to back up: the database has none of Countersign’s tables.',
      );
    const header = {
      format: 'countersign-backup',
      format_version: formatVersion,
      version: options.version,
      made_at: options.now.toISOString(),
      migration,
    } as const;
    await rm(draft, { force: true });
    await pipeline(
      Readable.from(dump(client, header, options.folders, manifest)),
      createGzip({ level: 3 }),
      // A new file, so that no other writer of the folder decides who can read it.
      createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
    );
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    if (error instanceof CountersignError) throw error;
    throw new CountersignError(
      'archive_failed',
      `Could not write the backup ${file} (${errorMessage(error)}), so the partial file was deleted. Check the path and the free space, then try again.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
  return {
    tables: Object.keys(manifest.tables).length,
    rows: Object.values(manifest.tables).reduce((sum, { rows }) => sum + rows, 0),
    files: Object.keys(manifest.files).length,
  };
}
