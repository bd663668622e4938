import { describe, expect, it } from 'vitest';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { listPlans, type PlansOptions } from '#adapters/terminal/plans.ts';
import type { Simulation } from '#domain/service.ts';
import { createFakeService, type Script } from '../../fixtures/fake-service.ts';
import { makeGroups, makeListed, makePlan, now, samples } from '../../fixtures/plans.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

const summaries = [
  { ...samples.executing.plan, id: 'PLAN-00000001' },
  makePlan({ id: 'PLAN-00000002', requester: 'Ben', created_at: '2026-02-01T14:00:00.000Z' }),
  makePlan({ id: 'PLAN-00000003', title: 'Mine\u001b[2J', created_at: '2026-02-03T13:10:00.000Z' }),
  { ...samples.completed.plan, id: 'PLAN-00000004' },
];

async function run(script: Partial<Script>, options: Partial<PlansOptions> = {}, columns = 80) {
  const terminal = createFakeTerminal({ columns });
  terminal.end();
  const service = createFakeService({ turns: [], ...script });
  const all = { user: 'Ana', timezone: 'UTC', now: new Date(now), poll_ms: 1, ...options };
  return { code: await listPlans(service, all, terminal), printed: terminal.printed() };
}

describe('stats', () => {
  const stats = {
    plans: { proposed: 2 },
    gaps: [{ wanted: 'book flights', times: 2, people: 1, last_at: now }],
    gap_days: 90,
  };
  const ask = async (options: Partial<PlansOptions>) => {
    const terminal = createFakeTerminal({ columns: 100 });
    terminal.end();
    const service = { ...createFakeService({ turns: [] }), stats: async () => stats };
    const all = { user: 'Ana', timezone: 'UTC', now: new Date(now), id: 'stats', ...options };
    return { code: await listPlans(service, all, terminal), printed: terminal.printed() };
  };

  it('say how many stand where and what no tool can do', async () => {
    const { code, printed } = await ask({});
    expect(code).toBe(exitCodes.done);
    expect(printed).toContain('  2 waiting\n');
    expect(printed).toContain('book flights');
    expect(printed).toContain('2 times');
  });

  it('are one JSON value for machines', async () => {
    expect(JSON.parse((await ask({ json: true })).printed)).toEqual(stats);
  });

  it('have no trace', async () => {
    expect((await ask({ trace: true })).code).toBe(exitCodes.usage);
  });
});

const [running, bens, own, done] = summaries.map((plan) => makeListed(plan));
if (running === undefined || bens === undefined || own === undefined || done === undefined)
  throw new Error('A sample is missing.');
const mine = {
  ...own,
  ...({ waits: 'approval', waits_since: '2026-02-03T13:10:00.000Z', may_approve: true } as const),
};
const inbox = makeGroups({
  needs_you: [mine],
  running: [{ ...running, guarded_operations: ['http_request'] }],
  others: [bens],
  done: [done],
});

describe('the list', () => {
  it('has what needs the reader, what runs and others’ under their names; nothing that is done', async () => {
    const { code, printed } = await run({ inbox }, {}, 90);
    expect(code).toBe(exitCodes.done);
    expect(printed).toBe(
      [
        '  Needs you · 1',
        '    PLAN-00000003  ◷ needs your approval  1 h     Mine\\u{1B}[2J · Ana',
        '',
        '  Running · 1',
        '    PLAN-00000001  ▰▰▰▰▱▱▱▱▱▱ 2 of 5      10 min  Standup note, archived · Ana · 🛡 guarded',
        '',
        '  Waiting on others · 1',
        '    PLAN-00000002  ◷ waiting              2 d     Standup note, archived · Ben',
        '',
        '  To open one: npx countersign plans PLAN-…',
        '',
      ].join('\n'),
    );
  });

  it('says how often a plan comes, unless its title does', async () => {
    const plans = ['Note', 'Note, every Monday'].map((title) => ({
      ...running,
      title,
      repeats: ['every Monday'],
    }));
    const { printed } = await run({ inbox: makeGroups({ running: plans }) }, {}, 110);
    expect(printed).toContain('Note · repeats every Monday · Ana');
    expect(printed).toContain('Note, every Monday · Ana');
  });

  it('takes two lines a plan where it is narrow', async () => {
    const { printed } = await run({ inbox }, {}, 40);
    expect(printed).toContain(
      '  Waiting on others · 1\n    PLAN-00000002 · ◷ waiting · 2 d\n      Standup note, archived · Ben\n',
    );
  });

  it('counts what it leaves out, and says how to see it', async () => {
    const failed = Array.from({ length: 3 }, () => ({ ...done, status: 'failed' as const }));
    const groups = makeGroups({ failed }).map((page) =>
      page.group === 'failed' ? { ...page, total: 1203 } : page,
    );
    const { printed } = await run({ inbox: groups });
    expect(printed).toContain('    And 1,200 more: npx countersign plans --status failed\n');
  });

  it('says so when nothing waits, and how to ask', async () => {
    expect((await run({})).printed).toBe(
      '  Nothing is waiting. Ask me for something with: npx countersign ask "…".\n',
    );
    expect((await run({}, { status: 'failed' })).printed).toBe(
      '  No plans with the status failed.\n',
    );
  });

  it('--find searches all groups, done ones too, and says so where nothing is found', async () => {
    const { printed } = await run({ inbox }, { find: 'standup' });
    expect(printed).toContain('  Done · 1\n');
    const none = await run({}, { find: 'nowhere' });
    expect(none.code).toBe(exitCodes.done);
    expect(none.printed).toContain('No plan has');
    expect(none.printed).toContain('nowhere');
    const usage = await run({}, { find: 'standup', status: 'failed' });
    expect(usage.code).toBe(exitCodes.usage);
    expect(usage.printed).toContain('--find searches');
  });

  it.each([
    ['completed', ['PLAN-00000004']],
    ['all', ['PLAN-00000003', 'PLAN-00000002', 'PLAN-00000001', 'PLAN-00000004']],
  ])('--status %s shows those', async (status, ids) => {
    const { printed } = await run({ summaries, inbox }, { status });
    expect([...printed.matchAll(/PLAN-\d+/g)].map(([id]) => id)).toEqual(ids);
  });

  it('a status that does not exist is bad usage', async () => {
    const { code, printed } = await run({}, { status: 'done' });
    expect(code).toBe(exitCodes.usage);
    expect(printed).toContain('Unknown status “done”. Choose one of: all, proposed,');
  });

  it('--json is one value', async () => {
    const { printed } = await run({ inbox }, { json: true });
    expect(JSON.parse(printed)).toMatchObject({
      plans: [{ id: 'PLAN-00000003', waits: 'approval' }, {}, {}],
      next_cursor: null,
    });
  });
});

describe('one plan', () => {
  it('is shown with its state and its calls', async () => {
    const { code, printed } = await run({ plan: samples.failed }, { id: 'PLAN-3f9a1c20' });
    expect(code).toBe(exitCodes.done);
    expect(printed).toContain('✕ Failed · version 1 · PLAN-3f9a1c20');
    expect(printed).toContain(
      '     workspace_delete · changes something; safe to repeat · failed\n',
    );
  });

  it('is one value with --json', async () => {
    const { printed } = await run({ plan: samples.failed }, { id: 'PLAN-3f9a1c20', json: true });
    expect(JSON.parse(printed)).toMatchObject({ plan: { status: 'failed' }, steps: [{}, {}, {}] });
  });

  it('that does not exist is an error with a sentence', async () => {
    const { code, printed } = await run({ plan: samples.failed }, { id: 'PLAN-00000000' });
    expect(code).toBe(exitCodes.failed);
    expect(printed).toContain('There is no plan PLAN-00000000.');
  });

  it('that waits can be decided about in a terminal', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const service = createFakeService({
      turns: [],
      plan: samples.proposed,
      after: { approve: [samples.completed] },
    });
    const options = { user: 'Ana', timezone: 'UTC', id: 'PLAN-3f9a1c20', poll_ms: 1 };
    const code = listPlans(service, options, terminal);
    await terminal.shows('[a]pprove');
    terminal.type('approve');
    expect(await code).toBe(exitCodes.done);
  });

  it.each([
    ['a', 'approve', samples.completed],
    ['reject it', 'reject', samples.completed],
  ] as const)(
    'whose change waits is decided by "%s", about the change alone',
    async (word, method, end) => {
      const terminal = createFakeTerminal({ tty: true });
      const service = createFakeService({
        turns: [],
        plan: samples.changing,
        after: { [method]: [end] },
      });
      const options = { user: 'Ana', timezone: 'UTC', id: 'PLAN-3f9a1c20', poll_ms: 1 };
      const code = listPlans(service, options, terminal);
      await terminal.shows('[a]pprove the change');
      expect(terminal.printed()).toContain('which the approved plan does not use');
      terminal.type(word);
      expect(await code).toBe(exitCodes.done);
      expect(service.calls.at(-1)).toMatchObject({
        method,
        args: ['PLAN-3f9a1c20', { version: 2 }, {}],
      });
    },
  );
});

it('dates are printed as a calendar file, with a command that a plan with dates names', async () => {
  const scheduled = { starts_at: now, ends_at: now };
  for (const plan of [samples.proposed, { ...samples.proposed, scheduled }]) {
    const { printed } = await run({ plan }, { id: plan.plan.id }, 200);
    const command = `plans ${plan.plan.id} --calendar > ${plan.plan.id}.ics`;
    expect(printed.includes(command)).toBe(plan.scheduled !== null);
  }
  expect((await run({}, { calendar: true })).code).toBe(exitCodes.usage);
  const terminal = createFakeTerminal({ columns: 30 });
  terminal.end();
  const calendar = `BEGIN:VCALENDAR\r\n${'DESCRIPTION:'.padEnd(70, '-')}\r\nEND:VCALENDAR\r\n`;
  const service = { ...createFakeService({ turns: [] }), exportCalendar: async () => calendar };
  const options = { user: 'Ana', timezone: 'UTC', id: 'PLAN-1', calendar: true };
  expect(await listPlans(service, options, terminal)).toBe(exitCodes.done);
  expect(terminal.printed()).toBe(calendar);
});

it('a dry run needs a plan, and fails if the plan could not run', async () => {
  expect((await run({}, { dryRun: true })).code).toBe(exitCodes.usage);
  const terminal = createFakeTerminal({ columns: 100 });
  terminal.end();
  const simulation: Simulation = {
    ...{ plan_id: 'PLAN-1', version: 1, total: 0, calls: [], operations: [] },
    cost: { model_steps: 2, usd: 0.04 },
    problems: [{ step_id: 'a', label: '1', reason: 'The tool is away.' }],
  };
  const service = { ...createFakeService({ turns: [] }), simulate: async () => simulation };
  const options = { user: 'Ana', timezone: 'UTC', id: 'PLAN-1', dryRun: true };
  expect(await listPlans(service, options, terminal)).toBe(exitCodes.failed);
  expect(terminal.printed()).toContain('Step 1: The tool is away.');
  expect(terminal.printed()).toContain('2 model calls, about $0.04');
});
