// Draft and narrow over real plans.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDraftPort } from '#conversation/draft-port.ts';
import { loadArtifacts } from '#db/plans/artifacts.ts';
import { Draftbook, ReportTrace } from '#domain/plan/draftbook.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { defineOperation } from '#tools/define-operation.ts';
import { countStatements } from '../../fixtures/counted-database.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { ana, noop, reach, runPlan } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

// Many outputs without as many files.
const say = defineOperation({
  tool: 'test',
  operation: 'say',
  description: 'Say a text.',
  effect: 'read',
  destructive: false,
  schema: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ summary: 'Said it.', data: { text } }),
});
const instance = useInstance({
  settings: { executor: { max_attempts: 1 } },
  extraOperations: [say],
});

const tool = (id: string, name: string, args: StepDraft['args'], more = {}): StepDraft => {
  const [tool = '', operation = ''] = name.split('_');
  return {
    id,
    description: `Do ${id}`,
    tool,
    operation,
    ...(args === undefined ? {} : { args }),
    ...more,
  };
};
const letter = (n: number, partition: string) =>
  tool(
    `l${n}`,
    'workspace_write',
    { path: `${partition}/${n}.md`, content: `Dear customer ${n}, you owe ${n}.50 EUR.` },
    { partition, tags: ['letter'] },
  );

async function outputOf(planId: string, id: string) {
  const [step] = await instance.service.getSteps(planId, [id]);
  if (step === undefined) throw new Error(`There is no step ${id}.`);
  return step.output as { draftbook: string; trace: string; [key: string]: unknown };
}

async function load(planId: string, id: string): Promise<unknown> {
  const found = await loadArtifacts(instance.db.query, planId, [id]);
  return JSON.parse(Buffer.from(found.get(id)?.content ?? Buffer.from('null')).toString());
}

async function waitsFor(planId: string, id: string): Promise<string[]> {
  const [step] = await instance.service.getSteps(planId, [id]);
  return step?.after.map((one) => one.id) ?? [];
}

describe('a step that reads a partition or a tag', () => {
  test('waits for its steps, but not for itself, other readers, or what waits for it', async () => {
    const { id } = await instance.service.propose(
      {
        title: 'Letters',
        steps: [
          tool('g', 'draft_gather', { partition: 'p1' }, { partition: 'p1' }),
          tool('by-tag', 'draft_gather', { tag: 'letter', steps: ['x'] }),
          letter(1, 'p1'),
          letter(2, 'p1'),
          letter(3, 'p2'),
          noop('x'),
          tool(
            'f',
            'draft_finalise',
            { draftbook: { $from: 'g' }, task: 'Sum up.' },
            { partition: 'p1' },
          ),
          tool(
            'w',
            'workspace_write',
            { path: 's.md', content: { $from: 'f', path: '/text' } },
            { partition: 'p1' },
          ),
        ],
      },
      {},
      ana,
    );
    expect(await waitsFor(id, 'g')).toEqual(['l1', 'l2']);
    expect(await waitsFor(id, 'by-tag')).toEqual(['l1', 'l2', 'l3', 'x']);
  });

  test('is refused where there is no such step', async () => {
    const steps = [noop('a'), tool('g', 'draft_gather', { partition: 'p9' })];
    expect(await refusalCode(instance.service.propose({ title: 'X', steps }, {}, ana))).toBe(
      'unknown_step',
    );
    const unknown = [noop('a'), tool('g', 'draft_gather', { steps: ['b'] })];
    expect(
      await refusalCode(instance.service.propose({ title: 'X', steps: unknown }, {}, ana)),
    ).toBe('unknown_step');
    const nothing = [noop('a'), tool('g', 'draft_gather', {})];
    expect(
      await refusalCode(instance.service.propose({ title: 'X', steps: nothing }, {}, ana)),
    ).toBe('invalid_arguments');
  });

  test('waits for them where a change of the plan adds it', async () => {
    const plan = await instance.service.propose(
      { title: 'Letters', steps: [letter(1, 'p1'), letter(2, 'p1'), letter(3, 'p2')] },
      {},
      ana,
    );
    const add = (step: StepDraft & { id: string }) => ({ op: 'add_step' as const, step });
    const operations = [
      add({ ...letter(4, 'p1'), id: 'l4' }),
      add({ ...tool('g', 'draft_gather', { partition: 'p1' }), id: 'g' }),
    ];
    await instance.service.patch(plan.id, { base_revision: plan.revision, operations }, ana);
    expect(await waitsFor(plan.id, 'g')).toEqual(['l1', 'l2', 'l4']);
    const { revision } = await instance.service.getPlan(plan.id);
    const update = {
      op: 'update_steps' as const,
      steps: { ids: ['g'] },
      set: { args: { partition: 'p2' } },
    };
    await expect(
      instance.service.patch(plan.id, { base_revision: revision, operations: [update] }, ana),
    ).rejects.toThrow('replace_step');
  });
});

test('800 outputs of 8 partitions become one report within its budget, and each entry leads back to its steps', async () => {
  const partitions = Array.from({ length: 8 }, (_, index) => `p${index + 1}`);
  const letters = Array.from({ length: 800 }, (_, index) =>
    tool(
      `l${index + 1}`,
      'test_say',
      {
        text: `Dear customer ${index + 1}, you owe ${index % 89}.50 EUR. ${'Pay. '.repeat(index % 9)}`,
      },
      { partition: `p${(index % 8) + 1}` },
    ),
  );
  const plan = await runPlan(instance, [
    ...letters,
    ...partitions.map((partition) =>
      tool(`g-${partition}`, 'draft_gather', { partition, budget_tokens: 500 }),
    ),
    tool('n', 'draft_narrow', {
      from: partitions.map((partition) => ({ $from: `g-${partition}` })),
      budget_tokens: 2000,
    }),
    tool('f', 'draft_finalise', { draftbook: { $from: 'n' }, task: 'Sum up.' }),
  ]);
  await reach(instance, plan.id, 'completed');
  const top = await outputOf(plan.id, 'n');
  expect(top).toMatchObject({ sources: 800, missing: 0 });
  expect(top.tokens).toBeLessThanOrEqual(2000);
  const first = Draftbook.parse(await load(plan.id, (await outputOf(plan.id, 'g-p7')).draftbook));
  expect(first.entries.length).toBeGreaterThan(5);
  expect(first.tokens).toBeLessThanOrEqual(500);
  const own = letters.filter(({ partition }) => partition === 'p7').map(({ id }) => id);
  expect(first.entries.flatMap(({ steps = [] }) => steps)).toEqual(own);
  const trace = ReportTrace.parse(await load(plan.id, (await outputOf(plan.id, 'f')).trace));
  const named = new Set(trace.entries.flatMap(({ steps }) => steps));
  expect(named.size).toBe(800);
});

test('outputs are read page by page', async () => {
  const letters = Array.from({ length: 250 }, (_, index) => noop(`l${index + 1}`));
  const plan = await runPlan(instance, [
    ...letters.map((step) => ({ ...step, partition: 'p1' })),
    tool('g', 'draft_gather', { partition: 'p1' }),
  ]);
  await reach(instance, plan.id, 'completed');
  const { db, statements, forget } = countStatements(instance.db);
  const port = createDraftPort(db);
  const of = { planId: plan.id, stepId: 'g', steps: { partition: 'p1' } };
  expect(await port.count(of)).toEqual({ sources: 250, missing: 0 });
  const reading = port.read(of)[Symbol.asyncIterator]();
  await reading.next();
  forget();
  for (let n = 1; n < 100; n++) await reading.next();
  expect(statements()).toBe(0);
  const ids: string[] = [];
  for (let next = await reading.next(); next.done !== true; next = await reading.next())
    ids.push(next.value.id);
  expect(ids).toEqual(letters.slice(100).map(({ id }) => id));
  expect(statements()).toBe(2);
});

describe('a change of an approved plan that feeds what it writes', () => {
  const secret = 'Ben earns 9,100 EUR';
  const steps = (): StepDraft[] => [
    tool('hold', 'human_task', { question: 'Go on?', assignee: 'ana' }),
    tool(
      'letter',
      'test_say',
      { text: 'Dear customer' },
      { partition: 'letters', tags: ['mail'], after: ['hold'] },
    ),
    tool('payroll', 'test_say', { text: secret }, { after: ['hold'] }),
    tool('book', 'draft_gather', { partition: 'letters' }, { after: ['letter', 'payroll'] }),
    tool('other', 'draft_gather', { tag: 'mail' }, { after: ['letter', 'payroll'] }),
    tool('report', 'workspace_write', {
      path: 'out.md',
      content: { $from: 'book', path: '/draftbook' },
    }),
    tool('idle', 'control_noop', {}, { after: ['hold'] }),
  ];
  const cases: [string, PatchOperation[]][] = [
    [
      'moves a step into a partition that is gathered',
      [{ op: 'update_steps', steps: { ids: ['payroll'] }, set: { partition: 'letters' } }],
    ],
    [
      'takes a step out of it',
      [{ op: 'update_steps', steps: { partition: 'letters' }, set: { partition: 'p' } }],
    ],
    [
      'gives a step a tag that is gathered',
      [{ op: 'update_steps', steps: { ids: ['payroll'] }, set: { tags: ['mail'] } }],
    ],
    [
      'lets a gatherer wait for one step more',
      [{ op: 'add_dependency', step: 'book', after: { id: 'idle', type: 'FS', lag_minutes: 0 } }],
    ],
    [
      'does so by a note',
      [
        {
          op: 'update_steps',
          steps: { ids: ['book'] },
          set: { notes: { prereq_titles: ['Do idle'] } },
        },
      ],
    ],
    [
      'does so under a priority that is no reason to ask',
      [
        { op: 'update_steps', steps: { ids: ['idle'] }, set: { priority: 9 } },
        { op: 'update_steps', steps: { ids: ['payroll'] }, set: { tags: ['x', 'mail'] } },
      ],
    ],
  ];
  let id: string;
  beforeAll(async () => {
    const plan = await runPlan(instance, { title: 'Letters', steps: steps() });
    id = plan.id;
  });
  afterEach(async () => {
    const { pending_patch } = await instance.service.getPlan(id);
    if (pending_patch !== null)
      await instance.service.reject(id, { version: pending_patch.version }, ana);
  });
  test.each(cases)('waits for a person where it %s', async (_name, operations) => {
    const { revision, version } = await instance.service.getPlan(id);
    const outcome = await instance.service.patch(id, { base_revision: revision, operations }, ana);
    expect(outcome).toMatchObject({ status: 'needs_approval', version: version + 1 });
  });
  test('is applied where the group is read by nobody', async () => {
    const { revision } = await instance.service.getPlan(id);
    const set = { partition: 'notes', tags: ['a'], priority: 4 };
    const operations: PatchOperation[] = [{ op: 'update_steps', steps: { ids: ['payroll'] }, set }];
    const outcome = await instance.service.patch(id, { base_revision: revision, operations }, ana);
    expect(outcome).toMatchObject({ status: 'applied', widening: [] });
  });
});
