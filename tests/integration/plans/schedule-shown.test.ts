// Stored schedules: start, end and working days as shown.
import { beforeAll, describe, expect, test } from 'vitest';
import { viewSession } from '#cards/session-view.ts';
import { describeLength } from '#cards/times.ts';
import { viewPlan } from '#cards/view-model.ts';
import { PlanPatch } from '#domain/plan/patch.ts';
import { type Plan, PlanDraft } from '#domain/plan/plan.ts';
import { readBriefPage } from '#plans/views/brief.ts';
import { readMarkdown } from '#plans/views/markdown.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { propertyOf } from '#tools/calendar/components.ts';
import { parseIcs } from '#tools/calendar/read-events.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({ work: true, settings: { executor: { concurrency: 1 } } });

const madrid = 'Europe/Madrid';
let plan: Plan;

beforeAll(async () => {
  const text = 'Ask Ana "Please review notes.md" takes 3 working days.';
  const { run_id } = await instance.service.startRun({ text, conversation: 'api:review' }, ana);
  const id = await waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
  plan = await instance.service.getPlan(id);
});

async function storedBlock() {
  const [block] = (await instance.service.planning(plan.id)).schedule?.blocks ?? [];
  if (block === undefined) throw new Error('nothing is scheduled');
  return block;
}

const partsOf = (iso: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: madrid, hour: '2-digit', minute: '2-digit' }).format(
    new Date(iso),
  );

describe('a task of three working days', () => {
  test('says so on its card, with the start and end of its block', async () => {
    const block = await storedBlock();
    const facts = await instance.service.card(plan.id, { user: 'ana', timezone: madrid });
    expect(facts).toMatchObject({
      expected_minutes: 1440,
      working_day_minutes: 480,
      scheduled: { starts_at: block.starts_at, ends_at: block.ends_at },
    });
    const line = viewPlan(facts).facts;
    expect(line).toContain(' · 3 working days · ');
    expect(line).toContain(`${partsOf(block.starts_at)} – `);
    expect(line).toContain(`${partsOf(block.ends_at)} · `);
    expect(line).not.toContain(' d ·');
  });

  test('says start and end in the Markdown export, which is read back without loss', async () => {
    const block = await storedBlock();
    let text = '';
    for await (const chunk of instance.service.exportMarkdown(plan.id)) text += chunk;
    const line = text.split('\n').find((one) => one.startsWith('`human_task` · '));
    expect(line).toContain(' · scheduled ');
    expect(line).toContain(`${partsOf(block.starts_at)} – `);
    expect(line).toContain(`${partsOf(block.ends_at)} (${madrid})`);
    expect((await readMarkdown(text)).steps).toMatchObject([
      { tool: 'human', operation: 'task', duration: '3 working days', duration_minutes: 1440 },
    ]);
  });
});

describe('the calendar of a plan', () => {
  const names = ['UID', 'SEQUENCE', 'STATUS', 'SUMMARY', 'DTSTART', 'DTEND'] as const;
  async function readEntries() {
    const text = await instance.service.exportCalendar(plan.id);
    const { calendars } = parseIcs(Buffer.from(text), 'plan.ics');
    return calendars
      .flatMap(({ inside }) => inside)
      .filter(({ kind }) => kind === 'VEVENT')
      .map((event) =>
        Object.fromEntries(names.map((name) => [name, propertyOf(event, name)?.value ?? ''])),
      );
  }

  test('has its tasks at their times, and the same entries again when something changes', async () => {
    const block = await storedBlock();
    const [entry, ...others] = await readEntries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ STATUS: 'TENTATIVE', SUMMARY: expect.stringContaining('notes') });
    const { schedule } = await instance.service.planning(plan.id);
    const local = (iso: string) =>
      toLocalIso(new Date(iso), schedule?.timezone ?? 'UTC')
        .slice(0, 19)
        .replaceAll(/[-:]/g, '');
    expect(entry?.DTSTART).toContain(local(block.starts_at));
    expect(entry?.DTEND).toContain(local(block.ends_at));
    await instance.service.cancel(plan.id, { version: plan.version }, ana);
    const [later] = await readEntries();
    expect(later).toMatchObject({ UID: entry?.UID, STATUS: 'CANCELLED' });
    expect(Number(later?.SEQUENCE)).toBeGreaterThan(Number(entry?.SEQUENCE));
  });
});

describe('lengths in words', () => {
  const task = { description: 'Ask Ana', tool: 'human', operation: 'task' };
  const note = { description: 'Nothing', tool: 'control', operation: 'noop' };
  const args = { question: 'Ready?', assignee: 'ana' };

  test('are stored as stated, and changed with their minutes', async () => {
    const draft = {
      title: 'Lengths',
      steps: [
        { ...task, id: 'work', args, duration: 'two working days' },
        { ...task, id: 'wait', args, duration: 'P2D', after: [{ id: 'work', lag: '1 day' }] },
        { ...note, id: 'plain', duration_minutes: 90 },
      ],
    };
    const { id } = await instance.service.propose(PlanDraft.parse(draft), { user: 'ana' }, ana);
    const read = async () =>
      (await instance.service.listSteps(id, { limit: 10 })).steps.map((step) => [
        step.duration,
        step.duration_minutes,
        describeLength(step, 480),
        step.after.map(({ lag_minutes }) => lag_minutes),
      ]);
    expect(await read()).toEqual([
      ['2 working days', 960, '2 working days', []],
      ['2 days', 2880, '2 days', [1440]],
      [null, 90, '1 h 30 min', []],
    ]);
    const page = await readBriefPage(instance.db.query, id, 0);
    expect(page.steps.map(({ after }) => after)).toEqual([[], ['work (1 day)'], []]);
    const plain = await instance.service.getPlan(id);
    const set = (steps: string, fields: object) => ({
      op: 'update_steps',
      steps: { ids: [steps] },
      set: fields,
    });
    const patch = PlanPatch.parse({
      base_revision: plain.revision,
      operations: [set('work', { duration_minutes: 60 }), set('plain', { duration: '2 weeks' })],
    });
    await instance.service.patch(id, patch, ana);
    expect((await read()).map((step) => step.slice(0, 2))).toEqual([
      [null, 60],
      ['2 days', 2880],
      ['2 weeks', 20_160],
    ]);
  });
});

test('two steps of two hours take four where the live back ends run one at a time', async () => {
  const text = 'Read a.md takes 2 hours and read b.md takes 2 hours.';
  const { run_id } = await instance.service.startRun({ text, conversation: 'api:slots' }, ana);
  const id = await waitFor('it', async () => (await instance.service.getRun(run_id)).plan_id);
  const { steps } = await instance.service.listSteps(id, { limit: 10 });
  expect(steps.map(({ after }) => after)).toEqual([[], []]);
  const { expected_minutes } = await instance.service.card(id, { user: 'ana', timezone: madrid });
  expect(expected_minutes).toBe(240);
});

test('a choice between orders is one line on the card, and a press takes another', async () => {
  const { service } = instance;
  const viewer = { user: 'ana', timezone: madrid };
  const propose = async (text: string, conversation: string) => {
    const { run_id } = await service.startRun({ text, conversation }, ana);
    const id = await waitFor('the plan', async () => (await service.getRun(run_id)).plan_id);
    return { id, card: await service.card(id, viewer) };
  };
  const linesOf = (facts: Awaited<ReturnType<typeof service.card>>) =>
    viewPlan(facts).sections.filter(({ label }) => label === 'Order');
  const write = (name: string) => `write "${name}" to orders/${name}.txt`;
  const small = await propose([write('a'), write('b')].join(' and '), 'api:small-order');
  expect(linesOf(small.card)).toEqual([]);
  const { id, card } = await propose(['a', 'b', 'c', 'd'].map(write).join(' and '), 'api:order');
  const [order] = linesOf(card);
  expect(order?.lines).toHaveLength(1);
  expect(JSON.stringify(order)).toContain('compared with');
  const other = viewPlan(card).buttons.find(({ label }) => label.endsWith(' instead'));
  const feedback = other !== undefined && 'choice' in other.press ? other.press.choice : '';
  await service.proposeChanges(id, { version: card.plan.version, feedback: feedback ?? '' }, ana);
  const next = await waitFor('the next version', async () => {
    const facts = await service.card(id, viewer);
    return facts.plan.version > card.plan.version && !facts.plan.revising && facts;
  });
  expect(next.orders?.chosen).not.toBe(card.orders?.chosen);
  expect(next.diff?.counts.changed).toBeGreaterThan(0);
});

test('at the gate of the order, a press takes another before the plan exists', async () => {
  const { service } = instance;
  const gil = { ...ana, id: 'gil' };
  const policy = { approval_policy: 'milestone_approvals' } as const;
  await service.setPolicy('gil', { policy, keep: true }, gil);
  const names = ['a', 'b', 'c', 'd'].map((name) => `write "${name}" to gates/${name}.txt`);
  const text = names.join(' and ');
  const { run_id } = await service.startRun({ text, conversation: 'api:gates' }, gil);
  const gate = (kind: string, turn: number) =>
    waitFor(`the ${kind}`, async () => {
      const facts = await service.runCard(run_id, { user: 'gil', timezone: madrid });
      return facts.pause?.gate === kind && facts.turn > turn && facts;
    });
  const outline = await gate('outline', 0);
  await service.decideRun(
    run_id,
    { turn: outline.turn, kind: 'approve', digest: outline.digest },
    gil,
  );
  const order = await gate('roadmap', outline.turn);
  const other = viewSession(order).buttons.find(({ label }) => label.endsWith(' instead'));
  const feedback = other?.press.choice ?? '';
  await service.decideRun(
    run_id,
    { turn: order.turn, digest: order.digest, kind: 'changes', feedback },
    gil,
  );
  const next = await gate('roadmap', order.turn);
  expect(next.roadmap?.chosen).not.toBe(order.roadmap?.chosen);
});
