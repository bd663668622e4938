// Teams' cards in place of windows, a command and a Home tab.
import { createRequire } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { stepWindow } from '#adapters/slack/press/build-windows.ts';
import type { BuildForm } from '#cards/build-view.ts';
import { viewDetails } from '#cards/details-view.ts';
import { drawAdaptiveDetails, drawAdaptiveList, drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { platformLimits } from '#cards/limits.ts';
import { type ReviewPage, readReview } from '#cards/review.ts';
import { drawBuildFormDialog } from '#cards/teams-build.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { InboxPlan } from '#domain/plan/inbox.ts';
import { noPartWords } from '#domain/plan/step-choice.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import { checkSlackView } from '../../fixtures/block-kit.ts';
import {
  following,
  makeFacts,
  makeHugeFacts,
  makeListed,
  makeStep,
  now,
  samples,
} from '../../fixtures/plans.ts';
import { answerTo, listButtons, readCard } from '../../fixtures/teams/press.ts';
import { runInTurn } from '../../setup/watch-loop.ts';

/** Used instead of its own types, which fail this project's compiler options. */
type Renderer = {
  AdaptiveCard: new () => {
    parse(card: unknown): void;
    validateProperties(): { validationEvents: { message: string }[] };
  };
};
const { AdaptiveCard } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as Renderer;

function expectTaken(card: unknown): void {
  const parsed = new AdaptiveCard();
  parsed.parse(card);
  expect(parsed.validateProperties().validationEvents).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(25 * 1024);
}

const asked = { action: 'details', plan_id: 'PLAN-3f9a1c20', version: 1, digest: 'd' };
const back = { title: 'Back to the plan', verb: 'refresh', data: { plan_id: 'PLAN-3f9a1c20' } };
const pageOf = async (facts: PlanCardFacts) => {
  const service = { listSteps: async () => ({ steps: facts.steps, next_cursor: null }) };
  return {
    ...(await readReview(service, facts, '', platformLimits.teams.reviewPage)),
    pages: [''],
  };
};
const first = await pageOf(samples.proposed);
const proposed = drawAdaptiveDetails(viewDetails(samples.proposed, first, true), asked, back);

describe('details in Teams', () => {
  it('say of each step what it does, and of the plan what its card only says in words', () => {
    const facts = { ...samples.revised, plan: { ...samples.revised.plan, confidence: 0.62 } };
    const card = drawAdaptiveDetails(viewDetails(facts, first, false), asked, back);
    expectTaken(card);
    const text = readCard(card);
    expect(text).toContain('Creates notes/standup.md\ncontent: \nStandup at 9:30');
    expect(text).toContain('Confidence\nfair (0.62)');
    expect(text.replaceAll(' ', '')).toContain(facts.plan.digest);
    for (const word of text.split(/\s/)) expect(word.length).toBeLessThan(30);
    expect(listButtons(card)).toEqual(['Dry run', 'Back to the plan']);
  });

  it('approve the ticked steps, bound to what was shown, and never all of them by mistake', () => {
    const { action } = answerTo(proposed, ['Approve the checked steps'], { 'part:1': 'false' });
    expect(action.verb).toBe('approve_part');
    const { id: plan_id, version, digest } = samples.proposed.plan;
    const bound = { action: 'approve', plan_id, version, digest };
    expect(action.data).toEqual({ ...bound, 'part:0': 'true', 'part:1': 'false' });
    // A client that ignores verbs would approve the whole plan with this button.
    const button = proposed.actions;
    expect(button).toMatchObject([{ verb: 'approve_part', fallback: 'drop' }, {}]);
  });

  it('say why to look twice at a step before its values, whose indents stay', async () => {
    const content = 'if ready:\n    start()\n';
    const step = makeStep('1', { guarded: true, args: { path: 'a.py', content } });
    const call = { ...step.call, destructive: true };
    const facts = makeFacts({}, [{ ...step, call }]);
    const card = drawAdaptiveDetails(viewDetails(facts, await pageOf(facts), true), asked, back);
    const text = readCard(card);
    expect(text.indexOf('cannot be undone')).toBeLessThan(text.indexOf('content'));
    expect(text).toContain('if ready:\n\u00a0\u00a0\u00a0\u00a0start()');
  });

  it('have nothing to tick where it would decide nothing', () => {
    const notHere = viewDetails(samples.proposed, first, false);
    const running = viewDetails(samples.executing, first, true);
    const others = viewDetails({ ...samples.proposed, may_approve: false }, first, true);
    for (const view of [notHere, running, others]) {
      expect(view).toMatchObject({ approve: null, ticks: false });
    }
    // Who asked may change it.
    expect([notHere, running, others].map(({ edits }) => edits.length)).toEqual([0, 0, 2]);
  });

  it('of a plan that has none are said to have none', () => {
    const facts = {
      ...samples.proposed,
      steps: [],
      plan: { ...samples.proposed.plan, total_steps: 0 },
    };
    const card = drawAdaptiveDetails(
      viewDetails(facts, { ...first, steps: [] }, true),
      asked,
      back,
    );
    expect(readCard(card)).toContain('This plan has no steps.');
  });
});

describe('a large plan’s details', async () => {
  const huge = makeHugeFacts();
  const steps = Array.from({ length: 25 }, (_, i) =>
    makeStep(`s${i}`, { position: 16 + i, args: { path: `${i}.md`, content: '語'.repeat(3000) } }),
  );
  const service = { listSteps: async () => ({ steps, next_cursor: 'more' }) };
  const page = await readReview(service, huge, '', platformLimits.teams.reviewPage);
  const view = (pages: string[], next: string | null) =>
    viewDetails(huge, { ...page, pages, next }, true);
  const draw = (pages: string[], next: string | null) =>
    drawAdaptiveDetails(view(pages, next), asked, back);

  it('come in pages within Teams’ size, the calls that matter first', () => {
    const card = draw(['', 'a'], 'b');
    expectTaken(card);
    expect(readCard(card)).toContain('most dangerous first (100,000 in all)');
  });

  it('show every character of every value on one page or another', async () => {
    let shown = '';
    for (let cursor: string | null = ''; cursor !== null && shown.length < 75_000; ) {
      const { steps: some, next }: ReviewPage = await readReview(service, huge, cursor, 4000);
      const page = viewDetails(huge, { steps: some, next, pages: [''] }, true);
      expectTaken(runInTurn(() => drawAdaptiveDetails(page, asked, back)));
      shown += some.flatMap(({ parts }) => parts.map(({ text }) => text)).join('');
      cursor = next;
    }
    expect(shown).toBe('語'.repeat(75_000));
  });

  it('are approved from any page, bound to what was shown', () => {
    const { action } = answerTo(draw(['', 'a'], 'b'), ['Approve all 100,000']);
    const { id: plan_id, version, digest } = huge.plan;
    expect(action).toMatchObject({
      verb: 'approve',
      data: { action: 'approve', plan_id, version, digest },
    });
  });

  it('lead on and back by the cursors, and ask for details in the same way', () => {
    const card = draw(['', 'a', 'b'], 'c');
    const later = answerTo(card, ['Next page']).action;
    expect(later).toMatchObject({
      verb: 'details',
      data: { ...asked, pages: ['', 'a', 'b', 'c'] },
    });
    const { data } = answerTo(card, ['Previous page']).action;
    expect(data).toMatchObject({ ...asked, pages: ['', 'a'] });
    expect(listButtons(draw([''], 'a'))).not.toContain('Previous page');
    expect(listButtons(draw(['', 'a'], null))).not.toContain('Next page');
  });

  it('keep the way back short, however far somebody goes', () => {
    const pages = ['', ...Array.from({ length: 39 }, (_, i) => `${i}`)];
    expect(view(pages, 'next').later).toEqual(['', ...pages.slice(2), 'next']);
    expect(view(pages.slice(1), 'next').later).toHaveLength(40);
  });
});

describe('buttons that edit', () => {
  const contents = { short: 'Hi', long: '語'.repeat(700), quoted: '"<a>\\'.repeat(300) };
  it.each(
    Object.entries(contents).flatMap(([name, content]) =>
      [8, 200].map((length): [string, number, string] => [name, length, content]),
    ),
  )(
    'of 60 steps with %s texts and ids of %i characters fit their pages, each once',
    async (_, length, content) => {
      const steps = Array.from({ length: 60 }, (_, i) =>
        makeStep(`s${i}`.padEnd(length, '-'), { position: i, args: { path: `${i}.md`, content } }),
      );
      const whole = makeFacts({}, steps, { may_approve: true });
      const facts = { ...whole, steps: steps.slice(0, 24) };
      const service = {
        listSteps: async (_id: string, { cursor = '0' }: { cursor?: string }) => {
          const from = Number(cursor);
          const next_cursor = from + 25 < 60 ? String(from + 25) : null;
          return { steps: steps.slice(from, from + 25), next_cursor };
        },
      };
      const edited: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { reviewPage } = platformLimits.teams;
        const page: ReviewPage = await readReview(service, facts, cursor, reviewPage);
        const card = drawAdaptiveDetails(
          viewDetails(facts, { ...page, pages: [''] }, true),
          asked,
          back,
        );
        expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(25 * 1024);
        expect(checkAdaptiveCard(card)).toEqual([]);
        edited.push(...listButtons(card).filter((title) => title.startsWith('Edit ')));
        cursor = page.next;
      }
      expect(new Set(edited).size).toBe(60);
    },
  );
});

test('a form of a step with many predecessors of long names fits both chats', () => {
  const waits = Array.from({ length: 39 }, (_, i) => ({
    ...{ id: `s${i},`.padEnd(200, '語'), label: `${i}. `.padEnd(75, '語'), chosen: i % 2 === 0 },
  }));
  const form: BuildForm = {
    ...{ window: 'Edit', title: '語'.repeat(1000), operation: 'workspace_write', submit: 'Send' },
    ...{ page: 0, isLast: true, fields: [], lists: [], repeats: [], problems: [], at: '' },
    ...{ sources: waits.map(({ id }) => `{{${id}/text}}`), waits, opened: 'd'.repeat(64) },
  };
  const card = drawBuildFormDialog(form, { plan: 'PLAN-3f9a1c20', step: waits[0]?.id });
  expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(25 * 1024);
  expect(checkAdaptiveCard(card)).toEqual([]);
  const held = { team: 'T1', user: 'U1', place: { channel: 'C1', thread: '1.1' }, page: 0 };
  const edits = { plan: 'PLAN-3f9a1c20', step: 's'.repeat(200) };
  expect(checkSlackView(stepWindow({ ...held, edits }, form))).toEqual([]);
});

describe('the numbers of steps', () => {
  const chain = (count: number) =>
    makeFacts(
      {},
      Array.from({ length: count }, (_, i) =>
        makeStep(`s${i}`, { position: i + 1, after: i < 2 ? [] : following(`s${i - 1}`) }),
      ),
      { may_approve: true },
    );
  const pageOfChain = async (facts: PlanCardFacts) => {
    const service = { listSteps: async () => ({ steps: facts.steps, next_cursor: null }) };
    return { ...(await readReview(service, facts, '', 100_000)), pages: [''] };
  };

  it.each([
    [24, true],
    [25, false],
  ])(
    'of %i steps: they can be ticked is %s, and where not it is said why',
    async (count, ticks) => {
      const facts = chain(count);
      const known = { ...facts, steps: facts.steps.slice(0, 24) };
      const view = viewDetails(known, await pageOfChain(known), true);
      expect(view.approve).not.toBeNull();
      expect(view.ticks).toBe(ticks);
      expect(view.facts.some(({ text }) => text === noPartWords)).toBe(!ticks);
    },
  );
});

describe('the list of plans', () => {
  const mine = makeListed(samples.proposed.plan, {
    ...{ waits: 'approval', waits_since: now, may_approve: true },
  });
  const other = makeListed({ ...samples.executing.plan, id: 'PLAN-0000000a' });
  const list = (sections: { heading: string; plans: InboxPlan[]; more: string }[]) =>
    drawAdaptiveList({ title: 'Plans', sections, more: '', list: 'inbox', reader: null }, now);

  it('has its groups under their names, each plan with a way to its details', () => {
    const card = list([
      { heading: 'Needs you', plans: [mine], more: 'And 3 more: plans waiting' },
      { heading: 'Running', plans: [other], more: '' },
    ]);
    expectTaken(card);
    const text = readCard(card);
    const places = [
      ...['Needs you', 'needs your approval', 'And 3 more: plans waiting', 'Running', '2 of 5'],
    ].map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    const { data } = answerTo(card, ['Details']).action;
    expect(data).toMatchObject({ action: 'details', plan_id: 'PLAN-0000000a', list: 'inbox' });
    expect(answerTo(card, ['Review']).action.data).toMatchObject({ plan_id: mine.id });
  });

  it('stays within Teams’ size with as many as a list has, however long their titles', () => {
    const long = { ...samples.proposed.plan, title: '語'.repeat(300), requester: 'ب'.repeat(90) };
    const many = Array.from({ length: 20 }, () => makeListed(long, { waits: 'approval' }));
    expectTaken(list([{ heading: 'Needs you', plans: many, more: 'And 7 more: plans waiting' }]));
  });
});

describe('the settings', () => {
  const card = drawAdaptivePolicy({ policy: defaultPolicy, calendar: null }, 'Kept.');

  it('show every slider with what is set, and send back all of them', () => {
    expectTaken(card);
    expect(readCard(card)).toContain('Kept.');
    const { action } = answerTo(card, ['Save'], { 'slider:tone': 'clinical' });
    const set = { ...defaultPolicy, tone: 'clinical' };
    const sent = Object.entries(set).map(([name, value]) => [`slider:${name}`, String(value)]);
    expect(action).toMatchObject({ verb: 'settings_save', data: Object.fromEntries(sent) });
  });
});
