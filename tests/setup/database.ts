// A database per test file, cloned from the migrated template.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject } from 'vitest';

export type FreshDatabase = {
  url: string;
  database: string;
  close(): Promise<void>;
};

async function command(text: string): Promise<void> {
  const client = new Client({ connectionString: inject('databaseServer') });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

function nameForFile(): string {
  const file = basename(expect.getState().testPath ?? 'test').replace(/\.test\.ts$/, '');
  const slug = file
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return `${slug}_${randomBytes(3).toString('hex')}`;
}

async function create(options: string): Promise<FreshDatabase> {
  const database = nameForFile();
  await command(`create database ${database} ${options}`);
  return {
    url: inject('databaseServer').replace(/countersign$/, database),
    database,
    close: () => command(`drop database if exists ${database} with (force)`),
  };
}

/** The caller closes it. */
export async function freshDatabase(): Promise<FreshDatabase> {
  return await create('template countersign_template strategy file_copy');
}

/** For tests of the migrations. The caller closes it. */
export async function emptyDatabase(): Promise<FreshDatabase> {
  return await create('');
}

export type TestDatabase = FreshDatabase & {
  /** Last added, first ended. */
  onEnd(end: () => Promise<void>): void;
};

/** Kept after a failure, and its name printed. */
export function useDatabase(): TestDatabase {
  let current: FreshDatabase | null = null;
  const ends: (() => Promise<void>)[] = [];
  const get = (): FreshDatabase => {
    if (current === null) throw new Error('the database exists only while tests run');
    return current;
  };
  beforeAll(async () => {
    current = await freshDatabase();
  });
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameter's pattern to know what to pass.
  afterAll(async ({}, suite) => {
    for (const end of ends.splice(0).reverse()) await end();
    const failed = suite.tasks.some((task) => task.result?.state === 'fail');
    if (!failed) return await get().close();
    await writeFile(join(inject('databaseHome'), 'kept'), '');
    console.error(`kept the database ${get().database} of a failed test`);
  });
  return {
    get url() {
      return get().url;
    },
    get database() {
      return get().database;
    },
    close: () => get().close(),
    onEnd: (end) => void ends.push(end),
  };
}
