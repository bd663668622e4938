// No read while planning has arguments with outside data.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Queryable } from '#db/database.ts';
import { CountersignError } from '#domain/errors.ts';
import { Settings } from '#domain/settings.ts';
import { openPlannerTools } from '#planner/reads/open-reads.ts';
import { type Bench, openBench } from '../../tools/tool-bench.ts';

let stageTools: Bench | undefined;
const server = createServer();
afterEach(async () => {
  await stageTools?.close();
  server.close();
});

test('reads calendars of the workspace and the configuration, and no address', async () => {
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  stageTools = await openBench({
    calendars: { team: 'team.ics' },
    http: { allowPrivate: ['127.0.0.1'] },
  });
  const ics = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n';
  await writeFile(join(stageTools.workspace, 'mine.ics'), ics);
  await writeFile(join(stageTools.workspace, '..', 'team.ics'), ics);
  const db = {} as Queryable;
  const { registry } = stageTools;
  const { plannerTools, guardedTools } = Settings.parse({});
  const tools = openPlannerTools({
    registry,
    catalogue: registry,
    db,
    allowed: plannerTools,
    guarded: guardedTools,
    timezone: 'UTC',
  });
  const read = (args: { calendar?: string }) =>
    tools.call('calendar_read', args, new AbortController().signal);
  for (const scheme of ['https', 'webcal', 'HTTPS']) {
    const calendar = `${scheme}://127.0.0.1:${address.port}/a.ics?secret=42`;
    await expect(read({ calendar })).rejects.toMatchObject({
      code: 'guarded_operation',
      message:
        'calendar_read with these arguments calls an address outside, which is not done while planning. Put it into a step of the plan.',
    });
  }
  expect(connections).toBe(0);
  for (const args of [{ calendar: 'mine.ics' }, { calendar: 'team' }, {}]) {
    expect((await read(args)).data).toMatchObject({ count: 0 });
  }
});

test('goes on with no plan that the requester may not see', async () => {
  stageTools = await openBench({});
  const { registry } = stageTools;
  const { plannerTools, guardedTools } = Settings.parse({});
  const touched: string[] = [];
  const touch = async (_: string, id: string): Promise<never> => {
    touched.push(id);
    throw new Error('it was touched');
  };
  const hidden = new CountersignError('plan_not_found', 'There is no plan PLAN-1.');
  const tools = openPlannerTools({
    registry,
    catalogue: registry,
    db: {} as Queryable,
    allowed: plannerTools,
    guarded: guardedTools,
    timezone: 'UTC',
    plansOf: async () => ({
      getPlan: () => Promise.reject(hidden),
      listPlans: async () => ({ plans: [], next_cursor: null }),
    }),
    atHand: {
      readPage: touch,
      readDraft: touch,
      readWaiting: touch,
      isAtHand: () => Promise.resolve(false),
      listWaiting: () => Promise.resolve([]),
      readAnswer: touch,
      tryChange: touch,
      readPlaybook: touch,
      listPlaybooks: () => Promise.resolve([]),
    },
  });
  const change = { base_revision: 1, operations: [] };
  for (const going of [
    tools.atHand?.readPage('run-1', 'PLAN-1', 0),
    tools.atHand?.readDraft('run-1', 'PLAN-1'),
    tools.atHand?.readWaiting('run-1', 'PLAN-1'),
    tools.atHand?.readAnswer('run-1', 'PLAN-1', '1', 'yes'),
    tools.atHand?.tryChange('run-1', 'PLAN-1', change),
  ])
    await expect(going).rejects.toThrow(hidden);
  expect(touched).toEqual([]);
});
