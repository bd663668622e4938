import { describe, expect, it } from 'vitest';
import { drawQuote } from '#cards/plain.ts';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { PlanStatus } from '#domain/plan/plan.ts';
import {
  digest,
  following,
  makeFacts,
  makePlan,
  makeStep,
  now,
  type SampleName,
  sampleStatuses,
  samples,
  standupSteps,
} from '../../fixtures/plans.ts';

const view = (name: SampleName) => viewPlan(samples[name]);
const section = (name: SampleName, kind: string) =>
  view(name).sections.find((candidate) => candidate.kind === kind);

describe('the state of a plan', () => {
  const table: [SampleName, string, string[]][] = [
    [
      'proposed',
      '◷ Waiting for you · version 1 · PLAN-3f9a1c20',
      ['Approve', 'Propose changes', 'Reject', 'Details'],
    ],
    [
      'halfApproved',
      '◷ Waiting for Ben · version 1 · PLAN-3f9a1c20',
      ['Approve', 'Propose changes', 'Reject', 'Details'],
    ],
    ['revising', '⟳ Revising · version 1 · PLAN-3f9a1c20', ['Keep version 1', 'Cancel', 'Details']],
    ['approved', '✓ Approved, starting · version 1 · PLAN-3f9a1c20', ['Cancel', 'Details']],
    ['executing', '▸ Running · version 1 · PLAN-3f9a1c20', ['Pause', 'Cancel', 'Details']],
    [
      'changing',
      '◷ Change waiting for you · version 1 · PLAN-3f9a1c20',
      ['Pause', 'Cancel', 'Details'],
    ],
    ['paused', '‖ Paused · version 1 · PLAN-3f9a1c20', ['Resume', 'Cancel', 'Details']],
    ['waiting', '◷ Waiting for you · version 1 · PLAN-3f9a1c20', ['Pause', 'Cancel', 'Details']],
    [
      'unknown',
      '◷ Waiting for a decision · version 1 · PLAN-3f9a1c20',
      ['Pause', 'Cancel', 'Details'],
    ],
    ['completed', '✓ Done · version 1 · PLAN-3f9a1c20', ['Save as a playbook']],
    [
      'failed',
      '✕ Failed · version 1 · PLAN-3f9a1c20',
      ['Retry the step', 'Edit and retry', 'Continue without it', 'Stop here', 'Details'],
    ],
    ['rejected', '✕ Rejected · version 1 · PLAN-3f9a1c20', []],
    ['cancelled', '■ Cancelled · version 1 · PLAN-3f9a1c20', []],
    [
      'stalled',
      '△ Stalled · version 1 · PLAN-3f9a1c20',
      ['Resume', 'Mark failed', 'Cancel', 'Details'],
    ],
    [
      'needsReview',
      '◷ Needs review · version 3 · PLAN-3f9a1c20',
      ['Approve', 'Reject', 'Cancel', 'Details'],
    ],
  ];

  it.each(table)('%s is said in words and offers what makes sense', (name, line, labels) => {
    const { state, buttons } = view(name);
    expect(state.line).toBe(line);
    expect(buttons.map((button) => button.label)).toEqual(labels);
  });

  it.each([
    [['2'], 0, 'step 2 starts', 'leave it out'],
    [['2', '3', '4'], 7, 'steps 2, 3, 4 and 7 more start', 'leave them out'],
  ])(
    'says which starts have passed, and that they would run at once',
    (labels, more, what, out) => {
      const at = new Date(Date.parse(now) - 60_000).toISOString();
      const passed = { labels, more, first: at, last: at, last_since_proposal: at };
      const { sentence, buttons } = viewPlan({ ...samples.proposed, passed });
      expect(sentence).toContain(`has passed: ${what} at once`);
      expect(sentence).toContain(out);
      expect(buttons[0]).toMatchObject({ label: 'Approve · starts now', press: { passed: at } });
    },
  );

  it('a task for “@ana” is Ana’s, above and in the question', () => {
    const { plan, steps } = samples.waiting;
    const own = steps.map((step) => ({ ...step, args: { assignee: '@ana' } }));
    const { state, asks } = viewPlan(makeFacts(plan, own));
    expect(state.words).toBe('Waiting for you');
    expect(asks.map(({ label }) => label)).toEqual(['Step 1b asks you']);
  });

  it('every status is in the samples', () => {
    expect(sampleStatuses.toSorted()).toEqual(PlanStatus.options.toSorted());
  });

  it('every press carries the version and digest that were shown', () => {
    const buttons = Object.values(samples).flatMap((facts) => {
      const { buttons: own, asks } = viewPlan(facts);
      // A change has a version and digest of its own.
      const plain = asks.filter(({ kind }) => kind !== 'change');
      const all = [...own, ...plain.flatMap((ask) => ask.buttons)];
      return all.map(({ press }) => ({ press, version: facts.plan.version }));
    });
    expect(buttons.length).toBeGreaterThan(30);
    for (const { press, version } of buttons) {
      expect(press).toMatchObject({ plan_id: 'PLAN-3f9a1c20', version, digest });
    }
  });

  it('nothing that ends a plan is primary', () => {
    const primary = Object.values(samples)
      .flatMap((facts) => viewPlan(facts).buttons)
      .filter((button) => button.style === 'primary')
      .map((button) => button.press.action);
    expect(new Set(primary)).toEqual(new Set(['approve', 'resume']));
  });
});

describe('a proposal', () => {
  it('shows calls in execution order, guarded ones with a shield, each with its exact arguments', () => {
    const steps = [
      makeStep('1', { args: { path: 'a.md', content: 'Alpha' } }),
      makeStep('2', {
        description: 'Delete tmp.txt',
        operation: 'delete',
        args: { path: 'payroll.csv' },
        target: 'payroll.csv',
        guarded: true,
        after: following('1'),
      }),
    ];
    const view = viewPlan(makeFacts({ planner_model: 'some-model' }, steps));
    expect(view.sections[0]).toMatchObject({
      label: 'What changes',
      lines: [
        { lead: '1', text: 'Creates a.md · “Alpha”', note: '' },
        {
          lead: '2 🛡',
          text: 'Permanently deletes payroll.csv',
          note: 'cannot be undone',
          quotes: [{ by: 'Reason', words: '“Delete tmp.txt”' }],
        },
      ],
    });
  });

  it('marks a call that cannot be undone, and says so in words', () => {
    const step = makeStep('1', { operation: 'write', args: { path: 'a.md', content: 'Alpha' } });
    const call = { ...step.call, destructive: true };
    const view = viewPlan(makeFacts({}, [{ ...step, call }]));
    expect(view.sections[0]?.lines[0]).toMatchObject({
      lead: '1 △',
      note: expect.stringMatching(/^cannot be undone/),
    });
  });

  it('counts a call that is made several times once', () => {
    const steps = Array.from({ length: 20 }, (_, i) =>
      makeStep(`${i + 1}`, { tool: 'http', operation: 'get', args: { url: 'https://a.example/' } }),
    );
    const [section] = viewPlan(makeFacts({}, steps)).sections;
    expect(section?.lines).toMatchObject([
      { text: 'GET https://a.example/', note: expect.stringContaining('20 times') },
    ]);
  });

  it('says so when it only reads, and a look at the web is no such read', () => {
    const read = { operation: 'read', args: { path: 'a.md' } };
    const only = viewPlan(makeFacts({}, [makeStep('1', read)]));
    expect(only.sections.map(({ label }) => label)).toEqual(['Only reads; nothing is sent out']);
    const web = { tool: 'http', operation: 'get', args: { url: 'https://a.example/?q=secret' } };
    const out = viewPlan(makeFacts({}, [makeStep('1', read), makeStep('2', web)]));
    expect(out.sections.map(({ label }) => label)).toEqual(['What changes', 'Reads']);
  });

  it.each([
    [{ tool: 'text', operation: 'summarize', args: { text: 'a' } }, 'step 2'],
    [{ operation: 'read', args: { path: { $decide: 'the newest' } } }, 'step 2'],
    [{ tool: 'text', operation: 'write', args: { instructions: 'a' } }, 'step 2'],
  ])('says to whom text of a read goes that asks a model', (asking, steps) => {
    const read = makeStep('1', { operation: 'read', args: { path: 'a.md' } });
    const labelOf = (more: object) => {
      const facts = makeFacts({}, [read, makeStep('2', { ...asking, after: following('1') })]);
      return viewPlan({ ...facts, ...more }).sections.map(({ label }) => label);
    };
    expect(labelOf({ model_host: 'api.deepseek.com' })).toEqual([
      `Only reads. Text goes to api.deepseek.com for ${steps}`,
    ]);
    const { plan } = makeFacts({ executor_model: 'gpt-x' }, []);
    expect(labelOf({ plan: { ...plan, total_steps: 2 } })).toEqual([
      `Only reads. Text goes to the model's provider for ${steps}`,
    ]);
    expect(labelOf({})).toEqual(['Only reads; nothing is sent out']);
  });

  it('numbers steps in the order they can run, parallel ones sharing a number', () => {
    const steps = [
      makeStep('list', { description: 'List', after: following('a', 'b', 'c') }),
      makeStep('a'),
      makeStep('b'),
      makeStep('c'),
      makeStep('last', { after: following('list', 'a') }),
    ];
    const lines = viewPlan(makeFacts({}, steps)).sections[0]?.lines;
    expect(lines?.map(({ lead }) => lead)).toEqual(['1a', '1b', '1c', '2', '3']);
    expect(lines?.map(({ aside }) => aside)).toEqual(['', '', '', 'after 1', 'after 1a and 2']);
  });

  it.each([
    [4, 500, 'Approve'],
    [4, 700, 'Review'],
    [5, 500, 'Review'],
  ])('of %i steps with texts of %i characters begins with %s', (count, length, first) => {
    const content = 'x'.repeat(length);
    const steps = Array.from({ length: count }, (_, n) =>
      makeStep(`${n}`, { args: { path: `${n}.md`, content } }),
    );
    const { sections, buttons } = viewPlan(makeFacts({}, steps));
    expect(sections[0]?.lines[0]?.text.includes(content)).toBe(first === 'Approve');
    expect(buttons[0]?.label).toBe(first);
  });

  it('counts only finish-to-start links as an order', () => {
    const steps = [
      makeStep('1'),
      makeStep('2', { after: [{ id: '1', type: 'SS', lag_minutes: 0 }] }),
    ];
    expect(viewPlan(makeFacts({}, steps)).sections[0]?.lines.map(({ lead }) => lead)).toEqual([
      '1a',
      '1b',
    ]);
  });

  it.each([
    [7, 0, ''],
    [8, 1, '… and 1 more'],
    [23, 16, '… and 16 more'],
  ])('shows at most 7 of %i reads', (total, hidden, more) => {
    const read = (i: number) => ({ operation: 'read', args: { path: `${i}.txt` } });
    const steps = Array.from({ length: total }, (_, i) => makeStep(String(i + 1), read(i)));
    const facts = makeFacts({}, steps, { link: 'http://127.0.0.1:3978/' });
    expect(viewPlan(facts).sections[0]).toMatchObject({
      hidden,
      more,
      all: hidden === 0 ? '' : `All ${total} steps`,
    });
    expect(viewPlan(facts).sections[0]?.lines).toHaveLength(7);
  });

  it('marks what is decided later, who does it, and when in the reader’s zone', () => {
    const steps = [
      makeStep('1', { args: { path: 'a.md', content: { $decide: 'the subject' } } }),
      makeStep('2', { tool: 'human', operation: 'task', args: { assignee: 'Ben' } }),
      makeStep('3', { tool: 'human', operation: 'task', args: {}, target: null }),
      makeStep('4', { not_before: '2026-02-04T08:30:00.000Z' }),
    ];
    const facts = makeFacts({}, steps, { viewer: { user: 'Ana', timezone: 'Asia/Tokyo' } });
    const lines = viewPlan(facts).sections[0]?.lines;
    expect(lines?.map(({ note }) => note)).toEqual([
      '',
      '',
      'for Ana',
      'not before Wed 4 Feb, 17:30',
    ]);
    expect(lines?.[0]?.text).toBe('Creates a.md · ⟲ decided when it runs: the subject');
  });

  it('lists at most six changes, what else is different among them, and counts the rest', () => {
    const { diff } = samples.revised;
    if (diff === null) throw new Error('the sample compares nothing');
    const [one] = diff.added;
    if (one === undefined) throw new Error('the sample adds a step');
    const added = Array.from({ length: 9 }, () => one);
    const facts = {
      ...samples.revised,
      diff: { ...diff, added, counts: { added: 9, removed: 1, changed: 1 }, title_changed: true },
    };
    const changes = viewPlan(facts).sections.find(({ kind }) => kind === 'changes');
    expect(changes?.lines).toHaveLength(6);
    expect(changes?.lines.at(-1)?.text).toBe('new title');
    expect(changes?.more).toBe('… and 6 more');
  });

  it('tells a moved step by its times, the day once', () => {
    const { diff } = samples.revised;
    const [changed] = diff?.changed ?? [];
    if (diff === null || changed === undefined) throw new Error('the sample changes a step');
    const move = {
      field: 'not_before',
      from: '2026-02-04T09:00:00.000Z',
      to: '2026-02-04T10:00:00.000Z',
    };
    const moved = { ...changed, changes: [move], changes_total: 1 };
    const facts = { ...samples.revised, diff: { ...diff, changed: [moved] } };
    const [line] = viewPlan(facts).sections.find(({ kind }) => kind === 'changes')?.lines ?? [];
    expect(line).toMatchObject({ lead: '~', text: 'Creates 1.txt: Wed 4 Feb, 09:00 → 10:00' });
  });

  it('says what changed since the version before', () => {
    expect(section('revised', 'changes')).toMatchObject({
      label: 'Changed since version 1',
      lines: [
        { lead: '~', text: 'Creates 1.txt: path: 1.txt → one.txt' },
        { lead: '+', text: 'Creates 2.txt · “2”' },
        { lead: '+', text: 'Creates 3.txt · “3”' },
        { lead: '−', text: 'Creates 4.txt · “4”' },
      ],
    });
  });

  it('shows at most 3 risks, each with its sign', () => {
    const risks = [1, 2, 3, 4].map((n) => ({ text: `Risk ${n}`, sign: `sign ${n}` }));
    const drawn = viewPlan(makeFacts({ risks })).sections.find(({ kind }) => kind === 'risks');
    expect(drawn?.lines.map(({ text, quotes }) => [text, ...quotes.map(drawQuote)])).toEqual([
      ['“Risk 1”', 'Watch for: “sign 1”'],
      ['“Risk 2”', 'Watch for: “sign 2”'],
      ['“Risk 3”', 'Watch for: “sign 3”'],
    ]);
    expect(drawn?.more).toBe('… and 1 more');
  });

  it.each([
    [0.7, 'high'],
    [0.69, 'fair'],
    [0.4, 'fair'],
    [0.39, 'low'],
  ])('says confidence %d as %s, with time, cost, planner and short digest', (confidence, word) => {
    const facts = makeFacts({ confidence, cost_usd: 0.02 }, standupSteps, { expected_minutes: 10 });
    expect(viewPlan(facts).facts).toBe(
      `starts when approved · about 10 min · $0.02 so far · offline planner · confidence ${word} · digest 9f3a1c20`,
    );
  });

  it.each([
    [480, 'starts when approved · 3 working days · '],
    [360, 'starts when approved · 4 working days · '],
  ])('counts people’s work in working days of %i minutes', (working_day_minutes, words) => {
    const expected = { expected_minutes: 1440, expected_is_work: true, working_day_minutes };
    expect(viewPlan(makeFacts({}, standupSteps, expected)).facts).toContain(words);
    const running = { ...samples.executing, ...expected };
    expect(viewPlan(running).progress?.pace).toContain(words.split(' · ')[1]);
  });

  it('shows while it runs what ends later than scheduled, in the reader’s zone', () => {
    const moved = [
      {
        ...{ node: 'b', title: 'Review' },
        ...{ ends_at: '2026-02-04T12:00:00.000Z', moved_to: '2026-02-05T09:00:00.000Z' },
      },
    ];
    const { sections } = viewPlan({ ...samples.executing, moved });
    const times = sections.find(({ kind }) => kind === 'times');
    expect(times?.lines.map(({ text }) => text)).toEqual([
      expect.stringMatching(/Review.*: Wed 4 Feb, 12:00 → Thu 5 Feb, 09:00/),
    ]);
    expect(viewPlan(samples.executing).sections.map(({ kind }) => kind)).not.toContain('times');
  });

  it('says when a scheduled plan starts and ends, in the reader’s zone', () => {
    const scheduled = {
      starts_at: '2026-02-04T08:00:00.000Z',
      ends_at: '2026-02-06T16:00:00.000Z',
    };
    const facts = makeFacts({}, standupSteps, {
      scheduled,
      expected_minutes: 1440,
      expected_is_work: true,
      viewer: { user: 'Ana', timezone: 'Europe/Madrid' },
    });
    expect(viewPlan(facts).facts).toContain(
      'Wed 4 Feb, 09:00 – Fri 6 Feb, 17:00 · 3 working days · ',
    );
    const { progress } = viewPlan({ ...samples.executing, scheduled });
    expect(progress?.pace).toContain('until Fri 6 Feb, 16:00 by its schedule');
  });

  it('does not promise times that have passed', () => {
    const scheduled = {
      starts_at: '2026-02-01T08:00:00.000Z',
      ends_at: '2026-02-02T16:00:00.000Z',
    };
    expect(viewPlan(makeFacts({}, standupSteps, { scheduled })).facts).toContain(
      'starts when approved',
    );
  });

  it('says how many have approved', () => {
    expect(view('halfApproved').approvals).toBe('1 of 2 approved (you)');
    const { viewer } = samples.halfApproved;
    const others = { ...samples.halfApproved, viewer: { ...viewer, user: 'Ben' } };
    expect(viewPlan(others).approvals).toBe('1 of 2 approved (Ana)');
  });

  it('asks for the text that a change needs', () => {
    const forms = view('proposed').buttons.map(({ form }) => form?.required ?? null);
    expect(forms).toEqual([null, true, false, null]);
  });
});

describe('a plan under way', () => {
  it.each([
    [0, 23, '▱▱▱▱▱▱▱▱▱▱ 0 of 23'],
    [9, 23, '▰▰▰▱▱▱▱▱▱▱ 9 of 23'],
    [22, 23, '▰▰▰▰▰▰▰▰▰▱ 22 of 23'],
    [23, 23, '▰▰▰▰▰▰▰▰▰▰ 23 of 23'],
  ])('%i of %i fills as many of ten cells', (done, total, text) => {
    const { plan } = samples.executing;
    const counts = { ...plan.counts, succeeded: done };
    const facts = { ...samples.executing, plan: { ...plan, total_steps: total, counts } };
    expect(viewPlan(facts).progress?.text).toBe(text);
  });

  it('counts what is done without a total while it repeats', () => {
    const { progress, tasks } = viewPlan({ ...samples.executing, repeats: ['every Monday'] });
    const { succeeded } = samples.executing.plan.counts;
    expect(progress?.text).toBe(`${succeeded} steps done, repeats every Monday`);
    expect(tasks?.title).toBe(progress?.text);
  });

  it('says what runs, what is next, and how long it takes', () => {
    expect(view('executing').sections.map(({ kind, lines }) => [kind, lines[0]?.text])).toEqual([
      ['running', 'Creates 3.txt · “3”'],
      ['next', 'Creates 4.txt · “4”'],
    ]);
    expect(view('executing').progress?.pace).toBe('7 min so far · about 10 min expected');
  });

  it('puts a person’s step first, with its question and buttons', () => {
    expect(view('waiting').asks).toMatchObject([
      {
        label: 'Step 1b asks you',
        text: '“Is the room booked?”',
        buttons: [
          { label: 'Send', press: { action: 'human_done', step_id: '2' } },
          { label: "Can't answer", press: { action: 'human_blocked', step_id: '2' } },
        ],
      },
    ]);
    const lines = drawText(view('waiting')).split('\n');
    expect(lines.indexOf('Step 1b asks you: “Is the room booked?”')).toBe(2);
  });

  it('says what a form asks for, and takes the reason of who is blocked', () => {
    const [ask] = view('filling').asks;
    expect(ask?.buttons).toMatchObject([
      { label: 'Fill in', style: 'primary', form: { submit: 'Done', label: '' } },
      { label: 'Blocked', form: { required: true, missing: "Say what's blocking you." } },
    ]);
    expect(ask?.fields.map(({ label, words }) => `${label}: ${words}`)).toEqual([
      'Amount in EUR: number of at least 0',
      'Nights: whole number, optional',
      'Room: one of 2',
      'Day: date, optional',
      'Invoice number: text',
      'Remarks: multi-line text, optional',
      'Is it paid?: yes or no, optional',
    ]);
    const text = drawText(view('filling'));
    expect(text).toContain('  • Room · one of 2: Blue, g (“Green”)\n');
    expect(text).toContain('  • Amount in EUR · number of at least 0 (“12.50”)\n');
  });

  it('names who was asked in the end, where an earlier step decided it', () => {
    const asked = makeStep('2', {
      tool: 'human',
      operation: 'task',
      status: 'waiting',
      args: { assignee: { $from: '1', path: '/owner' } },
      output: { assignee: 'Ben', form: null },
    });
    const [ask] = viewPlan(makeFacts({ status: 'executing' }, [asked])).asks;
    expect(ask?.label).toBe('Step 1 asks Ben');
  });

  it('tells before the approval what the person will fill in', () => {
    const form = [{ name: 'amount', label: 'Amount in EUR' }, { name: 'room' }];
    const task = makeStep('1', {
      tool: 'human',
      operation: 'task',
      args: { question: 'What did it cost?', assignee: 'Ben', form },
    });
    const section = viewPlan(makeFacts({}, [task])).sections.find(({ kind }) => kind === 'effects');
    expect(section?.lines[0]?.note).toBe('fills in Amount in EUR and Room');
  });

  it('tells who is blocked, not that a tool failed', () => {
    const blocked = makeStep('1', {
      tool: 'human',
      operation: 'task',
      status: 'failed',
      error: { code: 'blocked', message: 'No rooms are left.' },
      output: { by: 'ben' },
    });
    const { sections } = viewPlan(makeFacts({ status: 'executing' }, [blocked]));
    expect(sections.find(({ kind }) => kind === 'failed')?.lines[0]?.note).toBe('ben is blocked');
    expect(viewPlan(makeFacts({ status: 'executing' }, [blocked])).buttons[0]).toMatchObject({
      label: 'Ask again',
      press: { action: 'settle_retry', step_id: '1' },
    });
  });

  it('says what is known of a call whose outcome is unknown, and lets a person choose', () => {
    const [ask] = view('unknown').asks;
    expect(ask?.known).toEqual([
      '│ path: 2.txt',
      '│ content: "2"',
      'Attempt 1, started 14:04; its result was never recorded.',
      'Check whether it happened, then choose.',
    ]);
    expect(ask?.buttons.map(({ label }) => label)).toEqual(['Retry', 'Mark done', 'Mark failed']);
    expect(view('unknown').buttons.map(({ label }) => label)).toContain('Cancel');
  });

  it('asks nothing any more once it is cancelled', () => {
    const facts = {
      ...samples.unknown,
      plan: { ...samples.unknown.plan, status: 'cancelled' as const },
    };
    expect(viewPlan(facts).asks).toEqual([]);
  });
});

describe('a plan that is over', () => {
  const goal = [{ by: 'Goal', words: 'Creates archive/standup.md containing "Standup at 9:30".' }];

  it('tells the outcome, what was made, and who approved it when', () => {
    expect(view('completed')).toMatchObject({
      sentence: 'All 2 steps are done.',
      quotes: goal,
      approvals: 'Approved by you, 14:02',
      facts: 'took 2 min · $0.03 · offline planner · digest 9f3a1c20',
    });
    expect(section('completed', 'done')?.lines[0]?.text).toBe('1.txt written, 12 bytes');
  });

  it('tells a failure: what, why, what was done, what was left alone, what can be done', () => {
    expect(
      view('failed').sections.map(({ label, lines }) => [
        label,
        lines[0]?.text,
        lines[0]?.quotes.map(drawQuote).join(),
      ]),
    ).toEqual([
      ['Failed', 'Permanently deletes archive/old.md', 'Error: “archive/old.md does not exist.”'],
      ['Done already', '1.txt written, 12 bytes', ''],
      ['Not run', 'Lists the workspace', ''],
      ['What you can do', 'Retry the step once the cause is fixed.', ''],
    ]);
  });

  it('tells a rejection with its reason', () => {
    expect(view('rejected').sentence).toBe('Rejected by you, 14:02. Nothing ran.');
    expect(view('rejected').quotes).toEqual([{ by: 'Ana', words: '“Too early”' }, ...goal]);
  });

  it('quotes the wish of who wants a change while a new version is drafted', () => {
    const plan = makePlan({
      ...samples.rejected.plan,
      revising: true,
      rejection_history: [
        { version: 1, by: 'Ana', at: '2026-02-03T14:02:00.000Z', feedback: 'Why not in May?' },
      ],
    });
    expect(viewPlan({ ...samples.rejected, plan }).quotes).toEqual([
      { by: 'Ana', words: '“Why not in May?”' },
    ]);
  });

  it('says what to do where nobody decided in time, and not where somebody cancelled it', () => {
    const sentenceOf = (change: { decided_by: string | null; result_summary: string | null }) => {
      const plan = makePlan({ ...samples.rejected.plan, status: 'cancelled', ...change });
      return viewPlan({ ...samples.rejected, plan }).sentence;
    };
    const again = 'Ask again if you still want it.';
    expect(sentenceOf({ decided_by: null, result_summary: 'Nobody decided within 7 days.' })).toBe(
      `Cancelled. Nobody decided within 7 days. Nothing ran. ${again}`,
    );
    expect(sentenceOf({ decided_by: 'Ana', result_summary: null })).not.toContain(again);
  });

  it('shows the time of a decision in the reader’s zone', () => {
    const facts = { ...samples.completed, viewer: { user: 'Ana', timezone: 'America/New_York' } };
    expect(viewPlan(facts).approvals).toBe('Approved by you, 09:02');
    const unknown = { ...samples.completed, viewer: { user: 'Ben', timezone: 'Mars/Base' } };
    expect(viewPlan(unknown).approvals).toBe('Approved by Ana, 14:02 UTC');
  });
});

it('is the same for the same facts', () => {
  const facts = { ...samples.revised, plan: makePlan(samples.revised.plan), now };
  expect(viewPlan(facts)).toEqual(viewPlan(samples.revised));
});
