// PostgreSQL as providers run it: verified TLS, a plain owner role.
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Embedded, openEmbedded } from '#db/embedded/embedded.ts';
import { noop, openTestInstance, reach, runPlan } from '../setup/instance.ts';

let home: string;
let server: Embedded;
let url: string;

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-managed-'));
  await chmod(home, 0o711);
  const at = (name: string) => join(home, name);
  const log = { info: () => {}, warn: () => {} };
  const dir = at('postgres');
  await (await openEmbedded({ dir, log })).close();
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj'];
  openssl('req', '-x509', ...key, '/CN=test-ca', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  openssl(
    ...['req', '-x509', ...key, '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...[
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
    ],
    ...['-keyout', at('server.key'), '-out', at('server.pem')],
  );
  const { uid, gid } = await stat(join(dir, 'data'));
  await chown(at('server.key'), uid, gid);
  await chmod(at('server.key'), 0o600);
  await chmod(at('server.pem'), 0o644);
  const settings = { ssl: 'on', ssl_cert_file: at('server.pem'), ssl_key_file: at('server.key') };
  server = await openEmbedded({ dir, log, settings });
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(
    "create role tenant login password 'secret' nosuperuser nocreatedb nocreaterole",
  );
  await admin.query('create database tenant owner tenant');
  await admin.end();
  const place = new URL(server.url);
  url = `postgres://tenant:secret@localhost:${place.port}/tenant`;
}, 60_000);
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

test('plans run there, over TLS with a checked certificate, by a role that only owns its database', async () => {
  const checked = `${url}?sslmode=verify-full&sslrootcert=${join(home, 'ca.pem')}`;
  const instance = await openTestInstance(checked);
  try {
    const { id } = await runPlan(instance, [noop('a')]);
    await reach(instance, id, 'completed');
    const { rows } = await instance.db.pool.query<{ plain: number }>(`
      select count(*) filter (where not ssl)::int as plain from pg_stat_ssl join pg_stat_activity using (pid)
      where usename = 'tenant'`);
    expect(rows).toEqual([{ plain: 0 }]);
  } finally {
    await instance.close();
  }
}, 60_000);

test('a certificate of somebody else is refused', async () => {
  await expect(openTestInstance(`${url}?sslmode=verify-full`)).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(/certificate/i),
  });
}, 60_000);
