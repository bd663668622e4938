// Logs have reasons of failures, but no people's texts or credentials.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { createLog } from '#app/logging.ts';
import { openDatabase } from '#db/database.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

test('a failed query is logged with its reason and without its values', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-log-'));
  const db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  try {
    const log = createLog(loadConfig({ COUNTERSIGN_HOME: home }, home), true);
    const failed = await db.query
      .execute(
        sql`insert into countersign.approvals (plan_id, version, approver, digest) values ('none', 1, 'me', ${'s3cret'})`,
      )
      .then(
        () => null,
        (error: unknown) => error,
      );
    const url = new URL(database.url);
    log.error(
      {
        err: Object.assign(new Error('outer', { cause: failed }), {
          config: { password: 's3cret' },
        }),
      },
      'It failed.',
    );
    const text = await waitFor('the line', () =>
      readFile(join(home, 'logs', 'countersign.log'), 'utf8'),
    );
    expect(text).toContain('violates foreign key constraint');
    expect(text).toContain('insert into countersign.approvals');
    expect(text).not.toContain('s3cret');
    if (url.password !== '') expect(text).not.toContain(url.password);
  } finally {
    await db.close();
    await rm(home, { recursive: true });
  }
});
