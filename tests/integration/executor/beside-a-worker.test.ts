// `countersign ask` leaves the work to a running bot.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBackends } from '#db/backends.ts';
import { readEndpoints } from '#db/webhooks.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const url = 'https://ops.example.com/countersign';
let bot: TestInstance;
let command: TestInstance;

beforeAll(async () => {
  const webhooks = [{ url, secret: 'a-secret-of-24-characters', events: ['plan.stalled'] }];
  bot = await openTestInstance(database.url, { settings: { webhooks } });
  command = await openTestInstance(database.url, { work: 'when_alone' });
});
afterAll(async () => {
  await command.close();
  await bot.close();
});

const write = (path: string): PlanDraft => ({
  title: path,
  steps: [draftStep('a', 'Write', 'workspace_write', { path, content: 'x' })],
});

test('beside a bot a command takes no work and changes no webhook; once the bot is gone, it works', async () => {
  expect(command.vitals()).toBeNull();
  expect(await readBackends(bot.db.query)).toHaveLength(1);
  const first = await runPlan(command, write('first.txt'));
  await reach(command, first.id, 'completed');
  await access(join(bot.workspace, 'first.txt'));
  expect((await readEndpoints(bot.db.query)).map((endpoint) => endpoint.url)).toEqual([url]);

  await bot.close();
  const second = await runPlan(command, write('second.txt'));
  await reach(command, second.id, 'completed');
  await access(join(command.workspace, 'second.txt'));
  await waitFor('its work', () => command.vitals() !== null);
  expect((await readEndpoints(command.db.query)).map((endpoint) => endpoint.url)).toEqual([url]);
});
