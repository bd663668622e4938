import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { ask } from '#adapters/terminal/ask.ts';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { CountersignError } from '#domain/errors.ts';
import { createFakeService, type Script } from '../../fixtures/fake-service.ts';
import { digest, following, makeFacts, makeStep, samples } from '../../fixtures/plans.ts';
import { createFakeTerminal, type FakeTerminal } from '../../fixtures/terminal.ts';

const planned: Script['turns'] = [
  { planning_status: 'needs_clarification', plan_id: 'PLAN-3f9a1c20', response_text: '' },
];
const done: Script = {
  turns: planned,
  plan: samples.proposed,
  after: { approve: [samples.approved, samples.executing, samples.completed] },
};

function start(
  script: Script,
  terminal: FakeTerminal,
  options: {
    yes?: boolean;
    json?: boolean;
    text?: string;
    answer_timeout_ms?: number;
    continues?: () => boolean;
  } = {},
) {
  const service = createFakeService(script);
  const code = ask(
    service,
    { text: 'Create notes/standup.md', user: 'Ana', timezone: 'UTC', poll_ms: 1, ...options },
    terminal,
  );
  return { service, code };
}

async function run(
  script: Script,
  lines: string[],
  options: Parameters<typeof start>[2] & { columns?: number } = {},
) {
  const terminal = createFakeTerminal(
    options.columns === undefined ? {} : { columns: options.columns },
  );
  for (const line of lines) terminal.type(line);
  terminal.end();
  const { service, code } = start(script, terminal, options);
  return { code: await code, calls: service.calls, printed: terminal.printed() };
}

function events(printed: string): Record<string, unknown>[] {
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('deciding about a plan', () => {
  it('draws the plan, approves exactly it, and reports', async () => {
    const { code, calls, printed } = await run(done, ['a']);
    expect(code).toBe(exitCodes.done);
    expect(calls.at(-1)).toEqual({
      method: 'approve',
      args: [
        'PLAN-3f9a1c20',
        { version: 1, digest },
        { kind: 'person', id: 'Ana', via: 'terminal' },
      ],
    });
    expect(printed).toBe(`
  Plan PLAN-3f9a1c20 · version 1 · offline planner
  Goal: Creates archive/standup.md containing "Standup at 9:30".

  What changes  1  Creates notes/standup.md · “Standup at 9:30”
                2  Moves notes/standup.md to archive/standup.md    after 1

  starts when approved · no cost · digest 9f3a1c20

  [a]pprove  [p]ropose changes  [r]eject  [d]etails › a
  ▰▰▰▰▱▱▱▱▱▱ 2 of 5 · Creates 3.txt · “3”

  ✓ Done · version 1 · PLAN-3f9a1c20
  All 2 steps are done.
  Goal: Creates archive/standup.md containing "Standup at 9:30".

  Results   ✓ 1  1.txt written, 12 bytes
            ✓ 2  2.txt written, 12 bytes

  Approved by you, 14:02
  took 2 min · $0.03 · offline planner · digest 9f3a1c20
`);
  });

  it.each([
    ['approve', 'approve', exitCodes.done],
    [' Approve ', 'approve', exitCodes.done],
    ['r', 'reject', exitCodes.refused],
    ['reject', 'reject', exitCodes.refused],
    ['cancel', 'cancel', exitCodes.refused],
  ])('the word "%s" does %s', async (word, method, expected) => {
    const after = { ...done.after, reject: [samples.rejected], cancel: [samples.cancelled] };
    const { code, calls } = await run({ ...done, after }, [word]);
    expect(code).toBe(expected);
    expect(calls.map((call) => call.method)).toEqual(['startRun', method]);
  });

  it.each([
    [
      'approve 1',
      { steps: ['1'] },
      'Approved 1 (Creates notes/standup.md · content: Standup at 9:30) only.',
    ],
    ['a 1-2', { steps: ['1', '2'] }, 'and 2 (Moves'],
    [
      'approve all but 2',
      { except: ['2'] },
      'Approved all but 2 (Moves notes/standup.md to archive/standup.md).',
    ],
  ])('"%s" approves the steps with these numbers', async (line, part, echo) => {
    const { code, calls, printed } = await run(done, [line]);
    expect(code).toBe(exitCodes.done);
    const sent = calls.find(({ method }) => method === 'approve');
    expect(sent?.args[1]).toEqual({ version: 1, digest, ...part });
    expect(printed).toContain(echo);
  });

  it('a number that is not drawn approves nothing', async () => {
    const { calls, printed } = await run(done, ['approve all but 4']);
    expect(calls.map((call) => call.method)).toEqual(['startRun']);
    expect(printed).toContain('There is no step 4. The steps go from 1 to 2.');
  });

  it.each([
    'approved',
    'LGTM, go ahead',
    'no',
    'cancel it',
    'make it tomorrow instead',
    'ok approve it, but later',
    'reject: too early',
    'approve 1 of them',
  ])('"%s" decides nothing; it is talk for the planner', async (line) => {
    const turns: Script['turns'] = [
      ...planned,
      {
        ...planned[0],
        planning_status: 'needs_clarification',
        response_text: 'Type approve to approve.',
      },
    ];
    const { code, calls } = await run({ ...done, turns }, [line]);
    expect(code).toBe(exitCodes.needsPerson);
    expect(calls.map((call) => call.method)).toEqual(['startRun', 'reply']);
  });

  it('proposes changes and shows the version that comes of it', async () => {
    const second = {
      ...samples.revised,
      plan: { ...samples.revised.plan, digest: 'b'.repeat(64) },
    };
    const after = {
      proposeChanges: [samples.revising, samples.revising, second],
      approve: [samples.completed],
    };
    const { code, calls, printed } = await run({ ...done, after }, ['p', '', 'Keep a copy', 'a']);
    expect(code).toBe(exitCodes.done);
    expect(calls.slice(1).map(({ method, args }) => [method, args[1]])).toEqual([
      ['proposeChanges', { version: 1, feedback: 'Keep a copy' }],
      ['approve', { version: 2, digest: 'b'.repeat(64) }],
    ]);
    expect(printed).toContain('~  Creates 1.txt: path: 1.txt → one.txt');
  });

  it('shows the version that comes between a look at the plan and one at its run', async () => {
    const second = {
      ...samples.revised,
      plan: { ...samples.revised.plan, digest: 'b'.repeat(64) },
    };
    const after = {
      proposeChanges: [...Array.from({ length: 5 }, () => samples.revising), second],
      approve: [samples.completed],
    };
    const { code, calls } = await run({ ...done, after }, ['propose changes: Keep a copy', 'a']);
    expect(code).toBe(exitCodes.done);
    expect(calls.slice(1).map(({ method, args }) => [method, args[1]])).toEqual([
      ['proposeChanges', { version: 1, feedback: 'Keep a copy' }],
      ['approve', { version: 2, digest: 'b'.repeat(64) }],
    ]);
  });

  it('shows the calls in full before it asks again', async () => {
    const { printed } = await run(done, ['d', 'a']);
    expect(printed).toContain(`Digest ${digest}`);
    expect(printed).toContain('workspace_move · changes something · after 1 · not started');
    expect(printed).toContain(
      '1  Creates notes/standup.md\n     │ content:\n     │   Standup at 9:30',
    );
    expect(printed.split('› ')).toHaveLength(3);
  });

  it('shows a long plan window by window, with what is most dangerous on the first', async () => {
    const tidy = { operation: 'delete', args: { path: 'payroll.csv' }, guarded: true };
    const steps = [
      makeStep('tidy', { ...tidy, position: 37 }),
      ...Array.from({ length: 23 }, (_, i) => makeStep(`s${i}`, { position: i + 1 })),
    ];
    const terminal = createFakeTerminal({ tty: true, columns: 100 });
    const { code } = start({ ...done, plan: makeFacts({ total_steps: 60 }, steps) }, terminal);
    await terminal.shows('[r]eject');
    terminal.type('d');
    await terminal.shows('[Enter] more');
    const [, first = ''] = terminal.plain().split('Digest ');
    expect(first).toContain('Permanently deletes payroll.csv · cannot be undone');
    expect(first.split('\n').length).toBeLessThanOrEqual(terminal.output.rows ?? 0);
    const back = terminal.shows('[r]eject', 2).then(() => false);
    for (let times = 2; ; times++) {
      terminal.type('');
      if (!(await Promise.race([terminal.shows('[Enter] more', times).then(() => true), back])))
        break;
    }
    expect(terminal.plain().match(/Creates s\d+\.txt$/gm)).toHaveLength(23);
    terminal.end();
    expect(await code).toBe(exitCodes.needsPerson);
  });

  it('shows in the details on what a step depends, and its difference in colour', async () => {
    const when = [{ step: 'a', path: '/ok', is: 'equals' as const, value: true }];
    const part = { label: 'difference', text: '@@ -1 +1 @@\n-old\n+new', later: false };
    const b = makeStep('b', { after: following('a'), ask_before: true });
    const call = { ...b.call, parts: [{ ...part, payload: false, aid: true as const }] };
    const steps = [makeStep('a'), { ...b, when, call }];
    const terminal = createFakeTerminal({ tty: true });
    const { code } = start({ ...done, plan: makeFacts({}, steps) }, terminal);
    await terminal.shows('[r]eject');
    terminal.type('d');
    await terminal.shows('[r]eject', 2);
    expect(terminal.plain()).toContain('     only if step 1 /ok is true · asks before it runs\n');
    expect(terminal.printed()).toContain('\u001b[31m-old');
    expect(terminal.printed()).toContain('\u001b[32m+new');
    terminal.end();
    await code;
  });

  it('shows the new version when the plan changed meanwhile, and approves nothing', async () => {
    const refuse = {
      method: 'approve',
      error: new CountersignError(
        'stale_version',
        'This plan changed while you were reading: version 2 is below.',
      ),
      plan: { ...samples.revised, plan: { ...samples.revised.plan, digest: 'b'.repeat(64) } },
    };
    const { code, printed } = await run({ ...done, refuse }, ['a']);
    expect(code).toBe(exitCodes.needsPerson);
    expect(printed).toContain('version 2 is below.');
    expect(printed).toContain('Plan PLAN-3f9a1c20 · version 2');
  });

  it('says what is missing when one approval is not enough', async () => {
    const { code, printed } = await run({ ...done, after: { approve: [samples.halfApproved] } }, [
      'a',
    ]);
    expect(code).toBe(exitCodes.needsPerson);
    expect(printed).toContain('1 of 2 approved (you). Waiting for Ben.');
  });

  it('leaves the plan waiting when nobody answers', async () => {
    const { code, printed } = await run(done, []);
    expect(code).toBe(exitCodes.needsPerson);
    expect(printed).toContain('countersign plans PLAN-3f9a1c20');
  });

  it('does not wait for ever for a pipe that stays silent', async () => {
    const terminal = createFakeTerminal();
    const { code } = start(done, terminal, { answer_timeout_ms: 5 });
    expect(await code).toBe(exitCodes.needsPerson);
  });

  it('--yes approves what was shown, without a question', async () => {
    const { code, calls, printed } = await run(done, [], { yes: true });
    expect(code).toBe(exitCodes.done);
    expect(calls.at(-1)?.args[1]).toEqual({ version: 1, digest });
    expect(printed).not.toContain('[a]pprove');
  });

  it('--yes does not help where somebody else must approve', async () => {
    const refuse = {
      method: 'approve',
      error: new CountersignError('not_allowed', 'Only Ben can approve this.'),
    };
    const { code, printed } = await run({ ...done, refuse }, [], { yes: true });
    expect(code).toBe(exitCodes.needsPerson);
    expect(printed).toContain('Only Ben can approve this.');
  });
});

describe('without a plan', () => {
  it('prints an answer', async () => {
    const turns: Script['turns'] = [
      { planning_status: 'complete', response_text: 'It holds:\n- a.txt' },
    ];
    const { code, printed } = await run({ turns }, []);
    expect(code).toBe(exitCodes.done);
    expect(printed).toContain('  It holds:\n  - a.txt\n');
  });

  it('asks what the planner asks, and says when it gave up', async () => {
    const turns: Script['turns'] = [
      {
        planning_status: 'needs_clarification',
        response_text: 'One thing is open.\nWhich file?',
        questions: ['Which file?'],
      },
      { planning_status: 'aborted', response_text: 'I ran out of time.' },
    ];
    const { code, calls, printed } = await run({ turns }, ['a.txt']);
    expect(code).toBe(exitCodes.noPlan);
    expect(calls.at(-1)?.args.slice(0, 2)).toEqual(['RUN-1', 'a.txt']);
    expect(printed).toContain('Which file?');
    expect(printed).toContain('I ran out of time.');
  });

  it('an empty request is no request', async () => {
    const { code, calls } = await run({ turns: [] }, [], { text: '  ' });
    expect(code).toBe(exitCodes.usage);
    expect(calls).toEqual([]);
  });

  it('never lets an answer steer the terminal', async () => {
    const turns: Script['turns'] = [
      { planning_status: 'complete', response_text: 'a\u001b[2Jb\u0007' },
    ];
    expect((await run({ turns }, [])).printed).toContain('a\\u{1B}[2Jb\\u{7}');
  });
});

describe('while it runs', () => {
  it('asks a person’s step here and sends the answer', async () => {
    const after = { approve: [samples.waiting], resume: [samples.completed] };
    const { code, calls, printed } = await run({ ...done, after }, ['a', 'Yes, room 3']);
    expect(code).toBe(exitCodes.done);
    expect(printed).toContain('Step 1b asks you: “Is the room booked?”');
    expect(calls.at(-1)?.args[1]).toEqual({
      version: 1,
      steps: { '2': 'done' },
      about: { '2': { attempt: 0, status: 'waiting' } },
      answer: 'Yes, room 3',
    });
  });

  const filling = { approve: [samples.filling], resume: [samples.completed] };
  const sent = {
    amount: 12.5,
    nights: 2,
    room: 'g',
    day: null,
    invoice: 'R-7',
    remarks: 'a\nb',
    paid: false,
  };

  it('asks for a form field by field, each again until it fits, and shows all before it is sent', async () => {
    const lines = [
      'a',
      'f',
      '-1',
      '12.50',
      '2.5',
      '2',
      '3',
      '2',
      '',
      '',
      'R-7',
      'a',
      'b',
      '',
      'no',
      's',
    ];
    const { code, calls, printed } = await run({ ...done, after: filling }, lines);
    expect(code).toBe(exitCodes.done);
    expect(printed).toContain(`
  Step 1b asks you: “What did the room cost?”
  • Amount in EUR · number of at least 0 (“12.50”)
  • Nights · whole number, optional
  • Room · one of 2: Blue, g (“Green”)
`);
    expect(printed).toContain(`
  Amount in EUR · number of at least 0 (“12.50”).
  › -1
  Amount in EUR must be at least 0.
  › 12.50
`);
    expect(printed).toContain(`
  Room · one of 2.
  1  Blue
  2  g (“Green”)
  › 3
  Room must be one of Blue, g (“Green”).
  › 2
`);
    expect(printed).toContain('  Invoice number is missing.\n');
    expect(printed).toContain(`
  Amount in EUR: 12.5
  Nights: 2
  Room: g (“Green”)
  Day: (left out)
  Invoice number: R-7
  Remarks: a b
  Is it paid?: no

  [s]end  [a]gain  [q]uit › s
`);
    expect(calls.at(-1)?.args[1]).toEqual({
      version: 1,
      steps: { '2': 'done' },
      about: { '2': { attempt: 0, status: 'waiting' } },
      answers: { '2': sent },
    });
  });

  it('sends nothing of a form that was left half-way', async () => {
    const { code, calls } = await run({ ...done, after: filling }, ['a', 'f', '12.50']);
    expect(code).toBe(exitCodes.needsPerson);
    expect(calls.map((call) => call.method)).toEqual(['startRun', 'approve']);
  });

  it.each([
    ['asked for', ['b', 'The office is closed']],
    ['said right away', ['blocked: The office is closed']],
  ])('a person who is blocked says why: %s', async (_, lines) => {
    for (const facts of [samples.filling, samples.waiting]) {
      const after = { approve: [facts], resume: [samples.completed] };
      const { calls } = await run({ ...done, after }, ['a', ...lines]);
      expect(calls.at(-1)?.args[1]).toEqual({
        version: 1,
        steps: { '2': 'failed' },
        about: { '2': { attempt: 0, status: 'waiting' } },
        answer: 'The office is closed',
      });
    }
  });

  it.each(['failed', 'Failed', 'plan', 'mark'])(
    'the answer "%s" is an answer, also where the plan is stalled',
    async (line) => {
      const { plan } = samples.waiting;
      const stalled = { ...samples.waiting, plan: { ...plan, status: 'stalled' as const } };
      const after = { approve: [stalled], resume: [samples.completed] };
      const { calls } = await run({ ...done, after }, ['a', line]);
      expect(calls.at(-1)).toMatchObject({
        method: 'resume',
        args: [plan.id, { steps: { '2': 'done' }, answer: line }, {}],
      });
    },
  );

  it('asks again when no reason is given', async () => {
    const after = { approve: [samples.waiting], resume: [samples.completed] };
    const { calls } = await run({ ...done, after }, ['a', 'b', '', 'Yes, room 3']);
    expect(calls.at(-1)?.args[1]).toMatchObject({ steps: { '2': 'done' }, answer: 'Yes, room 3' });
  });

  it.each([
    ['r', 'retry'],
    ['mark done', 'done'],
    ['f', 'failed'],
  ])('settles an unknown outcome by "%s"', async (word, resolution) => {
    const after = { approve: [samples.unknown], resume: [samples.completed] };
    const { calls, printed } = await run({ ...done, after }, ['a', 'I think so', word]);
    expect(calls.at(-1)?.args[1]).toEqual({
      version: 1,
      steps: { '2': resolution },
      about: { '2': { attempt: 1, status: 'unknown' } },
    });
    expect(printed).toContain('its result was never recorded');
  });

  it('--yes never answers for a person', async () => {
    const { code, calls } = await run({ ...done, after: { approve: [samples.waiting] } }, [], {
      yes: true,
    });
    expect(code).toBe(exitCodes.needsPerson);
    expect(calls.map(({ method }) => method)).toEqual(['startRun', 'approve']);
  });

  it('tells a failure and what can be done', async () => {
    const { code, printed } = await run({ ...done, after: { approve: [samples.failed] } }, ['a']);
    expect(code).toBe(exitCodes.failed);
    expect(printed).toContain(
      '  Failed        ✕ 1b  Permanently deletes archive/old.md\n                      Error: “archive/old.md does not exist.”\n',
    );
    expect(printed).toContain('  Not run       1c  Lists the workspace\n');
  });

  it('a plan that was paused can be resumed here', async () => {
    const after = { approve: [samples.paused], resume: [samples.completed] };
    const { code, calls } = await run({ ...done, after }, ['a', 'r']);
    expect(code).toBe(exitCodes.done);
    expect(calls.at(-1)).toMatchObject({
      method: 'resume',
      args: ['PLAN-3f9a1c20', { version: 1 }, {}],
    });
  });
});

describe('--json', () => {
  it('prints one object a line, the last one the outcome', async () => {
    const { printed, code } = await run(done, [], { yes: true, json: true });
    const all = events(printed);
    expect(code).toBe(exitCodes.done);
    expect(all.map(({ event }) => event)).toEqual([
      'run',
      'plan',
      'decision',
      'progress',
      'plan',
      'outcome',
    ]);
    expect(all[1]).toMatchObject({ plan_id: 'PLAN-3f9a1c20', version: 1, digest });
    expect(all.at(-1)).toMatchObject({
      exit_code: 0,
      outcome: 'done',
      status: 'completed',
      text: 'All 2 steps are done. Goal: Creates archive/standup.md containing "Standup at 9:30".',
    });
  });

  const about = { '2': { attempt: 0, status: 'waiting' } };
  it.each([
    [
      ['p', 'later'],
      { proposeChanges: [samples.proposed] },
      { action: 'propose_changes', version: 1, feedback: 'later' },
    ],
    [['approve 1'], {}, { action: 'approve', version: 1, digest, steps: ['1'] }],
    [
      ['a', 'Yes, room 3'],
      { approve: [samples.waiting], resume: [samples.completed] },
      { action: 'settle', version: 1, steps: { '2': 'done' }, about, answer: 'Yes, room 3' },
    ],
    [
      ['a', '{"amount": 3, "room": "Blue"}'],
      { approve: [samples.filling], resume: [samples.completed] },
      {
        ...{ action: 'settle', steps: { '2': 'done' }, about },
        answers: { '2': { amount: 3, room: 'Blue' } },
      },
    ],
  ])('carries a decision as the API takes it: %j', async (lines, after, decision) => {
    const script = { ...done, after: { ...done.after, ...after } };
    const { printed } = await run(script, lines, { json: true });
    const decisions = events(printed).filter(({ event }) => event === 'decision');
    expect(decisions.at(-1)).toMatchObject({ plan_id: 'PLAN-3f9a1c20', ...decision });
  });

  it('names a change that waits as a change, not as a step', async () => {
    const script = { ...done, after: { approve: [samples.changing] } };
    const { printed } = await run(script, [], { yes: true, json: true });
    const waiting = events(printed).find(({ event }) => event === 'waiting');
    expect(waiting).toMatchObject({ kind: 'change', patch_id: 'PATCH-0a1b2c3d' });
    expect(waiting).not.toHaveProperty('step_id');
  });
});

describe('on a terminal', () => {
  const colored = '\u001b[1m';

  it.each([
    ['colours where there is one', { tty: true, env: {} }, true],
    ['does not with NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }, false],
    ['does not on a dumb one', { tty: true, env: { TERM: 'dumb' } }, false],
    ['does not into a pipe', { tty: false, env: {} }, false],
  ])('%s', async (_, options, expected) => {
    const terminal = createFakeTerminal(options);
    const { code } = start(done, terminal, { yes: true });
    expect(await code).toBe(exitCodes.done);
    expect(terminal.printed().includes(colored)).toBe(expected);
  });

  it('repaints progress and leaves only the outcome', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const { code } = start(done, terminal);
    await terminal.shows('[a]pprove');
    terminal.type('a');
    expect(await code).toBe(exitCodes.done);
    expect(terminal.plain()).toContain('Ctrl-C leaves it running.');
    expect(terminal.printed()).toContain('\u001b[2K');
  });

  it('Ctrl-C at the question leaves the plan waiting and says how to find it', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const { code, service } = start(done, terminal);
    await terminal.shows('[a]pprove');
    terminal.press('\u0003');
    expect(await code).toBe(exitCodes.interrupted);
    expect(terminal.plain()).toContain('countersign plans PLAN-3f9a1c20');
    expect(service.calls.map(({ method }) => method)).toEqual(['startRun']);
  });

  it('Ctrl-C while it runs leaves it running', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const { code, service } = start(
      { ...done, after: { approve: [samples.executing] } },
      terminal,
      { yes: true },
    );
    await terminal.shows('Ctrl-C leaves it running.');
    terminal.interruptNow();
    expect(await code).toBe(exitCodes.interrupted);
    expect(terminal.plain()).toContain('Stopped watching. The plan is unaffected.');
    expect(service.calls.map(({ method }) => method)).toEqual(['startRun', 'approve']);
  });

  it('Ctrl-C says that the work stops where no other process does it', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const { code } = start({ ...done, after: { approve: [samples.executing] } }, terminal, {
      yes: true,
      continues: () => false,
    });
    await terminal.shows('Ctrl-C stops the work; it continues when Countersign runs again.');
    terminal.interruptNow();
    expect(await code).toBe(exitCodes.interrupted);
    expect(terminal.plain()).toContain('A running plan resumes when Countersign starts again');
  });

  it('shows what the planner is doing, and Ctrl-C stops it', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const activity = { kind: 'reading', operation: 'files_read', what: 'notes/brief.md' } as const;
    const turns: Script['turns'] = [{ planning_status: 'running', response_text: '', activity }];
    const { code, service } = start({ turns }, terminal);
    await terminal.shows('Reading notes/brief.md …   Ctrl-C stops');
    terminal.interruptNow();
    expect(await code).toBe(exitCodes.interrupted);
    expect(terminal.plain()).toContain('Planning stopped. Nothing has run.');
    expect(service.calls.at(-1)).toMatchObject({
      method: 'stopRun',
      args: ['RUN-1', 1, expect.anything()],
    });
  });

  it('Ctrl-D at the question leaves the plan waiting', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const { code } = start(done, terminal);
    await terminal.shows('[a]pprove');
    terminal.press('\u0004');
    expect(await code).toBe(exitCodes.needsPerson);
  });

  it('offers to retry what failed', async () => {
    const terminal = createFakeTerminal({ tty: true });
    const after = { approve: [samples.failed], retry: [samples.completed] };
    const { code } = start({ ...done, after }, terminal);
    await terminal.shows('[a]pprove');
    terminal.type('a');
    await terminal.shows('[r]etry the failed steps');
    terminal.type('r');
    expect(await code).toBe(exitCodes.done);
  });

  it.each([40, 25, 80, 200])('keeps to %i columns', async (columns) => {
    const plan = makeFacts({
      title: '語'.repeat(60),
      summary: `${'word '.repeat(30)}${'x'.repeat(90)}`,
    });
    const after = { approve: [samples.unknown], resume: [samples.failed] };
    const { printed } = await run({ ...done, plan, after }, ['d', 'a', 'd'], { columns });
    const widths = printed.split('\n').map((line) => stringWidth(line));
    expect(Math.max(...widths)).toBeLessThanOrEqual(Math.min(columns, 100));
    expect(Math.max(...widths)).toBeGreaterThan(Math.min(columns, 100) / 2);
  });
});
