// Previews of a waiting step's files, inside the workspace.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewDryRun } from '#cards/dry-run.ts';
import type { StepPreview } from '#domain/plan/preview.ts';
import type { Simulation } from '#domain/service.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { type Client, createClient } from '../../setup/http-client.ts';
import { openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let instance: TestInstance;
let server: TestApi;
let api: Client;
let outside: string;

beforeAll(async () => {
  instance = await openTestInstance(database.url);
  server = await startApi({ service: instance.service });
  api = createClient(server.origin);
  outside = await mkdtemp(join(tmpdir(), 'countersign-outside-'));
});
afterAll(async () => {
  await server.close();
  await instance.close();
  await rm(outside, { recursive: true, force: true });
});

const put = async (path: string, text: string | Buffer) => {
  await mkdir(join(instance.workspace, 'p'), { recursive: true });
  await writeFile(join(instance.workspace, 'p', path), text);
};

const file = (id: string, operation: string, args: object, more: object = {}) => ({
  id,
  description: id,
  tool: 'workspace',
  operation,
  args,
  ...more,
});

const propose = (...steps: object[]) => api.propose({ title: 'Files', steps });

async function previewsOf(plan: string, ...ids: string[]): Promise<StepPreview[]> {
  const path = `/api/plans/${plan}/previews?ids=${ids.join(',')}`;
  return (await api.get<{ previews: StepPreview[] }>(path)).body.previews;
}

describe('a preview', () => {
  test('tells what a write changes, that a file is new, and how what goes away begins', async () => {
    await put('a.md', 'one\ntwo\nthree\n');
    await put('gone.md', 'x'.repeat(5000));
    const plan = await propose(
      file('w', 'write', { path: 'p/a.md', content: 'one\n2\nthree\n' }),
      file('n', 'write', { path: 'p/new.md', content: 'new' }),
      file('d', 'delete', { path: 'p/gone.md' }),
    );
    const [write, fresh, gone] = await previewsOf(plan.id, 'w', 'n', 'd');
    expect(write).toMatchObject({
      step_id: 'w',
      changed: false,
      file: { found: 'file', size: 14 },
    });
    expect(write?.file.hunks?.[0]?.lines).toEqual([' one', '-two', '+2', ' three']);
    expect(fresh?.file).toMatchObject({ found: 'nothing', hunks: null, text: null });
    expect(gone?.file).toMatchObject({ found: 'file', size: 5000, cut: true });
    expect(gone?.file.text).toHaveLength(4000);
  });

  test('says that a file has changed since the plan was proposed, and compares with what it is now', async () => {
    await put('moving.md', 'before\n');
    const plan = await propose(file('w', 'write', { path: 'p/moving.md', content: 'after\n' }));
    await put('moving.md', 'meanwhile\n');
    const [one] = await previewsOf(plan.id, 'w');
    expect(one?.changed).toBe(true);
    expect(one?.file.hunks?.[0]?.lines).toEqual(['-meanwhile', '+after']);
  });

  test('reads nothing through a link that leads out, and shows no text of what is none', async () => {
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await put('bytes.bin', Buffer.from([0xff, 0xfe, 0x00]));
    await symlink(join(outside, 'secret.txt'), join(instance.workspace, 'p', 'link.txt'));
    const plan = await propose(
      file('b', 'write', { path: 'p/bytes.bin', content: 'text' }),
      file('d', 'delete', { path: 'p/link.txt' }),
    );
    const previews = await previewsOf(plan.id, 'b', 'd');
    expect(JSON.stringify(previews)).not.toContain('secret\\n');
    expect(previews.find(({ step_id }) => step_id === 'd')?.file.text ?? null).toBeNull();
    const bytes = previews.find(({ step_id }) => step_id === 'b');
    expect(bytes?.file).toMatchObject({ hunks: null, text: null });
  });

  test('is given as the file is now also where an earlier step changes it, and not of a step that has run', async () => {
    await put('twice.md', 'first\n');
    const plan = await propose(
      file('a', 'write', { path: 'p/twice.md', content: 'second\n' }),
      file('b', 'write', { path: 'p/twice.md', content: 'third\n' }, { after: ['a'] }),
    );
    expect((await previewsOf(plan.id, 'a', 'b')).map(({ step_id }) => step_id)).toEqual(['a', 'b']);
    await api.approve(plan);
    await api.reach(plan.id, 'completed');
    expect(await previewsOf(plan.id, 'a', 'b')).toEqual([]);
  });

  test('is refused for a step of another plan', async () => {
    const one = await propose(file('mine', 'write', { path: 'p/m.md', content: 'm' }));
    const other = await propose(file('theirs', 'write', { path: 'p/t.md', content: 't' }));
    const path = (plan: string, step: string) => `/api/plans/${plan}/previews?ids=${step}`;
    expect(await api.get(path(one.id, 'theirs'))).toMatchObject({
      status: 422,
      body: { code: 'unknown_step' },
    });
    expect((await api.get(path('PLAN-00000000', 'mine'))).status).toBe(404);
    expect((await api.get(path(other.id, 'theirs'))).status).toBe(200);
  });
});

test('a dry run says what each call would find today, who is asked, and calls nothing', async () => {
  await put('old.md', 'old');
  await put('moved.md', 'first');
  const plan = await propose(
    file('n', 'write', { path: 'p/fresh.md', content: 'new' }),
    file('o', 'write', { path: 'p/old.md', content: 'new', overwrite: true }),
    file('m', 'move', { from: 'p/nowhere.md', to: 'p/there.md' }),
    file('c', 'write', { path: 'p/moved.md', content: 'x', overwrite: true }),
    file('l', 'move', { from: 'p/fresh.md', to: 'p/last.md' }, { after: ['n'] }),
    draftStep('ask', 'Ask', 'human_task', { question: 'Fine?', assignee: 'ben@example.com' }),
  );
  await put('moved.md', 'second');
  const { body } = await api.post<Simulation>(`/api/plans/${plan.id}/simulate`, {});
  const found = body.calls.map(({ step_id, found: state, changed }) => [step_id, state, changed]);
  expect(Object.fromEntries(found.map(([id, ...rest]) => [id, rest]))).toEqual({
    n: ['new', false],
    o: ['exists', false],
    m: ['missing', false],
    c: ['exists', true],
    l: [null, false],
    ask: [null, false],
  });
  const asks = body.calls.flatMap((call) => (call.asks === null ? [] : [call.asks]));
  expect(asks).toEqual([{ kind: 'task', who: 'ben@example.com' }]);
  expect(body.cost).toEqual({ model_steps: 0, usd: null });
  const { rows, sum } = viewDryRun(body, new Date().toISOString());
  expect(sum).toContain('6 steps to run: 1 new, 2 overwritten, 1 would fail');
  expect(rows.map(({ note }) => note)).toContain('overwritten, changed since it was proposed');
  expect(await readFile(join(instance.workspace, 'p/old.md'), 'utf8')).toBe('old');
});

test('what goes with a step is found however far it is, and only in its plan', async () => {
  const noop = (id: string, ...after: string[]) => draftStep(id, id, 'control_noop', {}, ...after);
  const many = Array.from({ length: 40 }, (_, i) =>
    noop(`s${i}`, ...(i === 0 ? [] : [`s${i - 1}`])),
  );
  const plan = await propose(...many, noop('alone'));
  const { body } = await api.get(`/api/plans/${plan.id}/steps/s20/chain`);
  expect(body).toEqual({
    needs: many.slice(0, 20).map(({ id }) => id),
    needed_by: many.slice(21).map(({ id }) => id),
    more: false,
  });
  const foreign = await api.get(`/api/plans/${plan.id}/steps/nowhere/chain`);
  expect(foreign).toMatchObject({ status: 422, body: { code: 'unknown_step' } });
});

test('large files that have little in common hold the process up only for a moment', async () => {
  const lines = (of: (line: number) => number) =>
    Array.from({ length: 60_000 }, (_, line) => String(of(line))).join('\n');
  const content = lines((line) => (line * 7 + 3 + (line % 13)) % 10);
  const before = lines((line) => line % 10);
  await put('big.md', before);
  const plan = await propose(file('big', 'write', { path: 'p/big.md', content }));
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const [preview] = await previewsOf(plan.id, 'big');
  delay.disable();
  expect(preview).toMatchObject({ file: { found: 'file', hunks: null } });
  expect(delay.max / 1e6).toBeLessThan(1000);
});
