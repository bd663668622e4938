// A worker's registered operations follow its tools.
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { readBackends, readManifests, readShared } from '#db/backends.ts';
import { backends } from '#db/schema.ts';
import { Settings } from '#domain/settings.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { backendsOf, registerBackends } from '#executor/backends.ts';
import type { Backend } from '#executor/executor-context.ts';
import { findDifferences } from '#executor/shared-settings.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';
import { makeExecutor } from '../plans/bench.ts';

const instance = useInstance({ work: false });

const manifestOf = (...tools: string[]): OperationSpec[] =>
  instance.registry.list().filter(({ tool }) => tools.includes(tool));

describe('the back ends of a process', () => {
  test('offer nothing of a tool that is down, and only what their settings list', () => {
    const { list, status } = instance.registry;
    const down = {
      list,
      status: () => status().map((one) => (one.tool === 'http' ? { ...one, ok: false } : one)),
    };
    const { executor } = instance.config.settings;
    const operations = ['http_get', 'control_noop'];
    const wanted = { all: { capabilities: [] }, some: { capabilities: [], operations } };
    const [all, some] = backendsOf({ backends: wanted, executor }, down);
    expect(all?.operations()).not.toContain('http_get');
    expect(all?.operations()).toContain('workspace_read');
    expect(some?.operations()).toEqual(['control_noop']);
    expect(backendsOf({ backends: wanted, executor }, instance.registry)[1]?.operations()).toEqual(
      expect.arrayContaining(operations),
    );
  });

  test('tell a worker whose settings for the instance differ, and the last one to start decides', async () => {
    const { resourcePools, retention } = Settings.parse({});
    const sharing = (days: number, executor = makeExecutor(instance)) =>
      Object.assign(executor, {
        shared: { resourcePools, retention: { ...retention, plans: days } },
      });
    const enter = (id: string, executor: ReturnType<typeof sharing>) =>
      registerBackends(
        executor,
        [{ id, backend: executor.backend }],
        { version: '1.2.3', workspace: 'one' },
        async () => {},
      );
    const [first, same, other] = [sharing(10), sharing(10), sharing(20)];
    const registrations = [await enter('one/main', first), await enter('two/main', same)];
    expect(same.warnings).toEqual([]);
    registrations.push(await enter('three/main', other));
    expect(other.warnings).toEqual([expect.stringMatching(/(one|two)\/main .*"retention"/)]);
    const [newest] = await readShared(instance.db.query);
    expect(newest).toMatchObject({ id: 'three/main', shared: { retention: { plans: 20 } } });
    expect(findDifferences(first.shared, await readShared(instance.db.query))).toHaveLength(1);
    for (const one of registrations) await one.withdraw();
    for (const one of [first, same, other]) one.leases.stop();
  });

  test('are rewritten when a tool comes or goes, written again when lost, and taken back at the end', async () => {
    const executor = makeExecutor(instance);
    let tools = ['control'];
    const backend: Backend = {
      name: 'main',
      capabilities: ['gpu'],
      concurrency: 3,
      mostConcurrency: 3,
      manifest: () => manifestOf(...tools),
      operations: () => manifestOf(...tools).map(({ name }) => name),
    };
    let more = 0;
    const look = async () => void more++;
    const registration = await registerBackends(
      executor,
      [{ id: 'one/main', backend }],
      { version: '1.2.3', workspace: 'one' },
      look,
    );
    const read = () => readManifests(instance.db.query);
    const offered = async () => (await readBackends(instance.db.query))[0]?.operations ?? [];
    expect(await offered()).toEqual(['control_noop', 'control_wait']);
    const [first] = await read();
    expect(first).toEqual(manifestOf('control'));
    expect((await read())[0]).toBe(first);

    tools = ['control', 'human'];
    await waitFor('the new tool to be offered', async () =>
      (await offered()).includes('human_task'),
    );
    expect((await read())[0]).toEqual(manifestOf('control', 'human'));
    await waitFor('work to be looked for', () => more === 1);
    tools = ['human'];
    const isTakenBack = async () => {
      const names = await offered();
      return names.includes('human_task') && !names.includes('control_noop');
    };
    await waitFor('the tool to be taken back', isTakenBack);

    await instance.db.query.delete(backends).where(eq(backends.id, 'one/main'));
    await waitFor('the row to be written again', isTakenBack, {
      timeoutMs: 15_000,
    });
    expect(more).toBe(1);
    await registration.withdraw();
    const { rows } = await instance.db.query.execute(sql`select id from countersign.backends`);
    expect(rows).toEqual([]);
    executor.leases.stop();
  }, 40_000);
});
