import { describe, expect, it } from 'vitest';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { type Blockage, describeBlockage } from '#domain/plan/blockage.ts';
import { makeFacts, samples, standupSteps } from '../../fixtures/plans.ts';

const gpu: Blockage = {
  kind: 'worker',
  step_ids: ['3', '4', '5'],
  count: 5,
  needs: ['gpu'],
  reason:
    'no worker offers the capability gpu. Start a worker whose countersign.json lists it under backends.',
};
const pool: Blockage = {
  kind: 'resource',
  step_ids: ['7'],
  count: 1,
  needs: ['gpu'],
  reason: 'for 4 of gpu; 6 of 8 are in use by PLAN-3f9a1c20.',
};

const labels = new Map<string, string>();

describe('a blockage in words', () => {
  it('calls the step by its label where that is known', () => {
    expect(describeBlockage(pool, new Map([['7', '2b']]))).toMatch(/^Step 2b waits for /);
  });

  it('names the first step and counts the others', () => {
    expect(describeBlockage(gpu, labels)).toBe(
      'Step 3 (and 4 others) waits: no worker offers the capability gpu. Start a worker whose countersign.json lists it under backends.',
    );
    expect(describeBlockage({ ...gpu, count: 2 }, labels)).toMatch(
      /^Step 3 \(and 1 other\) waits: /,
    );
    expect(describeBlockage({ ...gpu, count: 1001 }, labels)).toMatch(
      /^Step 3 \(and more than 1,000 /,
    );
    expect(describeBlockage(pool, labels)).toBe(
      'Step 7 waits for 4 of gpu; 6 of 8 are in use by PLAN-3f9a1c20.',
    );
  });
});

describe('the card', () => {
  const waiting = samples.paused.steps.map((step) => ({ ...step }));

  it('of a plan under way that nothing of runs says what it waiting for', () => {
    const plan = { ...samples.paused.plan, paused: false };
    const view = viewPlan(makeFacts(plan, waiting, { blocked: [gpu, pool] }));
    expect(view.state).toMatchObject({ words: 'Waiting for a worker', symbol: '◷', open: false });
    expect(drawText(view)).toContain(
      `Waiting\n  △ ${describeBlockage(gpu, labels)}\n  △ ${describeBlockage(pool, labels)}`,
    );
    const other = viewPlan(makeFacts(plan, waiting, { blocked: [pool] }));
    expect(other.state.words).toBe('Waiting for a shared resource');
  });

  it('of a plan of which something runs says both', () => {
    const { plan, steps } = samples.executing;
    const view = viewPlan(makeFacts(plan, steps, { blocked: [gpu] }));
    expect(view.state.words).toBe('Running');
    expect(view.sections.map(({ kind }) => kind)).toContain('blocked');
  });

  it('of a proposal warns, and leaves the decision open', () => {
    const view = viewPlan(makeFacts({}, standupSteps, { blocked: [gpu] }));
    expect(drawText(view)).toContain(
      'Not ready to run\n  △ Step 3 (and 4 others) would have to wait: no',
    );
    expect(view.buttons.map(({ label }) => label)).toContain('Approve');
  });
});
