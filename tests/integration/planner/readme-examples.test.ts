// The README's examples without a model, in any order, repeatedly.
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#app/config.ts';
import { secureHome } from '#app/home.ts';
import { viewSession } from '#cards/session-view.ts';
import { carryOutPress } from '#conversation/press.ts';
import { bare } from '#domain/chat/press.ts';
import type { RunView } from '#domain/planning/run.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { readFiles } from '../../setup/files.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const listed = /## Try these\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
const examples = [
  ...(/npx countersign ask '([^']+)'/.exec(readme)?.slice(1) ?? []),
  ...[...listed.matchAll(/^- `([^`]+)`/gm)].map(([, text = '']) => text),
];

const ends = [
  'completed',
  'completed',
  'completed',
  'answered',
  'completed',
  'repeats',
  'done later',
  'escalated',
];

async function press(runId: string, label: RegExp): Promise<RunView> {
  const { buttons } = viewSession(
    await instance.service.runCard(runId, { user: 'ana', timezone: 'UTC' }),
  );
  const found = buttons.find((one) => label.test(one.label));
  if (found === undefined) throw new Error(`no ${label} among ${buttons.map((one) => one.label)}`);
  await carryOutPress(instance.service, bare(found.press), ana);
  return settled(instance, runId);
}

async function tryOut(text: string): Promise<string> {
  const { service } = instance;
  const { run_id } = await service.startRun({ text }, ana);
  let run = await settled(instance, run_id);
  if (run.planning_status === 'complete') return 'answered';
  if (run.planning_status === 'needs_scheduling_escalation') return 'escalated';
  for (let presses = 0; run.plan_id === undefined && presses < 5; presses += 1)
    run = await press(run_id, /^(?:Use|Approve)/);
  const plan = await service.getPlan(run.plan_id ?? '');
  await service.approve(plan.id, { version: plan.version, digest: plan.digest }, ana);
  const isLater = text.includes('after 2 days');
  const now = await waitFor(`the end of ${text}`, async () => {
    const { status, series } = await service.getPlan(plan.id);
    const { steps } = await service.listSteps(plan.id, { limit: 10 });
    const isFirstDone = isLater && steps[0]?.status === 'succeeded';
    return (/completed|failed/.test(status) || series.length > 0 || isFirstDone) && status;
  });
  if (now === 'completed' || now === 'failed') return now;
  return isLater ? 'done later' : 'repeats';
}

test('each example has an outcome', () => expect(examples).toHaveLength(ends.length));

test('all come out the same as listed, and again the other way round', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-readme-'));
  // A fresh installation brings an example table.
  secureHome(loadConfig({ COUNTERSIGN_HOME: join(home, 'new') }, home));
  await copyFile(
    join(home, 'new', 'workspace', 'orders.csv'),
    join(instance.workspace, 'orders.csv'),
  );
  for (const text of [...examples, ...examples.toReversed()])
    expect(`${text}: ${await tryOut(text)}`).toBe(`${text}: ${ends[examples.indexOf(text)]}`);
  expect(await readFiles(instance.workspace)).toMatchObject({
    'letters/1001.md': 'Dear Ana',
    'archive/standup.md': 'Standup at 9:30',
    'archive/standup-2.md': 'Standup at 9:30',
  });
  await rm(home, { recursive: true, force: true });
});
