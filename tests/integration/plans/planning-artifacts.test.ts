// Planning artifacts are stored by row and read back unchanged.
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import {
  linkOccurrences,
  readArtifacts,
  readNotes,
  storeArtifacts,
} from '#db/planning/artifacts.ts';
import type { PatternSpec } from '#domain/plan/pattern.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { OutlineNode, type PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule } from '#domain/planning/schedule.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });

const pattern: PatternSpec = {
  pattern_type: 'hybrid_project_cycle',
  subtype: 'proposed:launch_and_keep',
  variant: 'lean',
  confidence: 0.82,
  introduced_by: 'ai_adaptation',
  source_pattern: 'hybrid_project_cycle',
  rfc: 'Launches that are looked after.',
};

const node = (id: string, rest: Partial<OutlineNode> = {}): OutlineNode =>
  OutlineNode.parse({
    id,
    title: `Node ${id}`,
    structure: 'task',
    level: 2,
    parent: 'goal',
    ...rest,
  });

const outline: PlanOutline = {
  title: 'Launch',
  summary: 'It is launched and looked after.',
  pattern,
  risks: [{ text: 'It rains', sign: 'clouds' }],
  assumptions: ['Nobody is on holiday.'],
  nodes: [
    node('goal', { structure: 'goal', level: 1, parent: null, origin: 'user_feedback' }),
    node('build', {
      steps: [noop('1'), noop('2', '1')],
      after: [],
      duration_minutes: 90,
      deadline: '2026-06-01T12:00:00Z',
      target: { amount: 500, unit: 'pages' },
      rhythm: 'cumulative',
    }),
    node('watch', {
      steps: [noop('look')],
      rhythm: 'recurring',
      after: [{ id: 'build', type: 'FS', lag_minutes: 60 }],
      recurs: {
        rrule: 'FREQ=DAILY',
        starts_at: '2099-05-01T09:00:00Z',
        timezone: 'Europe/Berlin',
        until: null,
      },
    }),
  ],
};
const metrics = {
  makespan_minutes: 90,
  width: 1,
  unchecked_writes: 0,
  unguarded: 0,
  checkpoints: 0,
};
const roadmap: Roadmap = {
  pattern,
  context: { pattern, notes: ['Looked at twice.'] },
  waves: [['build'], ['watch']],
  edges: [{ from: 'build', to: 'watch', type: 'FS', lag_minutes: 60, why: 'stated' }],
  options_tried: [
    { name: 'careful', differs: 'One after the other.', metrics, score: 0.9 },
    { name: 'fast', differs: 'Side by side.', metrics: { ...metrics, width: 2 }, score: 0.4 },
  ],
  chosen: 'careful',
  reason: 'Nothing is hurried.',
};
const schedule: Schedule = {
  timezone: 'Europe/Berlin',
  profile: StrategyProfile.parse({ days_off: ['2026-05-01'] }),
  blocks: [
    {
      node: 'build',
      starts_at: '2026-05-04T07:00:00.000Z',
      ends_at: '2026-05-04T08:30:00.000Z',
      fixed: true,
      person: 'ana',
      holds: true,
    },
    {
      node: 'watch',
      starts_at: '2026-05-04T09:30:00.000Z',
      ends_at: '2026-05-04T09:31:00.000Z',
      fixed: false,
      person: null,
      holds: false,
    },
  ],
  starts_at: '2026-05-04T07:00:00.000Z',
  ends_at: '2026-05-04T09:31:00.000Z',
};

const noted = { at: '2026-05-03T10:00:00.000Z', text: 'Overlaps with “Dentist” on Monday.' };
const look = draftStep('look', 'Look', 'control_noop');

async function propose() {
  const plan = await instance.service.propose(
    {
      title: 'Launch',
      steps: [noop('1'), noop('2', '1')],
      context: { tool_outputs: {}, notes: '', artifacts: [], pattern },
      series: [
        {
          id: 'watch',
          title: 'Watch',
          rrule: 'FREQ=DAILY',
          starts_at: '2099-05-01T09:00:00Z',
          timezone: 'Europe/Berlin',
          until: null,
          steps: [look],
        },
      ],
    },
    {},
    ana,
  );
  await instance.db.transaction((tx) =>
    storeArtifacts(tx, plan.id, plan.version, { outline, roadmap, schedule, notes: [noted] }),
  );
  return plan;
}

describe('what a plan was made from', () => {
  test('is read as it was stored, and names the steps of each node, occurrences too', async () => {
    const plan = await propose();
    expect(await instance.service.planning(plan.id)).toEqual({
      version: 1,
      outline,
      roadmap,
      schedule,
      node_steps: { build: ['1', '2'], watch: ['look#2099-05-01'] },
      notes: [noted],
    });
  });

  test('keeps the pattern on the plan as well', async () => {
    const { id } = await propose();
    const plan = await instance.service.getPlan(id);
    expect(plan).toMatchObject({
      pattern_type: 'hybrid_project_cycle',
      pattern_subtype: 'proposed:launch_and_keep',
      pattern_variant: 'lean',
      context: { pattern },
    });
  });

  test('stands for the versions that patches made of it, and for no new proposal', async () => {
    const plan = await propose();
    await instance.service.patch(
      plan.id,
      { base_revision: plan.revision, operations: [{ op: 'add_step', step: noop('3') }] },
      ana,
    );
    expect(await instance.service.planning(plan.id)).toMatchObject({ version: 1, outline });
    const rewritten = async (columns: string) => {
      await instance.db.query.execute(
        sql`update countersign.plan_patches set ${sql.raw(columns)} where plan_id = ${plan.id}`,
      );
      return (await instance.service.planning(plan.id)).version;
    };
    // A rerun-only patch makes a version once approved.
    expect(await rewritten("added = 0, rerun = 1, decided_by = 'ana'")).toBe(1);
    expect(await rewritten('decided_by = null')).toBeNull();
    expect(await rewritten("added = 1, status = 'rejected'")).toBeNull();
  });

  test('gives new occurrences the node of those before, once', async () => {
    const plan = await propose();
    const step = { ...look, id: 'look-again' };
    await instance.service.patch(
      plan.id,
      { base_revision: plan.revision, operations: [{ op: 'add_step', step }] },
      ana,
    );
    // In place of an occurrence, which only the system adds.
    for (const table of [sql`countersign.plan_steps`, sql`countersign.step_states`]) {
      await instance.db.query.execute(
        sql`update ${table} set step_id = 'look#2099-05-02' where plan_id = ${plan.id} and step_id = ${step.id}`,
      );
    }
    for (let time = 0; time < 2; time++) {
      await linkOccurrences(instance.db.query, plan, ['look#2099-05-02', 'look#2099-05-03']);
    }
    expect((await instance.service.planning(plan.id)).node_steps.watch).toEqual([
      'look#2099-05-01',
      'look#2099-05-02',
    ]);
  });

  test('comes back with the version that a plan goes back to, without what was noted on the undone one', async () => {
    const direct = await instance.service.propose({ title: 'Plain', steps: [noop('1')] }, {}, ana);
    const late = { at: '2026-05-04T10:00:00.000Z', text: 'Overlaps with a talk.' };
    const backFrom = async ({ id, revision }: Plan) => {
      const operations = [{ op: 'add_step' as const, step: noop('3') }];
      await instance.service.patch(id, { base_revision: revision, operations }, ana);
      await instance.db.transaction((tx) =>
        storeArtifacts(tx, id, 2, { outline, roadmap, schedule, notes: [late] }),
      );
      expect(await readNotes(instance.db.query, id, 2)).toEqual([late]);
      const { version } = await instance.service.goBack(id, { version: 2, to: null }, ana);
      return readNotes(instance.db.query, id, version);
    };
    const planned = await propose();
    expect(await backFrom(planned)).toEqual([noted]);
    expect(await instance.service.planning(planned.id)).toEqual({
      version: 3,
      outline,
      roadmap,
      schedule,
      node_steps: { build: ['1', '2'], watch: ['look#2099-05-01'] },
      notes: [noted],
    });
    expect(await backFrom(direct)).toEqual([]);
  });

  test('goes with its plan', async () => {
    const plan = await propose();
    await instance.db.query.execute(sql`delete from countersign.plans where id = ${plan.id}`);
    expect(await readArtifacts(instance.db.query, plan.id, 1)).toMatchObject({ version: null });
    const { rows } = await instance.db.query.execute(
      sql`select 1 from countersign.outline_nodes where plan_id = ${plan.id}`,
    );
    expect(rows).toEqual([]);
  });

  test('is nothing for a plan that was proposed directly', async () => {
    const plan = await instance.service.propose({ title: 'Plain', steps: [noop('1')] }, {}, ana);
    expect(await instance.service.planning(plan.id)).toEqual({
      version: null,
      outline: null,
      roadmap: null,
      schedule: null,
      node_steps: {},
      notes: [],
    });
  });
});
