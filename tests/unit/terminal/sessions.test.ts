import { describe, expect, it } from 'vitest';
import { ask } from '#adapters/terminal/ask.ts';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { createFakeService, type Script } from '../../fixtures/fake-service.ts';
import { samples } from '../../fixtures/plans.ts';
import { sessionDigest, sessions } from '../../fixtures/sessions.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

const waiting: Script['turns'][number] = {
  planning_status: 'needs_clarification',
  response_text: 'Please decide.',
};
const planned: Script['turns'][number] = { ...waiting, plan_id: 'PLAN-3f9a1c20' };

const gated: Script = {
  turns: [waiting, waiting, planned],
  sessions: [sessions.outline, { ...sessions.roadmap, turn: 2 }, null],
  plan: samples.proposed,
  after: { approve: [samples.completed] },
};

async function run(
  script: Script,
  lines: string[],
  options: { yes?: boolean; json?: boolean } = {},
) {
  const terminal = createFakeTerminal();
  for (const line of lines) terminal.type(line);
  terminal.end();
  const service = createFakeService(script);
  const code = await ask(
    service,
    { text: 'Plan the launch', user: 'ana', timezone: 'Europe/Madrid', poll_ms: 1, ...options },
    terminal,
  );
  return { code, calls: service.calls.slice(1), printed: terminal.printed() };
}

const decisions = (calls: { method: string; args: unknown[] }[]) =>
  calls.filter(({ method }) => method === 'decideRun').map(({ args }) => args[1]);

describe('a session at a gate', () => {
  it('is drawn, approved stage by stage as it was shown, and followed by the plan', async () => {
    const { code, calls, printed } = await run(gated, ['a', 'approve', 'a']);
    expect(code).toBe(exitCodes.done);
    expect(decisions(calls)).toEqual([
      { kind: 'approve', digest: sessionDigest, turn: 1 },
      { kind: 'approve', digest: sessionDigest, turn: 2 },
    ]);
    expect(printed).toContain(`
  Launch the newsletter · offline planner
  ◷ Waiting for you · the outline
  Goal: The first newsletter is written, checked and announced.

  Outline   1  Write · phase
              1.1  Draft news/1.md · about 1 h 30 min
              1.2  Ana reads the draft · checkpoint
            2  Announce it · milestone, by Fri 20 Feb, 17:00
`);
    expect(printed).toContain('[a]pprove  [p]ropose changes  [r]eject › a\n');
    expect(printed).toContain('Why       “The announcement cannot be taken back.”');
  });

  it('is sent back with words, and asks for them when there are none', async () => {
    const { calls } = await run(gated, ['p', '', 'Add a test']);
    expect(decisions(calls)).toEqual([
      { kind: 'changes', feedback: 'Add a test', digest: sessionDigest, turn: 1 },
    ]);
  });

  it('hands everything else to the planner', async () => {
    const { calls } = await run(gated, ['approve it, please']);
    expect(calls.map(({ method, args }) => [method, args[1]])).toEqual([
      ['reply', 'approve it, please'],
    ]);
  });

  it('shows all of it on request, and waits on', async () => {
    const script = { ...gated, sessions: [sessions.largeOutline] };
    const { code, printed } = await run(script, ['d', 'q']);
    expect(code).toBe(exitCodes.needsPerson);
    expect(printed).toContain('[d]etails ›');
    expect(printed).toContain('6.30  Part p6t30');
  });

  it('leaves it waiting when nobody answers', async () => {
    const { code, calls } = await run(gated, []);
    expect(code).toBe(exitCodes.needsPerson);
    expect(calls).toEqual([]);
  });

  it('agrees with --yes to stages, but never to a new pattern or to more cost', async () => {
    const { code, calls } = await run(gated, [], { yes: true });
    expect(code).toBe(exitCodes.done);
    expect(decisions(calls)).toHaveLength(2);
    for (const session of [sessions.rfc, sessions.budget, sessions.escalation]) {
      const stopped = await run({ turns: [waiting], sessions: [session] }, [], { yes: true });
      expect([stopped.code, stopped.calls]).toEqual([exitCodes.needsPerson, []]);
    }
  });

  it('is a line of JSON for machines', async () => {
    const { printed } = await run(gated, ['q'], { json: true });
    const events = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.find(({ event }) => event === 'session')).toMatchObject({
      run_id: 'RUN-1',
      turn: 1,
      digest: sessionDigest,
      kind: 'outline',
    });
  });
});

describe('a schedule that doesn’t fit', () => {
  const script: Script = {
    turns: [waiting, waiting, waiting],
    sessions: [sessions.escalation, sessions.escalation, sessions.outline],
  };

  it('takes one of the ways by its number', async () => {
    const { calls, printed } = await run(script, ['3', '2']);
    expect(printed).toContain('2  Let Ana read it on Wednesday evening');
    expect(calls.map(({ method, args }) => [method, args[1]])).toEqual([
      ['reply', '3'],
      [
        'decideRun',
        {
          kind: 'changes',
          feedback: 'Let Ana read it on Wednesday evening',
          digest: sessionDigest,
          turn: 1,
        },
      ],
    ]);
  });
});
