// Migrations match the schema: drizzle-kit has nothing to add.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { describe, expect, test } from 'vitest';
import { migrationsFolder } from '#db/migrate.ts';
import * as schema from '#db/schema.ts';

type Snapshot = ReturnType<typeof generateDrizzleJson>;
type Journal = { entries: { idx: number; tag: string; when: number }[] };

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(migrationsFolder, 'meta', name), 'utf8')) as T;
}

const { entries } = readJson<Journal>('_journal.json');

function readNewest(): Snapshot {
  const number = String(entries.at(-1)?.idx ?? 0).padStart(4, '0');
  return readJson<Snapshot>(`${number}_snapshot.json`);
}

describe('the migrations', () => {
  test('lead to the schema in code; else run "npm run migrations"', async () => {
    const newest = readNewest();
    expect(await generateMigration(newest, generateDrizzleJson(schema, newest.id))).toEqual([]);
  });

  test('keep the newest snapshot alone: after "npm run migrations", delete the one before', () => {
    const snapshots = readdirSync(join(migrationsFolder, 'meta')).filter((name) =>
      name.endsWith('_snapshot.json'),
    );
    expect(snapshots).toHaveLength(1);
  });

  test('would not, if a table were added to the code alone', async () => {
    const { audit: _removed, ...rest } = schema;
    const older = generateDrizzleJson(rest);
    const missing = await generateMigration(older, generateDrizzleJson(schema, older.id));
    expect(missing.join('\n')).toContain('CREATE TABLE "countersign"."audit"');
  });

  test('each have a file and come in the order in which drizzle applies them', () => {
    for (const { tag } of entries)
      expect(readFileSync(join(migrationsFolder, `${tag}.sql`), 'utf8')).not.toBe('');
    const times = entries.map(({ when }) => when);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});
