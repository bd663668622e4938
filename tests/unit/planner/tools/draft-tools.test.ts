import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#domain/clock.ts';
import { InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import { PatternType } from '#domain/plan/pattern.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { draftPlan } from '#planner/draft/draft-plan.ts';
import { emptyOutline } from '#planner/draft/edit-draft.ts';
import { writeSystemPrompt } from '#planner/model/prompts/system-prompt.ts';
import { outlineOfDraft } from '#planner/outline/outline-of-draft.ts';
import type { Capacity } from '#planner/ports.ts';
import { Session } from '#planner/stages/session.ts';
import { createStageTools } from '#planner/stages/stage-tools.ts';
import { planGuide } from '#planner/tools/existing-plans.ts';
import { createToolset } from '#planner/tools/registry.ts';
import { chanceFrom } from '../../../fixtures/random.ts';
import { builtins, tableOperations, toolsOf } from '../manifest.ts';
import { makeDesk, makeState } from './tool-context.ts';

const { signal } = new AbortController();

function open(
  state: Partial<PlanningState> = {},
  files?: Record<string, string>,
  {
    modes = {},
    manifest = builtins,
    capacity,
    estimateStep,
  }: {
    modes?: Partial<PlanningModes>;
    manifest?: OperationSpec[];
    capacity?: Capacity;
    estimateStep?: () => Promise<number>;
  } = {},
) {
  const session = new Session(makeState(state));
  const tools = {
    ...toolsOf(manifest, files),
    ...(capacity === undefined ? {} : { capacity }),
    ...(estimateStep === undefined ? {} : { estimateStep }),
  };
  const { state: _, signal: __, ...desk } = makeDesk({ request: 'Tidy up' });
  const toolContext = { ...desk, modes: { ...desk.modes, ...modes } };
  const stageTools = createStageTools({
    stage: 'COLLECT_CONTEXT',
    session,
    tools: createToolset({
      tools,
      otherPlans: async () => ({ blocks: [], more: false }),
      preferences: {
        isKnown: async () => true,
        isBusy: async () => true,
        claim: async () => false,
      },
      guarded: [],
    })(),
    toolContext: { ...toolContext, tools },
    clock: systemClock,
    remember: async (_tool, _args, make) => ({ outcome: await make(), remembered: false }),
    report: () => undefined,
  });
  /** Each call is a reply of its own. */
  const call = async (name: string, args: JsonObject) => {
    stageTools.offered();
    const { result, ends } = await stageTools.call(name, args, signal);
    return { ok: result.ok, says: result.explanations.join('\n'), data: result.data, ends };
  };
  const drafted = () => {
    const { outline } = session.state;
    if (outline === null) return [];
    const { steps, series = [] } = draftPlan(outline, null, null);
    return [...steps, ...series.flatMap((one) => one.steps)];
  };
  const fieldsOf = (name: string) => {
    const tool = stageTools.offered().find((one) => one.name === name);
    return JSON.stringify(tool?.parameters);
  };
  const offered = () => stageTools.offered().map(({ name }) => name);
  return { session, call, drafted, offered, fieldsOf, stageTools };
}

const write = (id: string, more: Record<string, Json> = {}): JsonObject => ({
  id,
  description: `Write ${id}.txt`,
  operation: 'workspace_write',
  args: { path: `${id}.txt`, content: id },
  ...more,
});

const openSpec: OperationSpec = {
  ...{ tool: 'crm', operation: 'update', name: 'crm_update', description: '' },
  ...{
    input: { type: 'object', properties: { a: {}, b: {}, c: {} } },
    effect: 'write',
    destructive: false,
    source: 'mcp',
  },
};

/** @param path such as `c/x` */
function placeLeaf(args: JsonObject, [path, value]: [string, Json]): JsonObject {
  const [name = '', ...below] = path.split('/');
  const inner = args[name];
  const whole =
    below.length === 0 ? value : placeLeaf(isObject(inner) ? inner : {}, [below.join('/'), value]);
  return { ...args, [name]: whole };
}

function leavesOf(args: JsonObject, above = ''): Map<string, Json> {
  return new Map(
    Object.entries(args)
      .flatMap(([name, value]) =>
        isObject(value) && !('$decide' in value)
          ? [...leavesOf(value, `${above}${name}/`)]
          : [[`${above}${name}`, value] as const],
      )
      .sort(),
  );
}

const brief = (steps: StepDraft[]) =>
  steps.map(({ id, args = {}, after = [] }) => `${id} ${args.path} <- ${JSON.stringify(after)}`);

describe('add_steps', () => {
  it('reads values in texts, which wait for their step when they are proposed', async () => {
    const { call, drafted } = open();
    await call('add_steps', {
      steps: [
        { id: '1', description: 'Read it', operation: 'workspace_read', args: { path: 'a.txt' } },
        write('2', { args: { path: 'b.txt', content: 'Status: {{1/text}}' } }),
      ],
    });
    expect(drafted()[1]?.args?.content).toEqual({
      $template: ['Status: ', { $from: '1', path: '/text' }],
    });
  });

  it('keeps what is sound, says all that is wrong, and is not submitted unseen', async () => {
    const { call, drafted } = open();
    const added = await call('add_steps', {
      steps: [
        write('1'),
        write('2', { args: { path: '2.txt' } }),
        write('3', { operation: 'mail_send' }),
        write('4', { after: ['1'] }),
      ],
    });
    expect(added.ok).toBe(false);
    expect(added.says).toContain('Added 2 of 4 steps');
    expect(added.says).toContain('Step 2: ');
    expect(added.says).toContain('Step 3: there is no operation mail_send');
    expect(brief(drafted())).toEqual(['1 1.txt <- []', '4 4.txt <- ["1"]']);
    expect((await call('submit_plan', { confidence: 1 })).says).toContain('The last edit failed');
    expect(await call('submit_plan', { confidence: 1 })).toMatchObject({
      ok: true,
      ends: 'sufficient_context',
    });
  });

  it('gives steps without an id a number, and refuses one that is taken', async () => {
    const { call, drafted } = open();
    const { id: _, ...nameless } = write('1');
    await call('add_steps', { steps: [write('1'), nameless] });
    expect(drafted().map(({ id }) => id)).toEqual(['1', '2']);
    expect((await call('add_steps', { steps: [write('2')] })).says).toContain('step 2 already');
  });

  it('takes the same steps again with those that it refused', async () => {
    const { call, drafted } = open();
    const wrong = write('2', { args: { path: '2.txt' } });
    const first = await call('add_steps', { steps: [write('1'), wrong] });
    expect(first.says).toContain('Added 1 of 2 steps');
    expect(await call('add_steps', { steps: [write('1'), write('2')] })).toMatchObject({
      ok: true,
    });
    expect(await call('add_steps', { steps: [write('1')] })).toMatchObject({ ok: true });
    expect(drafted().map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('reads times in the person’s zone, conditions, and a place before another step', async () => {
    const { call, drafted } = open({ timezone: 'Europe/Berlin' });
    await call('add_steps', { steps: [write('1'), write('2')] });
    const when = [{ step: '1', path: '/created', is: 'equals', value: true }];
    await call('add_steps', {
      before: '2',
      steps: [write('x', { when, not_before: '2026-07-01T09:00', ask_before: true })],
    });
    expect(drafted().map(({ id }) => id)).toEqual(['1', 'x', '2']);
    expect(drafted()[1]).toMatchObject({
      when,
      ask_before: true,
      not_before: '2026-07-01T07:00:00.000Z',
    });
  });
});

describe('what many steps and shared means need', () => {
  const named = ['partition', 'tags', 'priority', 'resources', 'capabilities', 'prereq_titles'];
  const tells = (text: string) => named.filter((name) => text.includes(`${name}"`));

  it('is offered where there are pools, capabilities or extensive modes, and nowhere else', () => {
    expect(tells(open().fieldsOf('add_steps'))).toEqual([]);
    const capacities: Capacity[] = [
      { pools: { gpu: 2 }, capabilities: [] },
      { pools: {}, capabilities: ['eu'] },
    ];
    for (const capacity of capacities)
      expect(tells(open({}, {}, { capacity }).fieldsOf('add_steps'))).toEqual(named);
    const wide = open({}, {}, { modes: { planning_mode: 'extensive' } });
    expect(wide.fieldsOf('add_steps')).toContain('prereq_titles');
    expect(wide.fieldsOf('for_each')).toContain('partition_by');
    const part = open({ run_id: 'run-1/1/a' });
    expect(part.fieldsOf('add_steps')).toContain('prereq_titles');
  });

  it('stays with the step, and a pool that is not there is told', async () => {
    const { call, drafted } = open({}, {}, { capacity: { pools: { gpu: 2 }, capabilities: [] } });
    const notes = { prereq_tags: ['a'] };
    const fields = { partition: 'p', tags: ['a'], priority: 3, resources: { gpu: 1 }, notes };
    const added = await call('add_steps', {
      steps: [
        write('1', { ...fields, capabilities: ['eu'] }),
        write('2', { resources: { gpu: 3 } }),
        write('3', { resources: { cpu: 1 } }),
      ],
    });
    expect(added.says).toContain('Step 2: It needs 3 of gpu, and there are 2.');
    expect(added.says).toContain('Step 3: There is no resource pool cpu. There are gpu.');
    expect(drafted()).toMatchObject([{ id: '1', ...fields, capabilities: ['eu'] }]);
  });

  it('names the steps of a phase or group that a note calls by its title', async () => {
    const { call, drafted } = open({}, { 'data/a': '1', 'data/b': '1' });
    await call('for_each', each('data'));
    await call('add_steps', {
      steps: [
        write('x', { phase: 'Prepare all' }),
        write('y', { notes: { prereq_titles: ['prepare ALL', 'Write x.txt'], of: 'ana' } }),
        write('z', { notes: { prereq_titles: ['Delete each (2 found)'] } }),
      ],
    });
    const notes = new Map(drafted().map((step) => [step.id, step.notes]));
    expect(notes.get('y')).toEqual({
      prereq_titles: ['Write x.txt'],
      prereq_step_ids: ['x'],
      of: 'ana',
    });
    expect(notes.get('z')).toEqual({ prereq_step_ids: ['g-1', 'g-2'] });
  });

  it('is set for a group, a phase or a partition at once', async () => {
    const { call, drafted } = open({}, { 'data/a': '1', 'data/b': '1' });
    await call('for_each', each('data'));
    await call('add_steps', {
      steps: [write('x', { phase: 'Later' }), write('y', { partition: 'own' })],
    });
    const edited = await call('edit_steps', {
      steps: [
        { id: 'g', priority: 5, tags: ['hot'] },
        { id: 'Later', resources: { gpu: 1 } },
        { id: 'own', capabilities: ['eu'] },
      ],
    });
    expect(edited).toMatchObject({ ok: true, says: expect.stringContaining('Changed 4 steps.') });
    expect(drafted()).toMatchObject([
      { id: 'g-1', priority: 5, tags: ['hot'] },
      { id: 'g-2', priority: 5, tags: ['hot'] },
      { id: 'x', resources: { gpu: 1 } },
      { id: 'y', capabilities: ['eu'] },
    ]);
    const refused = await call('edit_steps', { steps: [{ id: 'g', description: 'All' }] });
    expect(refused.says).toContain('“g” is 2 steps, and description can be set for one step only.');
  });
});

const plain = { pattern_type: 'milestone_project', introduced_by: 'system' } as const;

const each = (path: string, more: JsonObject = {}): JsonObject => ({
  id: 'g',
  title: 'Delete each',
  operation: 'workspace_list',
  args: { path },
  list: '/entries',
  step: {
    description: 'Delete {{item/path}}',
    operation: 'workspace_delete',
    args: { path: '{{item/path}}' },
  },
  ...more,
});

describe('for_each in partitions', () => {
  const files = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`data/${at}.txt`, '1']));

  it('makes slices of the size of the level, and none of what is smaller', async () => {
    const fine = open({}, files, { modes: { reasoning_level: 10 } });
    expect((await fine.call('for_each', each('data'))).says).toContain(
      'in 3 partitions, g-01 to g-03',
    );
    const sizes = Map.groupBy(fine.drafted(), ({ partition }) => partition);
    expect([...sizes].map(([name, steps]) => [name, steps.length])).toEqual([
      ['g-01', 10],
      ['g-02', 10],
      ['g-03', 5],
    ]);
    const plain = open({}, files);
    await plain.call('for_each', each('data'));
    expect(plain.drafted().every(({ partition }) => partition === undefined)).toBe(true);
    const extensive = open({}, files, { modes: { planning_mode: 'extensive' } });
    await extensive.call('for_each', each('data'));
    expect(extensive.drafted().every(({ partition }) => partition === 'g-01')).toBe(true);
  });

  it('takes the value that items share, and tells two items for one place', async () => {
    const { call, drafted } = open({}, { 'data/a': '1', 'data/b/c': '1', 'data/d': '1' });
    await call('for_each', each('data', { partition_by: '/kind' }));
    expect(drafted().map(({ partition }) => partition)).toEqual(['g-file', 'g-folder', 'g-file']);
    const one = each('data', {
      step: {
        description: 'Write',
        operation: 'workspace_write',
        args: { path: 'all.txt', content: '{{item/path}}' },
      },
    });
    expect((await call('for_each', one)).says).toContain('Items 1 and 2 are both for all.txt.');
  });

  it('adds one summary of all of them, and says so where nothing can summarise', async () => {
    const manifest = [...builtins, ...tableOperations];
    const { call, drafted } = open({}, files, { manifest, modes: { reasoning_level: 10 } });
    const summaryRequest = { then_summarise: 'What there was', summary_path: 'summary.md' };
    await call('for_each', each('data', summaryRequest));
    await call('for_each', each('data', summaryRequest));
    expect(drafted().slice(25)).toMatchObject([
      { id: 'g-gather-1', operation: 'gather', args: { partition: 'g-01' } },
      { id: 'g-gather-2', args: { partition: 'g-02' } },
      { id: 'g-gather-3', args: { partition: 'g-03' } },
      { id: 'g-narrow', args: { from: [{ $from: 'g-gather-1' }, {}, {}] } },
      { id: 'g-summary', args: { draftbook: { $from: 'g-narrow' }, task: 'What there was' } },
      { id: 'g-summary-file', args: { path: 'summary.md', content: { $from: 'g-summary' } } },
    ]);
    const plain = open({}, files);
    expect((await plain.call('for_each', each('data', summaryRequest))).says).toContain(
      'There is no operation draft_gather, draft_narrow, draft_finalise for then_summarise.',
    );
  });
});

test('a plan whose model steps are likely to cost more than its own limit gets one warning', async () => {
  const { call } = open(
    { cost_usd: 0.02, earlier_usd: 0.1 },
    {},
    { estimateStep: async () => 0.05 },
  );
  const decided = write('1', { args: { path: 'a.txt', content: { $decide: 'a line' } } });
  await call('add_steps', { steps: [decided, { ...decided, id: '2', description: 'Another' }] });
  const submit = (budget_usd: number) =>
    call('submit_plan', { preferences: { budget_usd }, confidence: 1, summary: 'x' });
  expect((await submit(0.2)).says).toContain(
    'Planning has cost $0.12, and 2 steps that ask a model may cost $0.10: more than the limit of $0.20.',
  );
  expect(await submit(0.3)).not.toMatchObject({ says: expect.stringContaining('Planning has') });
});

describe('a group that is there', () => {
  const files = { 'data/a': '1', 'data/b': '1', 'data/c': '1' };
  const where = [{ path: '/path', is: 'equals', value: 'data/a' }];

  it('is changed by its ID and what differs, its summary with it', async () => {
    const manifest = [...builtins, ...tableOperations];
    const { call, drafted, session } = open({}, files, { manifest });
    await call('for_each', each('data', { where, then_summarise: 'What there was' }));
    const ids = () => drafted().map(({ id }) => id);
    expect(ids()).toEqual(['g-1', 'g-gather', 'g-summary']);
    const all = await call('for_each', { id: 'g', where: null });
    expect(all.says).toContain(
      'Kept of the group: title, operation, args, list, step and then_summarise.',
    );
    expect(ids()).toEqual(['g-1', 'g-2', 'g-3', 'g-gather', 'g-summary']);
    await call('for_each', { id: 'g', step: { description: 'Away' }, then_summarise: null });
    expect(drafted()).toMatchObject([
      { description: 'Away', args: { path: 'data/a' } },
      { description: 'Away', args: { path: 'data/b' } },
      { description: 'Away', args: { path: 'data/c' } },
    ]);
    const { outline } = session.state;
    const again = outlineOfDraft(draftPlan(outline ?? emptyOutline('', plain), null, null), null);
    expect(again.nodes.find(({ id }) => id === 'g')).toMatchObject({
      title: 'Delete each (3 found)',
      each: { list: '/entries', step: { description: 'Away' } },
      steps: [{ id: 'g-1' }, { id: 'g-2' }, { id: 'g-3' }],
    });
  });

  it('of another operation takes none of the old arguments, and a new one lacks what it needs', async () => {
    const { call, drafted } = open({}, files);
    expect((await call('for_each', { id: 'g', title: 'G' })).says).toContain('needs "operation"');
    await call('for_each', each('data'));
    const step = {
      operation: 'workspace_write',
      args: { path: 'new/{{item/path}}', content: 'x' },
    };
    await call('for_each', { id: 'g', step });
    expect(drafted()[0]?.args).toEqual({ path: 'new/data/a', content: 'x' });
  });
});

test('groups are chosen by their sums, which keep the format, and have what their items share', async () => {
  const table = [
    'number,customer,email,amount',
    'INV-7,Acme,a@acme.example,"1,000.00 EUR"',
    'INV-8,Initech,i@initech.example,90.50 EUR',
    'INV-9,Acme,a@acme.example,"2,200.50 EUR"',
    'INV-10,Globex,g@globex.example,"1,200.00 EUR"',
  ].join('\n');
  const { call, drafted } = open({}, { 'due.csv': table });
  const added = await call('for_each', {
    id: 'mail',
    title: 'Remind each',
    operation: 'workspace_read',
    args: { path: 'due.csv' },
    list: '/text',
    group_by: '/customer',
    having: [{ path: '/sum/amount', is: 'greater', value: 1000 }],
    step: {
      description: 'Remind {{item/key}}',
      operation: 'workspace_write',
      args: { path: '{{item/email}}.txt', content: '{{item/items/*/number}}: {{item/sum/amount}}' },
    },
  });
  expect(added.ok).toBe(true);
  expect(JSON.stringify(added.data)).not.toContain('number: sum');
  expect(drafted().map(({ args }) => args)).toEqual([
    { path: 'a@acme.example.txt', content: 'INV-7, INV-9: 3,200.50 EUR' },
    { path: 'g@globex.example.txt', content: 'INV-10: 1,200.00 EUR' },
  ]);
});

describe('for_each over text', () => {
  const csv = 'customer;amount\nAcme;10,50 EUR\nInitech;5,00 EUR\nAcme;4,50 EUR\n';
  const mails = {
    id: 'm',
    title: 'A mail for each customer',
    operation: 'workspace_read',
    args: { path: 'export' },
    list: '/text',
    group_by: '/customer',
    step: {
      description: 'Write to {{item/key}}',
      operation: 'workspace_write',
      args: { path: '{{item/key}}.md', content: '{{item/count}}: {{item/sum/amount}}' },
    },
  };

  it('tells a table by its content, and groups and sums its rows by code', async () => {
    const { call, drafted } = open({}, { export: csv });
    const made = await call('for_each', mails);
    expect(made.says).toContain('3 items');
    expect(drafted().map(({ args }) => args)).toEqual([
      { path: 'Acme.md', content: '2: 15,00 EUR' },
      { path: 'Initech.md', content: '1: 5,00 EUR' },
    ]);
  });

  it('without a step counts and sums, and leaves the draft as it is', async () => {
    const { call, drafted } = open({}, { export: csv });
    const { step: _, group_by, list: __, ...counted } = mails;
    const where = [{ path: '/customer', is: 'equals', value: 'Acme' }];
    expect((await call('for_each', { ...counted, where })).data).toMatchObject({
      found: 3,
      totals: expect.arrayContaining(['2 items', 'amount: sum 15,00 EUR of 2 numbers']),
    });
    expect((await call('for_each', { ...counted, group_by })).data).toMatchObject({
      groups: [{ key: 'Acme', count: 2, sum: { amount: '15,00 EUR' } }, { key: 'Initech' }],
      of: 2,
    });
    const rows = 'id,order_no,day,customer,fee\n7,70,Mon,A,2\n8,71,Mon,A,3\n9,72,Tue,B,4\n';
    const numbered = open({}, { export: rows });
    const counts = ['3 items', 'day: Mon (2), Tue (1)', 'customer: A (2), B (1)'];
    expect((await numbered.call('for_each', { ...counted, group_by })).data).toMatchObject({
      totals: [...counts, 'fee: sum 9 of 3 numbers', 'fee by customer: A 5 (2), B 4 (1)'],
    });
    const many = Array.from({ length: 60 }, (_, n) => `${n},C${n % 30},${n}`).join('\n');
    const long = open({}, { export: `nr,customer,fee\n${many}` });
    const { data } = await long.call('for_each', counted);
    expect(data).toMatchObject({ totals: ['60 items', 'fee: sum 1770 of 60 numbers'] });
    const nowhere = [{ path: '/client', is: 'equals', value: 'Acme' }];
    expect((await call('for_each', { ...counted, where: nowhere })).data).toMatchObject({
      totals: ['0 items'],
      lacking: { '/client': 3 },
    });
    expect(drafted()).toEqual([]);
  });

  it('refuses a placeholder that names no value', async () => {
    const { call, drafted } = open({}, { export: csv });
    const path = '{{customer}}.md';
    const step = { ...mails.step, args: { ...mails.step.args, path } };
    expect((await call('for_each', { ...mails, step })).says).toContain('{{customer}} names no');
    const one = { id: '1', ...step, description: 'Write' };
    expect((await call('add_steps', { steps: [one] })).says).toContain('{"$decide"');
    const kept = { ...one, args: { path: 'a.md', content: 'Dear \\{{name}}' } };
    await call('add_steps', { steps: [kept] });
    expect(drafted().map(({ args }) => args?.content)).toEqual(['Dear {{name}}']);
  });

  it('is read as it is told, and says where lists are', async () => {
    const { call, drafted } = open({}, { export: csv });
    const { group_by: _, list: __, ...each } = mails;
    const args = { path: '{{item}}.md', content: 'x' };
    const lines = await call('for_each', {
      ...each,
      as: 'lines',
      step: { description: 'Write', operation: 'workspace_write', args },
    });
    expect(lines.says).toContain('Found 4 items');
    expect(drafted()).toHaveLength(4);
    const lost = await call('for_each', { ...each, list: '/rows' });
    expect(lost.says).toContain('There is no list at /rows');
  });
});

describe('search_operations', () => {
  it('answers with at most five that fit, keeps them, and repeats nothing that is listed', async () => {
    const fillers = Array.from({ length: 300 }, (_, nth) => ({
      ...openSpec,
      ...{ operation: `file_${nth}`, name: `crm_file_${nth}`, description: `Copy file ${nth}` },
    }));
    const refund = { ...openSpec, operation: 'refund', name: 'crm_refund' };
    const manifest = [...builtins, ...fillers, { ...refund, description: 'Refund an invoice' }];
    const { call, session } = open({}, undefined, { manifest });
    const found = await call('search_operations', { query: 'Rechnung erstatten, refund invoice' });
    expect(found.data).toEqual([expect.stringContaining('crm_refund(')]);
    expect(session.state.found).toEqual(['crm_refund']);
    const listed = await call('search_operations', { query: 'copy a file of the workspace' });
    expect(listed.data).toEqual(['Already listed: workspace_copy']);
    const alike = await call('search_operations', { query: 'crm file' });
    expect(alike.data).toHaveProperty('length', 5);
  });
});

describe('submit_plan', () => {
  it('keeps a limit on cost in the plan, also where nothing else of a draft changes', async () => {
    const { session, call } = open();
    const limitOf = () => {
      const { outline } = session.state;
      const context = outline === null ? undefined : draftPlan(outline, null, null).context;
      return typeof context === 'object' ? context.budget_usd : undefined;
    };
    await call('add_steps', { steps: [write('1')] });
    expect((await call('submit_plan', { confidence: 1 })).ok).toBe(true);
    expect(limitOf()).toBeUndefined();
    const preferences = (budget_usd: number) => ({ preferences: { budget_usd }, confidence: 1 });
    expect((await call('submit_plan', preferences(-1))).ok).toBe(false);
    expect((await call('submit_plan', preferences(0.2))).ok).toBe(true);
    expect(limitOf()).toBe(0.2);
    const change = { feedback: 'Spend 10 cents at most', gate: null };
    const later = open({ ...session.state, change });
    expect((await later.call('submit_plan', { confidence: 1 })).ok).toBe(false);
    expect((await later.call('submit_plan', preferences(0.1))).ok).toBe(true);
  });

  it('points out once that two steps make the same call', async () => {
    const { call } = open();
    await call('add_steps', {
      steps: [write('1'), write('2', { args: { path: '1.txt', content: '1' } })],
    });
    const doubted = await call('submit_plan', { confidence: 1 });
    expect(doubted).toMatchObject({
      ok: false,
      says: expect.stringContaining('Steps 1 and 2 make the same call'),
    });
    expect(await call('submit_plan', { confidence: 1, checked: true })).toMatchObject({ ok: true });
  });
});

describe('a draft that is there', () => {
  const three = [write('1'), write('2', { after: ['1'] }), write('3', { after: ['2'] })];

  it('changes nothing about which tools are offered, and those that change it need it', async () => {
    const { call, offered } = open();
    const before = offered();
    expect((await call('edit_steps', { steps: [{ id: '1' }] })).says).toContain('no draft yet');
    await call('add_steps', { steps: three });
    expect(offered()).toEqual(before);
    expect(before).toEqual(expect.arrayContaining(['edit_steps', 'remove_steps', 'set_schedule']));
  });

  it('is planned with six tools where it is a part of a larger one', () => {
    expect(open({ run_id: 'run-1/1/part' }).offered()).toHaveLength(6);
  });

  it('names only tools, fields and values that there are', () => {
    const { stageTools } = open({}, undefined, { modes: { planning_mode: 'extensive' } });
    const offered = stageTools.offered();
    const fields = new Set<string>();
    const prose = [planGuide, writeSystemPrompt([]), ...offered.map((tool) => tool.description)];
    JSON.stringify(offered, (key, value) => {
      if (key === 'properties') for (const name of Object.keys(value)) fields.add(name);
      if (key === 'description' && typeof value === 'string') prose.push(value);
      return value;
    });
    const policies = Object.entries(InteractionPolicy.shape).flatMap(([name, schema]) => [
      name,
      ...(schema instanceof z.ZodEnum ? schema.options : []),
    ]);
    const known = new Set<string>([...policies, ...PatternType.options, ...fields]);
    for (const { name } of builtins) known.add(name);
    const names = prose.join(' ').match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    const unknown = names.filter((name) => !known.has(name) && stageTools.find(name) === undefined);
    // Members of free objects.
    expect([...new Set(unknown)].toSorted()).toEqual(['budget_usd', 'in_working_hours']);
  });

  it('changes only where an edit says so, to the byte', async () => {
    const { call, drafted } = open();
    await call('add_steps', { steps: three });
    const before = drafted().map((step) => JSON.stringify(step));
    expect((await call('edit_steps', { steps: [{ id: '2', args: { content: 'new' } }] })).ok).toBe(
      true,
    );
    const after = drafted().map((step) => JSON.stringify(step));
    expect(after[0]).toBe(before[0]);
    expect(after[2]).toBe(before[2]);
    expect(drafted()[1]).toMatchObject({ args: { path: '2.txt', content: 'new' }, after: ['1'] });
  });

  it('keeps whatever 200 random edits do not name', async () => {
    const { call, drafted } = open({}, undefined, { manifest: [...builtins, openSpec] });
    const chance = chanceFrom(39);
    const ids = ['1', '2', '3', '4'];
    type Known = { args: Map<string, Json>; fields: JsonObject };
    const known = new Map<string, Known>(
      ids.map((id) => [id, { args: new Map(), fields: { description: `Write ${id}.txt` } }]),
    );
    const operation = 'crm_update';
    await call('add_steps', { steps: ids.map((id) => write(id, { operation, args: {} })) });
    const leaves = ['a', 'c/x', 'c/y', 'c/z/u', 'c/z/v'];
    const isIn = (path: string, whole: string) => path === whole || path.startsWith(`${whole}/`);
    const editOf = (id: string, nth: number): JsonObject => {
      const { args, fields } = known.get(id) as Known;
      const some = leaves.filter(() => chance.next() < 0.4);
      const wholes = ['c', 'c/z'].filter(() => chance.next() < 0.1);
      // Keys come in any order, and `b` at times takes the value of `a`, which goes.
      const value = chance.next() < 0.2 ? args.get('a') : undefined;
      const renamed: [string, Json][] =
        value === undefined
          ? []
          : [
              ['a', null],
              ['b', value],
            ];
      const named = new Map<string, Json>([
        ...some.map((path): [string, Json] => [
          path,
          chance.pick<Json>([null, nth, [nth], '', false, { $decide: `choose ${nth}` }]),
        ]),
        ...renamed,
        ...wholes.map((path): [string, Json] => [path, null]),
      ]);
      const kept = [...named]
        .filter(([path]) => !wholes.some((whole) => whole !== path && isIn(path, whole)))
        .toSorted(() => chance.next() - 0.5);
      for (const [path, value] of kept) {
        for (const one of [...args.keys()]) if (isIn(one, path)) args.delete(one);
        if (value !== null) args.set(path, value);
      }
      const change = (name: string, values: Json[]): JsonObject => {
        if (chance.next() < 0.6) return {};
        const value = chance.pick(values);
        if (value === null) delete fields[name];
        else fields[name] = value;
        return { [name]: value };
      };
      const earlier = ids.slice(0, ids.indexOf(id));
      return {
        id,
        args: kept.reduce(placeLeaf, {}),
        ...change('description', [`Write ${nth}`, `Say ${nth}`]),
        ...change('after', [null, earlier.filter(() => chance.next() < 0.5)]),
        ...change('ask_before', [null, true]),
        ...change('duration', [null, `${1 + (nth % 50)} min`]),
      };
    };
    const minutesOf = (words: Json | undefined) =>
      typeof words === 'string' ? Number.parseInt(words, 10) : undefined;
    for (let nth = 0; nth < 200; nth += 1) {
      const edited = ids.filter(() => chance.next() < 0.3);
      const steps = (edited.length === 0 ? ['1'] : edited).map((id) => editOf(id, nth));
      expect((await call('edit_steps', { steps })).says).toContain('Changed ');
      for (const { id = '', args = {}, after = [], ...step } of drafted()) {
        const { args: values, fields } = known.get(id) as Known;
        expect(leavesOf(args)).toEqual(new Map([...values].sort()));
        expect([after, step.description, step.ask_before, step.duration_minutes]).toEqual([
          fields.after ?? [],
          fields.description,
          fields.ask_before,
          minutesOf(fields.duration),
        ]);
      }
    }
  });

  it('never loses one of two edits of a step', async () => {
    const { call } = open();
    await call('add_steps', { steps: three });
    const edited = await call('edit_steps', {
      steps: [
        { id: '1', description: 'A' },
        { id: '1', args: { content: 'n' } },
      ],
    });
    expect(edited).toMatchObject({
      ok: false,
      says: expect.stringContaining('Step 1 is there twice'),
    });
  });

  it('is never more than can be stored and read back', async () => {
    const { call, drafted } = open();
    await call('add_steps', { steps: [write('1', { phase: 'x'.repeat(4000) })] });
    expect(drafted()).toEqual([]);
    await call('add_steps', { steps: [write('1')] });
    expect((await call('submit_plan', { title: 't'.repeat(5000), confidence: 1 })).ok).toBe(true);
  });

  it('refuses an edit whole when part of it is wrong', async () => {
    const { call, drafted } = open();
    await call('add_steps', { steps: three });
    const edited = await call('edit_steps', {
      steps: [
        { id: '1', description: 'Write it anew' },
        { id: '2', args: { path: null } },
      ],
    });
    expect(edited.says).toContain('Nothing was changed');
    expect(drafted()[0]?.description).toBe('Write 1.txt');
    expect((await call('edit_steps', { steps: [{ id: '9' }] })).says).toContain(
      'There is no step 9',
    );
  });

  it('closes the gap where a step is removed, and keeps what others use', async () => {
    const { call, drafted } = open();
    await call('add_steps', {
      steps: [
        ...three,
        write('4', { args: { path: '4.txt', content: { $from: '3', path: '/path' } } }),
      ],
    });
    expect((await call('remove_steps', { ids: ['3'] })).says).toContain(
      'Step 4 uses the output of step 3',
    );
    expect((await call('remove_steps', { ids: ['2'] })).ok).toBe(true);
    expect(brief(drafted().slice(0, 2))).toEqual(['1 1.txt <- []', '3 3.txt <- ["1"]']);
  });

  it('gets times, and steps that repeat together', async () => {
    const { call, drafted, session } = open();
    await call('add_steps', { steps: three });
    await call('set_schedule', {
      ids: ['1'],
      not_before: '2026-06-01T09:00',
      duration: '30 min',
    });
    expect(drafted()[0]).toMatchObject({
      not_before: '2026-06-01T09:00:00.000Z',
      duration_minutes: 30,
    });
    const wrong = await call('set_schedule', { ids: ['2'], repeat: { rrule: 'FREQ=SOMETIMES' } });
    expect(wrong.ok).toBe(false);
    await call('set_schedule', {
      ids: ['2', '3'],
      repeat: { rrule: 'FREQ=WEEKLY;BYDAY=MO', starts_at: '2026-06-01T09:00' },
    });
    const { outline } = session.state;
    if (outline === null) throw new Error('no outline');
    const { series = [], steps } = draftPlan(outline, null, null);
    expect(series[0]?.title).toBe('Write 2.txt; Write 3.txt');
    expect(steps.map(({ id }) => id)).toEqual(['1']);
    expect(series).toMatchObject([
      { rrule: 'FREQ=WEEKLY;BYDAY=MO', steps: [{ id: '2' }, { id: '3', after: ['2'] }] },
    ]);
    await call('edit_steps', { steps: [{ id: '2', description: 'Post it' }] });
    await call('remove_steps', { ids: ['3'] });
    const left = session.state.outline;
    expect(left && draftPlan(left, null, null).series?.[0]?.title).toBe('Post it');
  });

  it('says as dates what lengths, waits and repetitions became', async () => {
    const { call, drafted } = open();
    const ask = (id: string, more: Record<string, Json> = {}) =>
      write(id, { operation: 'human_task', args: { question: 'Review' }, ...more });
    const added = await call('add_steps', {
      steps: [
        ask('1', { duration: '2 working days', not_before: '2026-12-03T09:00' }),
        ask('2', { duration: '3 days', after: [{ id: '1', lag: '1 day' }] }),
        write('3', { duration_minutes: 4320 }),
        write('4', { after: ['2'] }),
      ],
    });
    expect(added.says).toContain('step 1: Thu 3 Dec, 09:00 – Fri 4 Dec, 17:00 (2 working days)');
    expect(added.says).toContain('step 2: Sat 5 Dec, 17:00 – Tue 8 Dec, 17:00 (3 days)');
    expect(added.says).toContain('(3 days)');
    expect(added.says).not.toContain('step 4');
    const longer = await call('edit_steps', { steps: [{ id: '2', duration: '72 h' }] });
    expect(longer.says).toContain('step 2: Sat 5 Dec, 17:00 – Tue 8 Dec, 17:00 (72 h)');
    const weekly = await call('set_schedule', {
      ids: ['3'],
      repeat: { rrule: 'FREQ=WEEKLY;BYDAY=MO', starts_at: '2026-11-30T09:00' },
    });
    expect(weekly.says).toMatch(
      /step 3: every Monday at 09:00 \(.+\), until you stop it: 30 Nov, 7 Dec, 14 Dec …/,
    );
    expect(drafted().map(({ duration_minutes }) => duration_minutes)).toEqual([
      960,
      4320,
      undefined,
      4320,
    ]);
    const wrong = await call('set_schedule', { ids: ['4'], duration: '2 working days' });
    expect(wrong.ok).toBe(false);
    const wait = { after: [{ id: '1', lag: '2 working days' }] };
    const unread = await call('edit_steps', { steps: [{ id: '4', ...wait }] });
    expect(unread).toMatchObject({ ok: false, says: expect.stringContaining('by the clock') });
    const minutes = await call('add_steps', { steps: [ask('5', { duration_minutes: 480 })] });
    expect(minutes.says).toContain('(8 h)');
    expect((await call('show_steps', { ids: ['1'] })).data).toMatchObject({
      steps: [expect.stringContaining('takes 2 working days | Thu 3 Dec, 09:00 – Fri 4 Dec')],
    });
  });

  it('ends on a date with that day, and says what ends too late', async () => {
    const { call } = open();
    await call('add_steps', { steps: [write('1'), write('2', { duration: '72 h' })] });
    const set = (more: JsonObject) => call('set_schedule', { ids: ['1'], ...more });
    const due = await call('set_schedule', { ids: ['2'], deadline: '2026-05-05' });
    expect(due.says).toContain('by Tue, 5 May 2026, 24:00: it ends too late');
    const daily = { rrule: 'FREQ=DAILY', starts_at: '2026-06-01T09:00' };
    const until = await set({ repeat: { ...daily, until: '2026-06-03' } });
    expect(until.says).toContain('until Wed, 3 Jun 2026, 24:00: 1 Jun, 2 Jun, 3 Jun');
    expect((await set({ repeat: { ...daily, until: '2026-05-31' } })).ok).toBe(false);
  });

  it('keeps the waits between steps that repeat together', async () => {
    const { call, drafted } = open();
    const wait = { id: '1', type: 'FS', lag_minutes: 10 };
    await call('add_steps', { steps: [write('1'), write('2', { after: [wait] })] });
    const repeat = { rrule: 'FREQ=WEEKLY;BYDAY=FR', starts_at: '2026-06-05T17:00' };
    await call('set_schedule', { ids: ['1', '2'], repeat });
    expect(drafted().map(({ after }) => after)).toEqual([undefined, [wait]]);
  });

  it('is read in part, by id or by words', async () => {
    const { call } = open();
    const steps = Array.from({ length: 60 }, (_, index) =>
      write(`f${index}`, index === 41 ? { description: 'Archive the invoices' } : {}),
    );
    await call('add_steps', { steps });
    const found = await call('show_steps', { query: 'invoices' });
    expect(found.data).toMatchObject({ total: 60, next: null });
    expect(JSON.stringify(found.data)).toContain('Step 42 (id f41): Archive the invoices');
    expect((await call('show_steps', { from: 1 })).data).toMatchObject({ next: 41 });
    expect((await call('show_steps', { ids: ['f7'] })).data).toMatchObject({
      steps: [expect.stringContaining('f7.txt')],
    });
  });
});

describe('groups and phases', () => {
  it('are named by their id or title where their steps are meant', async () => {
    const { call, drafted } = open();
    await call('add_steps', {
      steps: [write('1', { phase: 'Prepare' }), write('2', { phase: 'Prepare' }), write('3')],
    });
    await call('set_schedule', {
      ids: ['Prepare'],
      not_before: '2026-06-01T09:00',
      duration: '2 h',
    });
    expect(drafted().map(({ duration_minutes: minutes }) => minutes)).toEqual([
      120,
      120,
      undefined,
    ]);
    await call('remove_steps', { ids: ['Prepare'] });
    expect(drafted().map(({ id }) => id)).toEqual(['3']);
  });

  it('keep every step where only some of them repeat', async () => {
    const { call, drafted } = open(
      {},
      Object.fromEntries([1, 2, 3, 4].map((n) => [`data/${n}`, '1'])),
    );
    await call('for_each', each('data'));
    const daily = { rrule: 'FREQ=DAILY', starts_at: '2026-06-01T09:00' };
    await call('set_schedule', { ids: ['g-1', 'g-2'], repeat: daily });
    expect(
      drafted()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['g-1', 'g-2', 'g-3', 'g-4']);
    await call('set_schedule', { ids: ['g-1'], repeat: { ...daily, rrule: 'FREQ=WEEKLY' } });
    expect(
      drafted()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['g-1', 'g-2', 'g-3', 'g-4']);
    await call('set_schedule', { ids: ['g-1', 'g-2'], repeat: daily });
    expect((await call('set_schedule', { ids: ['g-1'], repeat: null })).says).toContain(
      'repeat together',
    );
    expect(
      (await call('set_schedule', { ids: ['g-3'], deadline: '2026-07-01T09:00' })).says,
    ).toContain('one deadline');
  });

  it('wait for what a removed step waited for', async () => {
    const { call, drafted } = open({}, { 'data/a': '1' });
    await call('add_steps', { steps: [write('p'), write('x', { after: ['p'] })] });
    const step = { description: 'Delete', operation: 'workspace_delete', after: ['x'] };
    const behind = { step: { ...step, args: { path: '{{item/path}}' } } };
    await call('for_each', each('.', behind));
    await call('for_each', each('data', { ...behind, id: 'h' }));
    await call('remove_steps', { ids: ['x'] });
    const waits = drafted()
      .filter(({ id = '' }) => id.includes('-'))
      .map(({ after }) => after);
    expect(waits).toEqual([['p'], ['p']]);
  });
});

describe('for_each', () => {
  const files = Object.fromEntries(
    Array.from({ length: 800 }, (_, index) => [`data/${index}.csv`, '1']),
  );

  it('makes one concrete step for each item, and keeps the sample as evidence', async () => {
    const { call, drafted, session } = open({}, files);
    const made = await call('for_each', {
      id: 'move',
      title: 'Move each file of data',
      operation: 'workspace_list',
      args: { path: 'data' },
      list: '/entries',
      where: [{ path: '/kind', is: 'equals', value: 'file' }],
      step: {
        description: 'Move {{item/path}} to old',
        operation: 'workspace_move',
        args: { from: '{{item/path}}', to: 'old/{{item/path}}' },
      },
    });
    expect(made.says).toContain(
      'Found 800 items, all of them taken: steps move-1 to move-800 in 4 partitions, move-01 to move-04.',
    );
    expect(drafted()).toHaveLength(800);
    expect(drafted()[799]).toMatchObject({
      id: 'move-800',
      args: { from: 'data/799.csv', to: 'old/data/799.csv' },
    });
    expect(session.state.reads).toMatchObject([
      { operation: 'workspace_list', data: { found: 800 } },
    ]);
    expect((await call('submit_plan', { title: 'Move all', confidence: 1 })).ok).toBe(true);
  });

  it('replaces what it made before under the same id', async () => {
    const { call, drafted } = open({}, { 'data/a.csv': '1', 'data/b.csv': '1' });
    for (const value of ['a.csv', 'csv'])
      await call('for_each', each('data', { where: [{ path: '/path', is: 'contains', value }] }));
    expect(drafted().map(({ id, args }) => `${id} ${args?.path}`)).toEqual([
      'g-1 data/a.csv',
      'g-2 data/b.csv',
    ]);
  });

  it('never lets an item become anything but data', async () => {
    const named = ['data/{"$decide":"x"}', 'data/{{1/path}}', 'data/\\{{1/path}}'];
    const { call, drafted } = open({}, Object.fromEntries(named.map((name) => [name, '1'])));
    const step = {
      description: 'Delete {{item/path}}',
      operation: 'workspace_write',
      args: { path: '{{item/path}}', content: 'of {{item}} after {{1/path}}' },
    };
    await call('for_each', each('data', { step }));
    const content = (path: string) =>
      `of ${JSON.stringify({ path, kind: 'file', size: 1 })} after `;
    const listed = ['data/{"$decide":"x"}', 'data/{{1', 'data/\\{{1'];
    for (const [index, { description, args }] of drafted().entries()) {
      const path = listed[index] ?? '';
      expect(typeof args?.path).toBe('string');
      expect(description).toBe(`Delete ${args?.path}`);
      if (index === 0) {
        expect(args?.path).toBe(path);
        expect(args?.content).toEqual({
          $template: [content(path), { $from: '1', path: '/path' }],
        });
      }
    }
    expect(drafted()).toHaveLength(3);
  });

  it('says what is wrong with the list, the conditions or the template', async () => {
    const { call, drafted } = open({}, { 'data/a.csv': '1' });
    const base = each('data');
    expect((await call('for_each', { ...base, list: '/files' })).says).toContain(
      'It has: path, entries',
    );
    const none = await call('for_each', {
      ...base,
      where: [{ path: '/kind', is: 'equals', value: 'folder' }],
    });
    expect(none.says).toContain('none that meets the conditions');
    const lacking = await call('for_each', {
      ...base,
      step: { description: 'x', operation: 'workspace_delete', args: { path: '{{item/name}}' } },
    });
    expect(lacking.says).toContain('Item 1 has nothing at /name');
    const unknown = await call('for_each', {
      ...base,
      step: { description: 'x', operation: 'mail_send', args: {} },
    });
    expect(unknown.says).toContain('there is no operation mail_send');
    expect(drafted()).toEqual([]);
  });
});

describe('what was read', () => {
  it('is kept, and becomes the plan’s evidence', async () => {
    const { call, session } = open();
    await call('read', { operation: 'workspace_read', args: { path: 'a.txt' } });
    await call('read', { operation: 'workspace_read', args: { path: 'a.txt' } });
    expect(session.state.reads).toEqual([
      {
        operation: 'workspace_read',
        args: { path: 'a.txt' },
        data: { path: 'a.txt', text: 'A' },
        at: expect.any(String),
      },
    ]);
    await call('add_steps', { steps: [write('1')] });
    await call('submit_plan', { confidence: 1 });
    expect(session.state.outline?.context).toMatchObject({
      tool_outputs: {
        '1 workspace_read': {
          tool: 'workspace',
          operation: 'read',
          data: { args: { path: 'a.txt' }, output: { path: 'a.txt', text: 'A' } },
        },
      },
    });
  });
});

describe('the front for reading', () => {
  it('is none for tools that edit the draft', async () => {
    const { call, drafted } = open();
    await call('read', { operation: 'add_steps', args: { steps: [write('1')] } });
    expect(drafted()).toEqual([]);
  });
});
