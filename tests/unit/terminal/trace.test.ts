import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { listPlans, type PlansOptions } from '#adapters/terminal/plans.ts';
import type { PlanningTrace } from '#domain/planning/trace-view.ts';
import { createFakeService } from '../../fixtures/fake-service.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';
import { makeEntry, makeTrace, wholeTrace } from '../../fixtures/traces.ts';

const id = 'PLAN-3f9a1c20';

async function run(
  trace: PlanningTrace,
  options: Partial<PlansOptions> = {},
  terminal = createFakeTerminal(),
) {
  terminal.end();
  const service = createFakeService({ turns: [], trace });
  const all = { user: 'Ana', timezone: 'UTC', id, trace: true, poll_ms: 1, ...options };
  return { code: await listPlans(service, all, terminal), printed: terminal.printed(), terminal };
}

describe('the trace of a plan', () => {
  it('is told stage by stage: tool, time, cost, sureness, what was found and changed, who decided', async () => {
    const { code, printed } = await run(wholeTrace);
    expect(code).toBe(exitCodes.done);
    expect(printed).toBe(
      [
        '',
        '  Trace of PLAN-3f9a1c20 · gpt-4.1',
        '  a plan, because it changes something: workspace_write',
        '',
        '  Collect context · turn 1 · 1.1 s · $0.003',
        '    ✓ gpt-4.1           1.1 s  $0.003',
        '      calls select_pattern; 812 tokens in, 40 out',
        '    ✓ select_pattern    12 ms          high (0.90)',
        '      A milestone project.',
        '    enough context → Draft the outline · confidence high (0.82): own 0.90,',
        '      rules 0.80, heuristics 0.65',
        '',
        '  Draft the outline · turn 1 · 7 ms',
        '    ✕ generate_nodes     4 ms',
        '      generate_nodes: steps need an id.',
        '    ↺ gpt-4.1            3 ms',
        '      remembered: calls generate_nodes; 900 tokens in, 300 out',
        '    drafted → Check the outline',
        '',
        '  Check the outline · turn 1 · 2 ms',
        '    ✓ validate_grammar   2 ms          fair (0.55)',
        '      One thing to mend.',
        '      ✕ empty phase (3): The phase “Review” holds nothing.',
        '      ! rhythm mismatch: Nothing recurs.',
        '      − removed 3 by rule: it held nothing',
        '    shown to a person → Ask for approval · confidence fair (0.55)',
        '',
        '  Ask for approval · turn 2',
        '    ● approve by ana · after 2 h 10 min',
        '      PLAN-3f9a1c20, version 1, is approved. · asked: Reply “approve”.',
        '',
        '  In all 1.1 s · $0.003 · 5 calls · 1 failed · 1 remembered · 2 turns',
        '  ! 1 model call without a result, counted at the estimated $0.07.',
        '',
      ].join('\n'),
    );
  });

  it.each([20, 34, 59, 60, 100])('fits into %d columns', async (columns) => {
    const { printed } = await run(wholeTrace, {}, createFakeTerminal({ columns }));
    for (const line of printed.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(printed.replace(/\s+/g, ' ')).toContain('approve by ana');
  });

  it('has colours on a terminal, none with NO_COLOR, and the same words', async () => {
    const tty = (env: Record<string, string> = {}) => createFakeTerminal({ tty: true, env });
    const coloured = await run(wholeTrace, {}, tty());
    const plain = await run(wholeTrace, {}, tty({ NO_COLOR: '1' }));
    expect(coloured.printed).toContain('\u001b[32m✓');
    expect(plain.printed).not.toContain('\u001b');
    expect(coloured.terminal.plain()).toBe(plain.printed);
  });

  it('shows nothing hidden that a model or a tool said', async () => {
    const explanation = 'fine\u001b[2J\u202egnp.exe\nsecond line';
    const { printed } = await run(
      makeTrace({ entries: [makeEntry({ explanation, tool: 'a\u0007b' })] }),
    );
    expect(printed).toContain('a\\u{7}b');
    expect(printed).toContain('fine\\u{1B}[2J\\u{202E}gnp.exe second line');
  });

  it('is one JSON value with --json', async () => {
    const { code, printed } = await run(wholeTrace, { json: true });
    expect(code).toBe(exitCodes.done);
    expect(JSON.parse(printed)).toEqual(wholeTrace);
  });

  it('of a plan that no planner drafted says so', async () => {
    const { printed } = await run(makeTrace({ planner: 'proposed directly' }));
    expect(printed).toContain('This plan was submitted directly; no planner drafted it.');
    expect(printed).not.toContain('In all');
  });

  it('needs a plan', async () => {
    const terminal = createFakeTerminal();
    terminal.end();
    const options = { user: 'Ana', timezone: 'UTC', trace: true };
    const code = await listPlans(createFakeService({ turns: [] }), options, terminal);
    expect(code).toBe(exitCodes.usage);
    expect(terminal.printed()).toContain('countersign plans PLAN-… --trace.');
  });
});
