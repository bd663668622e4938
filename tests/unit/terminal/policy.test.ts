import { describe, expect, it } from 'vitest';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { type PolicyOptions, policy } from '#adapters/terminal/policy.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { createServiceDouble } from '../../fixtures/service-double.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

const service = createServiceDouble();

async function run(
  verb: PolicyOptions['verb'],
  values: string[] = [],
  options: { json?: boolean; columns?: number; user?: string } = {},
) {
  const terminal = createFakeTerminal({ columns: options.columns ?? 100 });
  terminal.end();
  const { user = 'ana', json = false } = options;
  const code = await policy(service, { user, timezone: 'UTC', verb, values, json }, terminal);
  return { code, printed: terminal.printed() };
}

describe('countersign policy', () => {
  it('shows every slider with what it does', async () => {
    const { code, printed } = await run('show');
    expect(code).toBe(exitCodes.done);
    expect(printed.split('\n')).toHaveLength(Object.keys(defaultPolicy).length + 2);
    expect(printed).toContain(
      '  conversation_style        Standard     The outcome and what you need to decide\n',
    );
    expect(printed).toContain('  probing_depth             At most two  Before planning');
  });

  it('sets some sliders and leaves the others, and says which are the person’s own', async () => {
    await run('set', ['conversation-style=coach', 'probing_depth=0']);
    const { printed } = await run('set', ['talkativeness=0.8'], { columns: 60 });
    expect(printed).toContain('  conversation_style: Coach · set by you\n');
    expect(printed).toContain('  probing_depth: None · set by you\n');
    expect(printed).toContain('  talkativeness: 80 % · set by you\n');
    expect(printed).toContain('  tone: Neutral\n');
    const { printed: json } = await run('show', [], { json: true });
    expect(JSON.parse(json)).toEqual({
      user: 'ana',
      policy: {
        ...defaultPolicy,
        conversation_style: 'coach',
        probing_depth: 0,
        talkativeness: 0.8,
      },
      set: { conversation_style: 'coach', probing_depth: 0, talkativeness: 0.8 },
      calendar: null,
    });
  });

  it('goes back to the defaults', async () => {
    await run('set', ['tone=friendly'], { user: 'ben' });
    const { printed } = await run('reset', [], { user: 'ben', json: true });
    expect(JSON.parse(printed)).toMatchObject({ policy: defaultPolicy, set: {} });
  });

  it.each([
    [[], 'Pass NAME=VALUE, such as conversation_style=concise.'],
    [['volume=11'], 'Unknown setting “volume”.'],
    [['tone'], 'tone is neutral, friendly or clinical, not empty.'],
    [['tone=loud'], 'tone is neutral, friendly or clinical, not “loud”.'],
    [['probing_depth=4'], 'probing_depth is 0, 1, 2 or 3, not “4”.'],
    [['talkativeness=very'], 'talkativeness is a number from 0 to 1, not “very”.'],
    [['talkativeness=1.01'], 'talkativeness is a number from 0 to 1, not “1.01”.'],
    [['tone=friendly', 'autonomy=none'], 'autonomy is high, medium or low, not “none”.'],
  ])('set %j is bad usage, and nothing is set', async (values, sentence) => {
    const before = await service.getPolicy('cy');
    const { code, printed } = await run('set', values, { user: 'cy' });
    expect(code).toBe(exitCodes.usage);
    expect(printed.replace(/\s+/g, ' ')).toContain(sentence);
    expect(await service.getPolicy('cy')).toEqual(before);
  });
});
