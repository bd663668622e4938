// Upgrades of older databases, which tests/fixtures/upgrade/make.ts makes.
import { globSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { RunView } from '#domain/planning/run.ts';
import { emptyDatabase, freshDatabase } from '../setup/database.ts';
import { root, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
const fixtures = join(root, 'tests/fixtures/upgrade');

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

type Known = { plans: Record<string, string>; runs: Record<string, string> };

describe.each(globSync('*.json', { cwd: fixtures }).map((name) => basename(name, '.json')))(
  'a database at %s',
  (name) => {
    const { plans, runs }: Known = JSON.parse(readFileSync(join(fixtures, `${name}.json`), 'utf8'));
    const id = (title: string) => plans[title] ?? '';
    const inHome = (home: string, path: string) => readFile(join(home, 'workspace', path), 'utf8');

    async function approve({ api }: Server, title: string): Promise<void> {
      const answer = await api.approve(await api.plan(id(title)));
      expect([title, answer.status, answer.body]).toEqual([title, 200, expect.anything()]);
    }
    async function resume({ api }: Server, title: string, steps?: object): Promise<void> {
      const { version } = await api.plan(id(title));
      const body = steps === undefined ? { version } : { version, steps };
      const answer = await api.post(`/api/plans/${id(title)}/resume`, body);
      expect([title, answer.status, answer.body]).toEqual([title, 200, expect.anything()]);
    }

    test('goes on with this version: nothing is lost, and every plan can be brought to its end', async () => {
      const database = await emptyDatabase();
      let server: Server | null = null;
      try {
        await execute(
          database.url,
          gunzipSync(readFileSync(join(fixtures, `${name}.sql.gz`))).toString(),
        );
        // The fixture's undecided plans must not expire.
        const home = await programs.home({ stale_after_days: 36_500 });
        server = await programs.serve({ home, database: database.url });
        const { api } = server;
        const statusOf = async (title: string) => (await api.plan(id(title))).status;

        for (const title of ['rejected', 'cancelled', 'completed', 'failed', 'proposed'])
          expect(await statusOf(title)).toBe(title);
        expect(await statusOf('needs review')).toBe('needs_review');
        expect(await statusOf('stalled')).toBe('stalled');
        const log = (await api.text(`/api/plans/${id('completed')}/log.jsonl`)).trim().split('\n');
        expect(log.map((line) => JSON.parse(line).status)).toEqual(['succeeded']);
        const { body } = await api.get<{ entries: { action: string }[] }>(
          `/api/plans/${id('completed')}/audit`,
        );
        expect(body.entries.map(({ action }) => action)).toContain('approve');
        expect(await api.text(`/api/plans/${id('completed')}/plan.md`)).toContain('completed.md');
        for (const title of Object.keys(plans)) {
          const card = await api.get(`/api/plans/${id(title)}/card?user=local`);
          expect([title, card.status]).toEqual([title, 200]);
        }

        await api.reach(id('approved'), 'completed');
        expect(await inHome(home, 'approved.md')).toBe('Written');
        await api.reach(id('running'), 'completed');
        expect(await inHome(home, 'running.md')).toBe('Written');

        await approve(server, 'proposed');
        await api.reach(id('proposed'), 'completed');
        await approve(server, 'needs review');
        await api.reach(id('needs review'), 'completed');
        await waitFor('the task to wait', async () => {
          return (await api.plan(id('waiting'))).counts.waiting === 1;
        });
        await resume(server, 'waiting', { task: 'done' });
        await api.reach(id('waiting'), 'completed');
        expect(await inHome(home, 'waiting.md')).toBe('Written');
        await waitFor('the call that may have happened', async () => {
          return (await api.plan(id('unknown'))).counts.unknown === 1;
        });
        await resume(server, 'unknown', { move: 'done' });
        await api.reach(id('unknown'), 'completed');
        await resume(server, 'stalled');
        await api.reach(id('stalled'), 'completed');
        await writeFile(join(home, 'workspace', 'later.md'), 'Here now');
        const { version } = await api.plan(id('failed'));
        expect((await api.post(`/api/plans/${id('failed')}/retry`, { version })).status).toBe(200);
        await api.reach(id('failed'), 'completed');
        expect(await statusOf('series')).toBe('executing');

        const patched = await api.plan(id('patched'));
        const { version: changed = 0, digest = '' } = patched.pending_patch ?? {};
        const agreed = await api.approve({ ...patched, version: changed, digest });
        expect([agreed.status, agreed.body]).toEqual([200, expect.anything()]);
        await waitFor('what the change added', async () => {
          return (await api.plan(id('patched'))).counts.succeeded === 1;
        });
        expect(await inHome(home, 'patched.md')).toBe('Written');
        await resume(server, 'patched', { task: 'done' });
        await api.reach(id('patched'), 'completed');
        const { run_id } = (await api.get<RunView>(`/api/runs/${runs.question}`)).body;
        expect(
          (await api.reply(run_id, 'Create answered.md saying "Answered"')).plan_id,
        ).toBeTruthy();
        expect(await server.stop()).toEqual({ code: 0, signal: null });
      } finally {
        await server?.stop();
        await database.close();
      }
    });
  },
);

// `FILE`: an export.
const verbs: Record<string, string[][]> = {
  start: [[]],
  gateway: [[]],
  worker: [[]],
  migrate: [[]],
  backup: [['never.tar.gz']],
  export: [['--all']],
  import: [['FILE']],
  retention: [[], ['--dry-run']],
  ask: [['Create a.md saying "A"']],
  build: [[]],
  plans: [[]],
  findings: [['PLAN-00000000']],
  policy: [[]],
  memory: [[]],
  playbook: [[]],
  reminders: [[]],
  link: [['show']],
  token: [['create', '--name', 'x'], ['list'], ['revoke', 'x']],
  mcp: [['list'], ['login', 'x'], ['logout', 'x']],
  doctor: [[]],
  audit: [['verify'], ['export']],
  inbox: [['list'], ['retry', '--all']],
  webhooks: [['list'], ['test'], ['retry']],
};
// Others: one restores over any content, one has its own database, one asks a process.
const others = ['bench', 'health', 'restore'];

test('a program that is older than the database refuses it with every verb, and says what to do', async () => {
  const database = await freshDatabase();
  try {
    const home = await programs.home();
    const options = { home, database: database.url, cwd: home };
    const help = await programs.finish(['--help'], options);
    const named = [...help.stdout.matchAll(/^ {2}([a-z]+) (?=.* {2}|[[<])/gm)].map(
      ([, verb]) => verb,
    );
    expect(named.filter((verb) => verb !== 'help').sort()).toEqual(
      [...Object.keys(verbs), ...others].sort(),
    );
    const file = join(home, 'plans.jsonl');
    await writeFile(file, (await programs.finish(['export', '--all'], options)).stdout);
    const before = join(home, 'before.tar.gz');
    expect((await programs.finish(['backup', before], options)).code).toBe(0);
    await execute(
      database.url,
      `insert into countersign_migrations.applied (hash, created_at) values ('x', ${Date.UTC(3000, 0, 1)})`,
    );
    for (const [verb, ways] of Object.entries(verbs))
      for (const words of ways) {
        const args = [verb, ...words.map((word) => (word === 'FILE' ? file : word))];
        const ended = await programs.finish(args, options);
        expect([args, ended.code]).toEqual([args, 1]);
        expect([args, ended.stdout + ended.stderr]).toEqual([
          args,
          expect.stringMatching(/3000-01-01.*(?:Upgrade Countersign|newer)/s),
        ]);
      }
    const restored = await programs.finish(['restore', '--force', before], options);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('Restored') });
    expect(await programs.finish(['plans'], options)).toMatchObject({ code: 0 });
  } finally {
    await database.close();
  }
}, 600_000);
