// The contract of decisions, on every surface.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CardPress } from '#domain/chat/card.ts';
import { person } from '#domain/people/actor.ts';
import type { Plan, PlanDraft, Step } from '#domain/plan/plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, reach } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { addressOf, openSurfaces, type Surface, type Surfaces } from './surfaces.ts';

const database = useDatabase();
let all: Surfaces;
beforeAll(async () => {
  all = await openSurfaces(database.url);
});
afterAll(() => all.close());

const ana = person(addressOf('ana'), 'api');
const task = (assignee: string) =>
  draftStep('ask', 'Look at it', 'human_task', { question: 'Is it good?', assignee });
const failing = draftStep('gone', 'Delete what is not there', 'workspace_delete', {
  path: 'none.md',
});

type Facts = { plan: Plan; step: Step | undefined };
type Row = {
  steps: PlanDraft['steps'];
  before: Plan['status'];
  text?: string;
  step?: string;
  /** @returns the button's subject, if not the plan's version */
  prepare?(plan: Plan): Promise<unknown>;
  /** If it differs from the row's name. */
  press?: CardPress['action'];
  /** Refusal of a repeated press, or null. */
  twice: string | null;
  action: string;
  holds(facts: Facts): boolean;
};

const pause = ({ id }: Plan) => all.instance.service.pause(id, { version: 1 }, ana);
const stall = ({ id }: Plan) =>
  all.instance.db.query.execute(
    sql`update countersign.plans set status = 'stalled' where id = ${id}`,
  );
const running = { steps: [task(addressOf('ana'))], before: 'executing' as const };
const failed = { steps: [failing], before: 'failed' as const, step: 'gone' };

async function change({ id }: Plan): Promise<{ version: number; digest: string }> {
  const { revision: base_revision } = await all.instance.service.overview(id);
  const operations = [{ op: 'add_step' as const, step: failing }];
  const { version, digest } = await all.instance.service.patch(
    id,
    { base_revision, operations },
    ana,
  );
  return { version, digest };
}

const rows: Record<string, Row> = {
  approve: {
    ...{ steps: [noop('a')], before: 'proposed', twice: null, action: 'approve' },
    holds: ({ plan }) => plan.approvals.length === 1 && plan.decided_by === ana.id,
  },
  reject: {
    ...{ steps: [noop('a')], before: 'proposed', text: '', twice: null, action: 'reject' },
    holds: ({ plan }) => plan.status === 'rejected',
  },
  propose_changes: {
    ...{ steps: [noop('a')], before: 'proposed', action: 'request_changes' },
    ...{ text: 'not like this', twice: 'stale_version' },
    holds: ({ plan }) => plan.version === 2 && plan.status === 'proposed',
  },
  'approve the change': {
    ...{ ...running, prepare: change, press: 'approve', twice: null, action: 'patch_applied' },
    holds: ({ plan }) => plan.version === 2 && plan.total_steps === 2,
  },
  'reject the change': {
    ...{ ...running, prepare: change, press: 'reject', text: '', twice: 'stale_version' },
    ...{ action: 'patch_rejected' },
    holds: ({ plan }) => plan.version === 1 && plan.pending_patch === null,
  },
  cancel: {
    ...{ ...running, twice: null, action: 'cancel' },
    holds: ({ plan }) => plan.status === 'cancelled',
  },
  pause: { ...{ ...running, twice: null, action: 'pause' }, holds: ({ plan }) => plan.paused },
  resume: {
    ...{ ...running, prepare: pause, twice: null, action: 'resume' },
    holds: ({ plan }) => !plan.paused && plan.status === 'executing',
  },
  mark_failed: {
    ...{ ...running, prepare: stall, twice: null, action: 'fail' },
    holds: ({ plan }) => plan.status === 'failed',
  },
  retry: {
    ...{ ...failed, action: 'retry', twice: 'already_decided' },
    holds: ({ plan, step }) => step?.attempt === 2 && plan.status === 'failed',
  },
  settle_done: {
    ...{ ...failed, action: 'settle_done', twice: 'already_decided' },
    holds: ({ plan, step }) => step?.status === 'succeeded' && plan.status === 'completed',
  },
  settle_skip: {
    ...{ ...failed, action: 'settle_skip', twice: 'already_decided' },
    holds: ({ plan, step }) => step?.status === 'skipped' && plan.status === 'completed',
  },
  human_done: {
    ...{ ...running, step: 'ask', text: '', action: 'settle_done', twice: 'already_decided' },
    holds: ({ plan, step }) => step?.status === 'succeeded' && plan.status === 'completed',
  },
  human_take_over: {
    ...{ steps: [task(addressOf('ben'))], before: 'executing', step: 'ask' },
    ...{ action: 'take_over', twice: null },
    holds: ({ step }) => JSON.stringify(step?.output).includes(`"taken_over_by":"${ana.id}"`),
  },
};

async function readFacts(id: string, step?: string): Promise<Facts> {
  const { service } = all.instance;
  const [found] = step === undefined ? [] : await service.getSteps(id, [step]);
  return { plan: await service.getPlan(id), step: found };
}

async function offer(surface: Surface, name: string, row: Row): Promise<CardPress> {
  const action = row.press ?? (name as CardPress['action']);
  const { instance } = all;
  const { conversation } = surface;
  const draft = { title: name, steps: row.steps };
  const plan = await instance.service.propose(draft, { user: ana.id, conversation }, ana);
  const { id } = plan;
  if (row.before !== 'proposed') {
    await instance.service.approve(id, { version: plan.version, digest: plan.digest }, ana);
    await reach(instance, id, row.before);
  }
  const waits = async () => (await instance.service.getPlan(id)).counts.waiting > 0;
  if (row.before === 'executing') await waitFor('the task', waits);
  const prepared = await row.prepare?.(plan);
  const shown = row.prepare === change ? (prepared as { version: number; digest: string }) : plan;
  const { plan: now, step } = await readFacts(id, row.step);
  const ended = action === 'retry' ? { ended_at: now.execution_ended_at ?? '' } : {};
  const expectedStatus = step?.status === 'failed' ? ('failed' as const) : ('waiting' as const);
  const about =
    step === undefined ? {} : { step_id: step.id, attempt: step.attempt, stood: expectedStatus };
  const { version, digest } = shown;
  return { action, plan_id: id, version, digest, ...ended, ...(action === 'retry' ? {} : about) };
}

const countAuditEntries = async (id: string, action: string) =>
  (await all.instance.service.audit(id, { limit: 100 })).filter((one) => one.action === action)
    .length;

const surfaces = ['slack', 'teams', 'console', 'terminal', 'http'] as const;

describe.each(surfaces)('in %s', (name) => {
  test.each(Object.entries(rows))(
    '%s is refused to others and about another version, and then done once',
    async (action, row) => {
      const surface = all[name];
      const button = await offer(surface, action, row);
      const { plan_id: id } = button;
      const before = await readFacts(id, row.step);
      expect(await surface.press(button, 'eve', row.text)).toBe('not_allowed');
      // Only input windows require the current version.
      const older = { ...button, version: button.version + 1 };
      if (row.text === undefined || name !== 'slack')
        expect(await surface.press(older, 'ana', row.text)).toBe('stale_version');
      expect(await readFacts(id, row.step)).toEqual(before);
      expect(await surface.press(button, 'ana', row.text)).toBe(null);
      await waitFor(`${action} to hold`, async () => row.holds(await readFacts(id, row.step)));
      if (row.text === undefined || name !== 'slack')
        expect(await surface.press(button, 'ana', row.text)).toBe(row.twice);
      expect(await countAuditEntries(id, row.action)).toBe(1);
    },
  );

  test('a planning gate is refused to others and by another digest, and then approved once', async () => {
    const { service } = all.instance;
    const surface = all[name];
    const { conversation } = surface;
    const { run_id } = await service.startRun({ text: 'Plan the launch', conversation }, ana);
    const gateAt = (turn: number) =>
      waitFor(`the gate of turn ${turn}`, async () => {
        const run = await service.getRun(run_id);
        return run.turn === turn && run.planning_status !== 'running'
          ? service.runCard(run_id, { user: ana.id, timezone: 'UTC' })
          : null;
      });
    const { digest } = await gateAt(1);
    if (digest === null) throw new Error('Nothing waits.');
    const button = { action: 'session_approve' as const, run_id, digest, turn: 1 };
    expect(await surface.press(button, 'eve')).toBe('not_allowed');
    expect(await surface.press({ ...button, digest: 'f'.repeat(64) }, 'ana')).toBe('stale_version');
    expect(await surface.press(button, 'ana')).toBe(null);
    expect((await gateAt(2)).pause).toMatchObject({ gate: 'roadmap' });
    expect(await surface.press(button, 'ana')).toBe('stale_version');
  });

  test('two presses at once decide once', async () => {
    const row = rows.approve as Row;
    const surface = all[name];
    const button = await offer(surface, 'approve', row);
    await Promise.all([surface.press(button, 'ana'), surface.press(button, 'ana')]);
    expect(await countAuditEntries(button.plan_id, 'approve')).toBe(1);
    const { approvals } = (await readFacts(button.plan_id)).plan;
    expect(approvals.map(({ by }) => by)).toEqual([ana.id]);
  });

  test('somebody who is blocked decides nothing', async () => {
    const button = await offer(all[name], 'approve', rows.approve as Row);
    const lists = all.instances.map(({ config }) => config.settings.identity.blocked);
    for (const blocked of lists) blocked.push(ana.id);
    try {
      expect(['forbidden', 'not_allowed', 'ignored']).toContain(
        await all[name].press(button, 'ana'),
      );
      expect(await readFacts(button.plan_id)).toMatchObject({ plan: { status: 'proposed' } });
    } finally {
      for (const blocked of lists) blocked.length = 0;
    }
  });
});
