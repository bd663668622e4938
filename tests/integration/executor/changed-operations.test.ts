// A tool changed since its plan was shown is not called.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readPlanRow } from '#db/plans/plans.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { digestPlan } from '#plans/content/digests.ts';
import { readHeader } from '#plans/content/preflight.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { compileCache, node, quickly, root } from '../../setup/process.ts';

const database = useDatabase();
const server = join(root, 'tests/fixtures/changing-server.ts');

let folder: string;
let gate: TestInstance;

async function open(work: boolean, env: Record<string, string> = {}): Promise<TestInstance> {
  const args = [...quickly, server, join(folder, 'state'), join(folder, 'log')];
  const own = { NODE_COMPILE_CACHE: compileCache, ...env };
  return openTestInstance(database.url, {
    work,
    settings: { mcpServers: { box: { command: node, args, env: own } } },
  });
}

const become = (state: object) => writeFile(join(folder, 'state'), JSON.stringify(state));
const called = () => readFile(join(folder, 'log'), 'utf8').catch(() => '');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-changing-'));
  await become({});
  gate = await open(false);
});
const look = async ({ registry }: TestInstance) =>
  expect(await registry.check('box')).toEqual({ ok: true });

beforeEach(async () => {
  await become({});
  await rm(join(folder, 'log'), { force: true });
  await look(gate);
});
afterAll(async () => {
  await gate.close();
  await rm(folder, { recursive: true });
});

const act: StepDraft = draftStep('act', 'Append', 'box_act', { line: 'x' });
const draft: PlanDraft = { title: 'Act', steps: [act] };

type Change = [name: string, state: object, part: string];
const descriptionChange: Change = [
  'description',
  { description: 'Delete everything.' },
  'its description',
];
const schemaChange: Change = [
  'schema',
  {
    inputSchema: {
      type: 'object',
      properties: { line: { type: 'string' }, all: { type: 'boolean', default: true } },
    },
  },
  'the schema of its arguments',
];
const annotationsChange: Change = [
  'annotations',
  { annotations: { readOnlyHint: true } },
  'what it says of its effect',
];
const changes = [descriptionChange, schemaChange, annotationsChange];

const reasonOf = (part: string) =>
  `box_act changed since this plan was shown: ${part}. Propose the plan again.`;

test.each(changes)(
  'a tool with another %s is found at approval, and nothing is approved',
  async (_, state, part) => {
    const { service } = gate;
    const plan = await service.propose(draft, { user: 'ana' }, ana);
    await become(state);
    await expect(
      service.approve(plan.id, { version: 1, digest: plan.digest }, ana),
    ).rejects.toMatchObject({
      code: 'preflight_failed',
      message: `Step 1: ${reasonOf(part)} Nothing has run.`,
    });
    expect((await service.getPlan(plan.id)).status).toBe('proposed');
  },
);

// All checks compare the same data: one per kind of change.

test('a tool with another schema is found at the start, and nothing is called', async () => {
  const [, state, part] = schemaChange;
  const plan = await runPlan(gate, draft);
  await become(state);
  const worker = await open(true);
  try {
    const failed = await reach(worker, plan.id, 'failed', 'completed');
    expect(failed).toMatchObject({
      status: 'failed',
      result_summary: `Step 1: ${reasonOf(part)} Nothing has run.`,
    });
    expect(await called()).toBe('');
    const { findings } = await worker.service.listFindings(plan.id, { limit: 10 });
    expect(findings).toMatchObject([
      { severity: 'ERROR', category: 'precondition', step_id: 'act', message: reasonOf(part) },
    ]);
  } finally {
    await worker.close();
  }
});

test('a server that gives itself another name is another server', async () => {
  const plan = await gate.service.propose(draft, { user: 'ana' }, ana);
  await become({ server: 'impostor' });
  const other = await open(false);
  try {
    await expect(
      other.service.approve(plan.id, { version: 1, digest: plan.digest }, ana),
    ).rejects.toThrow(
      'box_act changed since this plan was shown: the server or the code it comes from.',
    );
  } finally {
    await other.close();
  }
});

test('a change that waits is not approved with a tool that changed since it was shown', async () => {
  const { service } = gate;
  const noop = { description: 'Nothing', tool: 'control', operation: 'noop' };
  const plan = await runPlan(gate, { title: 'Nothing', steps: [{ ...noop, id: 'a' }] });
  const patch = await service.patch(
    plan.id,
    { base_revision: plan.revision, operations: [{ op: 'add_step', step: { ...act, id: 'act' } }] },
    ana,
  );
  expect(patch.status).toBe('needs_approval');
  await become({ description: 'Delete everything.' });
  await expect(
    service.approve(plan.id, { version: patch.version, digest: patch.digest }, ana),
  ).rejects.toMatchObject({
    code: 'preflight_failed',
    message:
      'box_act changed since this change was shown: its description. Propose the change again.',
  });
  await become({});
  await service.approve(plan.id, { version: patch.version, digest: patch.digest }, ana);
  const row = await readPlanRow(gate.db.query, plan.id);
  expect(Object.keys(row.operation_digests).sort()).toEqual(['box_act', 'control_noop']);
  await service.cancel(plan.id, { version: patch.version }, ana);
});

describe('with a worker', () => {
  let worker: TestInstance;
  beforeAll(async () => {
    worker = await open(true, { TOKEN: 'another secret' });
  });
  beforeEach(() => look(worker));
  afterAll(() => worker.close());

  test('processes with the same configuration agree, whatever secrets their environment holds', async () => {
    const plan = await runPlan(gate, draft);
    expect((await reach(worker, plan.id, 'failed', 'completed')).status).toBe('completed');
    expect(await called()).toBe('{"line":"x"}\n');
  });

  test.each([
    [descriptionChange, false],
    [annotationsChange, true],
  ] as const)(
    'a tool with another %s is found at the call (it is started anew: %s)',
    async ([, state, part], stop) => {
      const turn: StepDraft = draftStep('turn', 'Change', 'box_turn', {
        state: JSON.stringify(state),
        stop,
      });
      const wait: StepDraft = draftStep('wait', 'Wait', 'control_wait', { seconds: 1 }, 'turn');
      const steps = [turn, wait, { ...act, after: ['wait'] }];
      const plan = await runPlan(worker, { title: 'Change', steps });
      await reach(worker, plan.id, 'failed', 'completed');
      expect(await called()).toBe('');
      const [, , last] = (await worker.service.listSteps(plan.id, { limit: 9 })).steps;
      expect(last).toMatchObject({ status: 'failed', error: { code: 'digest_mismatch' } });
      expect(last?.error?.message).toContain(part);
      expect(await worker.service.audit(plan.id, { limit: 50 })).toContainEqual(
        expect.objectContaining({
          action: 'call_refused',
          data: expect.objectContaining({ step: 'act', operation: 'box_act' }),
        }),
      );
    },
  );

  test('a plan stored before operations had digests goes on as before', async () => {
    const plan = await gate.service.propose(draft, { user: 'ana' }, ana);
    const { query } = gate.db;
    await query.execute(
      sql`update countersign.plans set operation_digests = '{}' where id = ${plan.id}`,
    );
    await query.execute(
      sql`update countersign.plan_versions set operation_digests = '{}' where plan_id = ${plan.id}`,
    );
    const row = await readPlanRow(query, plan.id);
    const header = await readHeader(query, row);
    expect(header).not.toHaveProperty('operation_digests');
    const digest = await digestPlan(header, iterateSteps(query, plan.id));
    await query.execute(sql`update countersign.plans set digest = ${digest} where id = ${plan.id}`);
    await become({ description: 'Append a line to a log, politely.' });
    await gate.service.approve(plan.id, { version: 1, digest }, ana);
    expect((await reach(worker, plan.id, 'failed', 'completed')).status).toBe('completed');
  });
});
