// `countersign bench` in small: consistent figures, nothing left behind.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
const timeoutMs = 300_000;
// Empty before and after.
let temp: string;
let home: string;
let graphs: string;

const Report = z.strictObject({
  machine: z.strictObject({
    cpus: z.number().int().positive(),
    cpu: z.string(),
    memory_mb: z.number().int().positive(),
    system: z.string(),
    node: z.string().startsWith('v'),
    postgres: z.string(),
    database: z.string(),
  }),
  started_at: z.iso.datetime(),
  rows: z.array(
    z.strictObject({
      name: z.string(),
      what: z.string(),
      unit: z.enum(['steps/s', 'rows/s', 'ms', 's', 'MB', 'B']),
      value: z.number().positive(),
      compared_with: z.string().optional(),
      baseline: z.number().positive().optional(),
      ratio: z.number().positive().optional(),
      reach: z.number().nullable(),
      stretch: z.number().nullable(),
      reached: z.boolean().nullable(),
      stretch_reached: z.boolean().nullable(),
      p50: z.number().positive().optional(),
    }),
  ),
});

beforeAll(async () => {
  home = await programs.home();
  temp = join(home, 'temp');
  graphs = join(home, 'graphs');
  await mkdir(temp);
  await mkdir(graphs);
  const tasks = [
    { id: 'cut', parents: [], runtime_s: 2 },
    { id: 'sew', parents: ['cut', 'cut'] },
    { id: 'dye', parents: ['cut'] },
    { id: 'pack', parents: ['sew', 'dye'], runtime_s: 0.5 },
  ];
  await writeFile(join(graphs, 'coat.json'), JSON.stringify({ source: 'a tailor', tasks }));
});

const bench = (args: string[], own = false) =>
  programs.finish(['bench', ...args], {
    home,
    env: { TMPDIR: temp },
    ...(own ? {} : { database: database.url }),
  });

async function listBenchDatabases(): Promise<string[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname like 'countersign_bench%'",
  );
  await client.end();
  return rows.map(({ datname }) => datname);
}

function readReport(text: string) {
  const { rows } = Report.parse(JSON.parse(text));
  for (const { value, baseline, ratio, unit, reach, stretch, reached, stretch_reached } of rows) {
    if (baseline !== undefined) expect(ratio).toBeCloseTo(value / baseline, 10);
    else expect(ratio).toBeUndefined();
    const judged = ratio ?? value;
    const meets = (bound: number | null) =>
      bound === null ? null : unit === 'steps/s' ? judged >= bound : judged <= bound;
    expect([reached, stretch_reached]).toEqual([meets(reach), meets(stretch)]);
  }
  return rows;
}

const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name);

test(
  'rates stand beside pg-boss and a durable library, and the databases are dropped again',
  async () => {
    const names = ['throughput', 'throughput-write', 'dags'];
    const sizes = ['--steps', '60', '--runs', '2', '--folder', graphs];
    const { code, stdout, stderr } = await bench([...names, ...sizes, '--json']);
    expect(stderr).toContain('bench: throughput-write: round 2 of 2');
    expect(code).toBe(0);
    const rows = readReport(stdout);
    expect(namesOf(rows)).toEqual([
      'throughput',
      'throughput/beside-two-loops',
      'throughput/library',
      'throughput-write',
      'throughput-write/beside-two-loops',
      'throughput-write/library',
      'dags/coat',
    ]);
    const [one, two] = ['pg-boss, one loop', 'pg-boss, two loops'];
    const library = expect.stringMatching(/^durable library/);
    expect(rows.map(({ compared_with }) => compared_with)).toEqual([
      one,
      two,
      library,
      one,
      two,
      library,
      one,
    ]);
    // The targets are of one loop.
    expect(rows.slice(0, 2).map(({ reach }) => reach)).toEqual([0.5, null]);
    expect(rows.at(-1)?.what).toBe('4 steps, 4 edges');
    expect(await listBenchDatabases()).toEqual([]);
    expect((await readdir(temp)).filter((name) => name.startsWith('countersign-'))).toEqual([]);
  },
  timeoutMs,
);

test(
  'views and delays are measured over whole processes',
  async () => {
    const { code, stdout } = await bench(['views', 'ready', 'approve', '--steps', '12', '--json']);
    expect(code).toBe(0);
    const rows = readReport(stdout);
    expect(namesOf(rows)).toEqual([
      ...['overview', 'diff', 'page', 'status'].flatMap((view) => [
        `views/${view}/service`,
        `views/${view}/http`,
      ]),
      'ready',
      'ready/chain',
      'approve',
    ]);
    expect(rows.every(({ unit }) => unit === 'ms')).toBe(true);
    for (const { p50, value } of rows.slice(0, 8))
      expect(value).toBeGreaterThanOrEqual(p50 ?? value + 1);
    expect(await listBenchDatabases()).toEqual([]);
  },
  timeoutMs,
);

test(
  'at 200 events a second, a tenth of them again and a twentieth tried again, each is handled once and none is lost',
  async () => {
    const { code, stdout, stderr } = await bench([
      'acknowledge',
      '--steps',
      '1000',
      '--runs',
      '2',
      '--json',
    ]);
    for (const side of ['bare Bolt', 'Bolt that stores'])
      expect(stderr).toContain(`round 2 of 2: 500 events at 200/s to ${side}`);
    // Missing or repeated events have another exit code.
    expect([code, stderr]).toEqual([0, expect.stringContaining('each handled once, none lost?')]);
    const [row, beside, ...more] = readReport(stdout);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ name: 'acknowledge', unit: 'ms', reach: 2, stretch: 1.3 });
    expect(row?.compared_with).toMatch(/^bare Bolt, Node's own settings \(p50 [\d.]+ ms\)$/);
    expect(beside).toMatchObject({ name: 'acknowledge/beside-storing', reach: null });
    expect(beside?.compared_with).toMatch(/^Bolt that commits one row first \(p50 [\d.]+ ms\)$/);
  },
  timeoutMs,
);

test(
  'without DATABASE_URL it brings a server up and removes it, and the table is for people',
  async () => {
    const { code, stdout } = await bench(
      ['start', 'shapes', 'propose', '--steps', '30', '--runs', '1'],
      true,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^name +what +measured +compared with +ratio +target +reached\?$/m);
    expect(stdout).toMatch(/^shapes\/deep +30 steps, deep +[\d,]+ steps\/s +pg-boss, one loop: /m);
    expect(stdout).toMatch(/^propose .* ≤ 10 s \(4\) +(yes, stretch|yes|no)$/m);
    expect(stdout).toMatch(/^start .* ≤ 5 s \(2\.5\) +(yes, stretch|yes|no)$/m);
    expect((await readdir(temp)).filter((name) => name.startsWith('countersign-'))).toEqual([]);
  },
  timeoutMs,
);

test(
  'Ctrl-C ends it early and leaves nothing behind',
  async () => {
    const program = programs.run(['bench', 'throughput', '--steps', '500', '--runs', '1000'], {
      home,
      database: database.url,
      env: { TMPDIR: temp },
    });
    await waitFor('the bench to measure', () => program.stderr().includes('round 1 of 1000'), {
      timeoutMs: 60_000,
    });
    expect(await listBenchDatabases()).toHaveLength(1);
    expect((await program.stop('SIGINT')).code).toBe(130);
    expect(program.stderr()).toContain('what the bench had made is removed');
    expect(await listBenchDatabases()).toEqual([]);
  },
  timeoutMs,
);
