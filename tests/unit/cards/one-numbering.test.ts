import { expect, it } from 'vitest';
import { fillWindow } from '#adapters/slack/press/fill-window.ts';
import { ask } from '#adapters/terminal/ask.ts';
import { viewDetails } from '#cards/details-view.ts';
import { readReview } from '#cards/review.ts';
import { viewPlan } from '#cards/view-model.ts';
import { labelKnownSteps } from '../../../adapters/console/page/plan/step-labels.ts';
import { createFakeService } from '../../fixtures/fake-service.ts';
import { following, labelled, makeFacts, makeStep } from '../../fixtures/plans.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

function makeChain(count: number) {
  const steps = labelled(
    Array.from({ length: count }, (_, i) =>
      makeStep(`s${i}`, {
        description: `Do ${i}`,
        position: i + 1,
        after: i < 2 ? [] : following(`s${i - 1}`),
      }),
    ),
  );
  const facts = makeFacts({}, steps);
  return { steps, facts: { ...facts, steps: steps.slice(0, 24) } };
}

const viewer = { user: 'Ana', timezone: 'UTC' };

it.each([
  [24, '1a', 'after 1b'],
  [25, '1', 'after 2'],
])(
  'of %i steps the first is %s on every surface, and the third waits %s',
  async (count, name, wait) => {
    const { steps, facts } = makeChain(count);
    const names = count < 25 ? ['1a', '1b', '2'] : ['1', '2', '3'];
    expect(names[0]).toBe(name);

    const listed = viewPlan(facts).sections.find(({ kind }) => kind === 'effects')?.lines ?? [];
    expect(listed.slice(0, 3).map(({ lead }) => lead)).toEqual(names);

    const listSteps = async () => ({ steps, next_cursor: null });
    const page = await readReview({ listSteps }, facts, '', 20_000);
    const details = viewDetails(facts, { ...page, pages: [''] }, true).steps;
    expect(details.slice(0, 3).map(({ lead }) => lead)).toEqual(names);

    const unasked = () => expect.unreachable();
    const service = { card: async () => facts, runCard: unasked, simulate: unasked, listSteps };
    const { id, version, digest } = facts.plan;
    const press = { action: 'details' as const, plan_id: id, version, digest };
    const window = JSON.stringify(
      await fillWindow(
        service,
        { team: 'T1', user: 'U1', press, place: null, missing: null, fields: [], pages: [] },
        viewer,
      ),
    );
    for (const [i, label] of names.entries())
      expect(window).toContain(`${label}  Creates s${i}.txt`);

    const called = labelKnownSteps({ facts }, { drawn: { steps }, list: null });
    expect(steps.slice(0, 3).map((step) => called.get(step.id))).toEqual(names);
    expect(called.size).toBe(count);

    const terminal = createFakeTerminal({ columns: 100 });
    terminal.type('d');
    terminal.end();
    const turns = [
      { planning_status: 'needs_clarification' as const, plan_id: id, response_text: '' },
    ];
    // Here the terminal draws the whole plan; details are paged.
    const fake = createFakeService({ turns, plan: { ...facts, steps } });
    await ask(fake, { text: 'Do it', user: 'Ana', timezone: 'UTC', poll_ms: 1 }, terminal);
    const [, printed = ''] = terminal.printed().split('Digest ');
    for (const [i, label] of names.entries())
      expect(printed).toContain(`\n  ${label}  Creates s${i}.txt\n`);
    expect(printed).toContain(` · ${wait} · `);
  },
);
