// Workers with different workspace folders.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { judgeWorkspaces } from '#app/doctor/check-workspaces.ts';
import { findElsewhere, readBackends, removeBackends, storeBackend } from '#db/backends.ts';
import { readWorkspaceId } from '#tools/workspace/workspace-id.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
const folders: string[] = [];
let first: TestInstance;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-workspaces-'));
  folders.push(folder);
  return folder;
}

beforeAll(async () => {
  first = await openTestInstance(database.url, { workspace: await makeFolder() });
});
afterAll(async () => {
  await first.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

test('a folder has one id, whoever asks first, and another folder another', async () => {
  const [one, two] = [await makeFolder(), await makeFolder()];
  const ids = await Promise.all(Array.from({ length: 20 }, () => readWorkspaceId(one)));
  expect(new Set(ids).size).toBe(1);
  expect(await readWorkspaceId(one)).toBe(ids[0]);
  expect(await readWorkspaceId(two)).not.toBe(ids[0]);
  expect(await readdir(join(one, '.countersign'))).toEqual(['workspace-id']);
});

test('a folder whose id was cut off by a crash stops nobody', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, '.countersign'));
  await writeFile(join(folder, '.countersign', 'workspace-id'), '');
  expect(await readWorkspaceId(folder)).toBeNull();
});

test.runIf(process.platform === 'linux')('a folder that can only be read has none', async () => {
  expect(await readWorkspaceId('/sys/kernel')).toBeNull();
});

test('who only fills in while no worker is there turns none away', async () => {
  await first.close();
  const filling = await openTestInstance(database.url, {
    workspace: await makeFolder(),
    work: 'when_alone',
  });
  first = await openTestInstance(database.url, { workspace: first.workspace });
  expect(first.registry.of(null).get('workspace_write')).toBeDefined();
  await filling.close();
});

test('a worker without the folder leaves files to those who have it, and doctor says so', async () => {
  const second = await openTestInstance(database.url, { workspace: await makeFolder() });
  try {
    const backends = await readBackends(first.db.query);
    const offers = new Map(
      backends.map(({ workspace, operations }) => [
        workspace,
        operations.includes('workspace_write'),
      ]),
    );
    expect(offers).toEqual(
      new Map([
        [await readWorkspaceId(first.workspace), true],
        [await readWorkspaceId(second.workspace), false],
      ]),
    );
    expect(judgeWorkspaces(backends)).toMatchObject([{ part: 'Workspace', state: 'broken' }]);
    expect(second.registry.of(null).get('workspace_read')).toBeUndefined();
    const plans = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        runPlan(n % 2 === 0 ? first : second, [
          noop('n'),
          draftStep('w', 'Write', 'workspace_write', { path: `${n}.txt`, content: 'x' }, 'n'),
          draftStep('r', 'Read', 'workspace_read', { path: `${n}.txt` }, 'w'),
        ]),
      ),
    );
    for (const { id } of plans) await reach(second, id, 'completed');
    expect(await readFile(join(first.workspace, '11.txt'), 'utf8')).toBe('x');
  } finally {
    await second.close();
  }
});

test('workers of one folder, or that say nothing of theirs, are in order', async () => {
  const second = await openTestInstance(database.url, { workspace: first.workspace });
  const backends = await readBackends(first.db.query);
  await second.close();
  expect(backends.map(({ operations }) => operations.includes('workspace_write'))).toEqual([
    true,
    true,
  ]);
  expect(judgeWorkspaces(backends)).toEqual([]);
  expect(judgeWorkspaces([...backends, { id: 'old', workspace: null, operations: [] }])).toEqual(
    [],
  );
});

describe('a worker of another version, or on its way', () => {
  const file = (id: string, workspace: string, operations = ['workspace_write']) =>
    storeBackend(first.db.query, {
      ...{ id, name: id, capabilities: [], operations, concurrency: 1, manifest: [] },
      workspace,
    });
  const clear = () => first.db.query.execute(sql`delete from countersign.backends`);

  test('that claims nothing keeps its folder while it is heard of', async () => {
    await clear();
    await file('old', 'X');
    const renewing = setInterval(() => void file('old', 'X'), 200);
    onTestFinished(() => clearInterval(renewing));
    expect(await findElsewhere(first.db.query, 'Y')).toBe('old');
    expect(await findElsewhere(first.db.query, 'X')).toBeNull();
  });

  test('that was turned away keeps nobody from the files', async () => {
    await clear();
    await file('turned away', 'X', ['http_request']);
    expect(await findElsewhere(first.db.query, 'Y')).toBeNull();
  });

  test('keeps its claim when another of its folder stops before it is there', async () => {
    await clear();
    expect(await findElsewhere(first.db.query, 'X')).toBeNull();
    await file('one', 'X');
    expect(await findElsewhere(first.db.query, 'X')).toBeNull();
    await removeBackends(first.db.query, ['one']);
    const claims = () =>
      first.db.query.execute(sql`select from countersign.backends where workspace = 'X'`);
    expect((await claims()).rows).toHaveLength(1);
    await file('two', 'X');
    await removeBackends(first.db.query, ['two']);
    expect((await claims()).rows).toHaveLength(0);
  });
});

test('of workers with different folders that start at once, one works with files and the others say why not', async () => {
  await first.close();
  const started = await Promise.all(
    [1, 2, 3].map(async () => openTestInstance(database.url, { workspace: await makeFolder() })),
  );
  const [writer, ...others] = started.filter((one) => one.registry.of(null).get('workspace_write'));
  const backends = await readBackends(started[0]?.db.query ?? first.db.query);
  expect(others).toEqual([]);
  expect(writer).toBeDefined();
  expect(backends.filter(({ operations }) => operations.includes('workspace_write'))).toHaveLength(
    1,
  );
  expect(judgeWorkspaces(backends)).toMatchObject([{ part: 'Workspace', state: 'broken' }]);
  await Promise.all(started.map((one) => one.close()));
  first = await openTestInstance(database.url, { workspace: await makeFolder() });
  expect(first.registry.of(null).get('workspace_write')).toBeDefined();
});
