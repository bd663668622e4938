// Embedded data of another PostgreSQL major version, and its migration.
import {
  access,
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBackup } from '#db/backup/dump.ts';
import { restoreBackup } from '#db/backup/restore.ts';
import { openCluster, openEmbedded, setAsideOtherVersion } from '#db/embedded/embedded.ts';
import { run } from '#db/embedded/run.ts';
import { migrate } from '#db/migrate.ts';
import { installPackage } from '../setup/debian.ts';

const old = process.env.POSTGRES_15_BIN ?? '/usr/lib/postgresql/15/bin';
const isThere = () =>
  access(join(old, 'initdb')).then(
    () => true,
    () => false,
  );
const log = { info: () => {}, warn: () => {} };
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-other-version-'));
  await chmod(home, 0o711);
  if (!(await isThere())) await installPackage('postgresql-15', isThere);
  if (!(await isThere()))
    throw new Error(
      `Data of another major version are made with PostgreSQL 15, and there is none in ${old}. Install it ("apt-get install postgresql-15") or set POSTGRES_15_BIN to the folder of its programs.`,
    );
}, 300_000);
afterAll(() => rm(home, { recursive: true, force: true }));

test('is refused by name, and restored from a backup that its own programs made', async () => {
  const dir = join(home, 'postgres');
  const cluster = await openCluster(dir, old);
  await mkdir(cluster.data, { mode: 0o700 });
  await writeFile(cluster.passwordFile, 'secret\n', { mode: 0o600 });
  const { owner } = cluster.identity;
  if (owner !== undefined) {
    await chown(cluster.data, owner.uid, owner.gid);
    await chown(cluster.passwordFile, owner.uid, owner.gid);
  }
  const made = await run(
    cluster.binaries.initdb,
    [
      `--pgdata=${cluster.data}`,
      '--username=countersign',
      `--pwfile=${cluster.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ],
    cluster.identity,
  );
  expect(made.code).toBe(0);
  await appendFile(join(cluster.data, 'postgresql.conf'), "\ninclude 'countersign.conf'\n");

  await expect(openEmbedded({ dir, log })).rejects.toThrow(/made by PostgreSQL 15.*--postgres/s);
  const file = join(home, 'old.tar.gz');
  const before = await openEmbedded({ dir, log, binaries: old });
  await migrate(before.url);
  const client = new Client({ connectionString: before.url });
  await client.connect();
  await client.query(
    `insert into countersign.memory (scope, owner, text, source) values ('person', 'ana', 'Kept', '{}')`,
  );
  await client.end();
  await writeBackup(before.url, file, { version: 'old', now: new Date(), folders: {} });
  await before.close();

  await setAsideOtherVersion(dir, 'then');
  expect(await readdir(dir)).toContain('data.before-then');
  const after = await openEmbedded({ dir, log });
  await restoreBackup(after.url, file, {
    now: new Date(),
    resume: true,
    force: false,
    folders: {},
  });
  const now = new Client({ connectionString: after.url });
  await now.connect();
  const { rows } = await now.query('select text from countersign.memory');
  await now.end();
  await after.close();
  expect(rows).toEqual([{ text: 'Kept' }]);
}, 120_000);
