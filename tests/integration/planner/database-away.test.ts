// Planning survives a database outage without showing queries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settled } from '../../fixtures/model-instance.ts';
import { openTcpProxy, type TcpProxy } from '../../fixtures/tcp-proxy.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let proxy: TcpProxy;
let instance: TestInstance;
beforeAll(async () => {
  proxy = await openTcpProxy(database.url);
  instance = await openTestInstance(proxy.urlOf(database.url));
});
afterAll(async () => {
  await instance.close();
  await proxy.close();
});

test.each([
  ['a checkpoint', 'planning_checkpoints'],
  ['a note', 'insert into "countersign"."planning_memo"'],
  ['who is there', 'countersign.backends where backends.seen_at'],
])('the answer to %s is lost', async (what, text) => {
  proxy.loseAnswerTo(text);
  const name = what.replaceAll(' ', '-');
  const { run_id } = await instance.service.startRun(
    { text: `Create ${name}.txt saying "A"` },
    ana,
  );
  const run = await settled(instance, run_id);
  expect(run.response_text).toContain(`${name}.txt`);
  expect(run.plan_id).toMatch(/^PLAN-/);
});
