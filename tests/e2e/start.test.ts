// Start and end as in the README, with each database.
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '#db/embedded/postmaster.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { SettingsView } from '#domain/settings-view.ts';
import { useDatabase } from '../setup/database.ts';
import { type Options, usePrograms } from '../setup/process.ts';
import { readPostmaster, runPlan, untilGone } from '../setup/start.ts';

const programs = usePrograms();

describe('with a database of its own', () => {
  let options: Options;
  const plans: Plan[] = [];
  beforeAll(async () => {
    options = { home: await programs.home() };
  });

  it('says how soon it was ready in an empty home, works, and leaves nothing running at SIGTERM', async () => {
    const server = await programs.serve(options);
    expect(server.stderr()).toBe('');
    expect(server.stdout()).toMatch(/is ready \([\d.]+ s\)/);
    for (const word of ['Console', 'Database', 'Model', 'Tools', 'Workspace', 'OPENAI_API_KEY'])
      expect(server.stdout()).toContain(word);
    expect((await server.api.get('/readyz')).body).toMatchObject({ ready: true });
    expect(await server.api.text('/')).toContain('<!doctype html>');

    const { body } = await server.api.get('/api/settings');
    const { tools, running } = body as SettingsView;
    const offered = tools.flatMap(({ operations }) => operations.map(({ name }) => name));
    expect(server.stdout()).toContain(`${offered.length} operations:`);
    expect(running.back_ends.map(({ operations }) => operations)).toEqual([offered.length]);
    const table = /\| built-in operations .*?\n\n/s.exec(await readFile('docs/tools.md', 'utf8'));
    const listed = [...(table?.[0] ?? '').matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name);
    const ofModels = ['text_write', 'text_summarize'];
    expect(listed.toSorted()).toEqual([...offered, ...ofModels].toSorted());

    plans.push(await runPlan(server.api, 'a.txt'));
    const postmaster = await readPostmaster(options.home);
    expect(isAlive(postmaster)).toBe(true);
    expect(await server.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    await untilGone(postmaster);
  });

  it('keeps all data at the next start, and closes its home to other users of the machine', async () => {
    await chmod(options.home, 0o755);
    const server = await programs.serve(options);
    const { mode } = await stat(options.home);
    expect(mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
    for (const plan of plans) expect(await server.api.plan(plan.id)).toEqual(plan);
    expect(await readFile(join(options.home, 'workspace', 'a.txt'), 'utf8')).toBe('a.txt');
    plans.push(await runPlan(server.api, 'b.txt'));
    expect(await server.stop('SIGINT')).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent('a mistake in the settings', () => {
  it('in a variable is shown by its name', async () => {
    const home = await programs.home();
    const { code, stderr } = await programs.finish(['start'], { home, env: { PORT: 'banana' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^countersign: PORT: .+\n$/);
  });

  it('in countersign.json is told by its key', async () => {
    const home = await programs.home({ executor: { concurrency: 0 } });
    const { code, stderr } = await programs.finish(['start'], { home });
    expect(code).toBe(1);
    expect(stderr).toContain('executor.concurrency');
  });

  it('that is a verb nobody knows is told with the verbs there are', async () => {
    const home = await programs.home();
    const { code, stderr } = await programs.finish(['strat'], { home });
    expect(code).not.toBe(0);
    expect(stderr).toContain('start');
  });
});

describe('with a database that does not answer', () => {
  it('is not waited for by a command of the terminal, which says so', async () => {
    const options = { home: await programs.home(), database: 'postgres://nobody@127.0.0.1:1/none' };
    const { code, stderr } = await programs.finish(['plans'], options);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^countersign: The database .*ECONNREFUSED/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('with a database of somebody else', () => {
  const database = useDatabase();
  type Finding = { part: string; state: string; text: string; advice?: string };

  it('is looked at by doctor, for people and as JSON', async () => {
    const options = { home: await programs.home(), database: database.url };
    const json = await programs.finish(['doctor', '--json'], options);
    expect(json.code).toBe(0);
    const findings: Finding[] = JSON.parse(json.stdout);
    const states = Object.fromEntries(findings.map(({ part, state }) => [part, state]));
    expect(states).toMatchObject({
      Node: 'ok',
      Settings: 'ok',
      Database: 'ok',
      'Tool workspace': 'ok',
      Workspace: 'ok',
      Model: 'off',
    });
    const report = await programs.finish(['doctor'], options);
    // Connections, free space and times change within a second.
    const still = (text: string) => text.replaceAll(/\d[\d.:TZ-]*/g, 'n');
    for (const { part, text } of findings) {
      expect(report.stdout).toContain(part);
      expect(still(report.stdout)).toContain(still(text));
    }
  });
});
