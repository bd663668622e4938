import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { viewDetails } from '#cards/details-view.ts';
import { drawAdaptiveCard, drawBlocks } from '#cards/expand.ts';
import { viewPlan } from '#cards/view-model.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { readLag } from '#domain/length.ts';
import { asksForValues } from '#domain/plan/call.ts';
import type { Step } from '#domain/plan/plan.ts';
import { describeCall } from '#tools/describe-call.ts';
import { makeFacts, makeStep } from '../../fixtures/plans.ts';
import { rounds } from '../../rounds.ts';

const now = '2026-11-29T08:00:00.000Z';
const link = 'https://plans.example.com/at/?plan=PLAN-1';
const weekly = {
  id: 'weekly',
  title: 'Week',
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  starts_at: '2026-11-30T08:00:00.000Z',
  timezone: 'Europe/Berlin',
  until: null,
  steps: [],
};

function view(steps: ReturnType<typeof makeStep>[], more: Partial<PlanCardFacts> = {}) {
  const facts = makeFacts({ status: 'proposed', planner_model: 'offline planner' }, steps);
  return viewPlan({ ...facts, now, viewer: { user: 'ana', timezone: 'Europe/Berlin' }, ...more });
}

const linesOf = ({ sections }: ReturnType<typeof view>) =>
  sections.flatMap(({ lines }) => lines.map(({ text, note }) => `${text} · ${note}`));

/** `open` arguments are decided at run time. */
const calls = [
  { tool: 'http', operation: 'request', args: { method: 'POST', url: 'https://a.example' } },
  { tool: 'http', operation: 'get', args: { url: 'https://a.example' } },
  { tool: 'chat', operation: 'post', args: { text: 'Hi' } },
  { tool: 'chat', operation: 'post', args: { text: 'Hi', conversation: '#team' } },
  { tool: 'workspace', operation: 'write', args: { path: 'a.txt', content: 'x' } },
  { tool: 'workspace', operation: 'move', args: { from: 'a', to: 'b', overwrite: false } },
  { tool: 'workspace', operation: 'delete', args: { path: 'a.txt' } },
  { tool: 'reminder', operation: 'set', args: { text: 'Tea', at: '2026-12-01T09:00' } },
  { tool: 'text', operation: 'write', args: { instructions: 'A poem' } },
] as const;

const step = fc.record({
  call: fc.constantFrom(...calls),
  open: fc.array(fc.nat(3), { maxLength: 2 }),
  guarded: fc.boolean(),
  lag: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40_000 })),
  not_before: fc.option(fc.integer({ min: 1, max: 500_000 })),
});

type Drawn = typeof step extends fc.Arbitrary<infer One> ? One : never;

function build({ call, open, guarded, lag, not_before }: Drawn, at: number) {
  // Equal calls would share a line.
  const own = { ...call.args, nth: `n${at}x` };
  const args: Step['args'] = { ...own };
  const names = Object.keys(call.args);
  for (const nth of open) {
    const name = names[nth];
    if (name !== undefined) args[name] = { $decide: 'what fits' };
  }
  const { tool, operation } = call;
  const made = makeStep(String(at), {
    tool,
    operation,
    args,
    guarded,
    label: String(at),
    position: at,
    after: at === 1 ? [] : [{ id: String(at - 1), type: 'FS', lag_minutes: lag }],
    not_before:
      not_before === null ? null : new Date(Date.parse(now) + not_before * 60_000).toISOString(),
  });
  return {
    made: { ...made, call: describeCall(`${tool}_${operation}`, undefined, args) },
    final: own,
  };
}

test('shows every wait, date and stop that the executor makes', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (drawn) => {
      const steps = drawn.map((one, at) => build(one, at + 1));
      const lines = linesOf(view(steps.map(({ made }) => made)));
      for (const { made, final } of steps) {
        const { id, args, guarded, call, after, not_before } = made;
        const pieces = lines.find((line) => line.includes(`nth: n${id}x`))?.split(' · ') ?? [];
        const name = `${made.tool}_${made.operation}`;
        const stops = asksForValues(args, guarded, call, describeCall(name, undefined, final));
        if (stops) expect(pieces.join()).toMatch(/asks \S+ before it (?:is sent|runs)/);
        for (const { id: before, lag_minutes } of after) {
          if (lag_minutes === 0) continue;
          const wait = pieces.find((piece) => piece.endsWith(` after step ${before}`));
          expect(readLag(wait?.replace(/ after step \d+$/, '') ?? '')).toBe(lag_minutes);
        }
        if (not_before !== null) expect(pieces.join()).toContain('not before ');
      }
    }),
    { numRuns: rounds(100) },
  );
});

describe('a plan', () => {
  const plain = makeStep('1', { label: '1', after: [] });

  test('without times gains no line and no words', () => {
    const shown = view([plain], { link });
    const kinds = shown.sections.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'times' || kind === 'calendar')).toEqual([]);
    expect(shown.buttons.map(({ label }) => label)).toContain('Approve');
    const lines = linesOf(shown).join();
    expect(lines).toContain('1');
    expect(lines).not.toMatch(/takes|by |asks/);
  });

  test.each(['proposed', 'executing'] as const)(
    'with times, %s, links to them as a calendar in Slack and Teams where the console has an address',
    (status) => {
      const timed = { ...plain, not_before: '2026-12-03T08:00:00.000Z' };
      const drawn = (to: string | null) => {
        const shown = viewPlan(makeFacts({ status }, [timed], { link: to }));
        return [drawBlocks(shown), drawAdaptiveCard(shown)].map((card) => JSON.stringify(card));
      };
      const { id } = makeFacts().plan;
      for (const card of drawn(link))
        expect(card).toContain(`"https://plans.example.com/at/api/plans/${id}/schedule.ics"`);
      for (const card of drawn(null)) expect(card).not.toContain('schedule.ics');
    },
  );

  test('that repeats says so in its title, its goal and on its button', () => {
    const facts = makeFacts({ status: 'proposed', series: [weekly] }, [plain]);
    const { title, quotes, buttons } = viewPlan({ ...facts, repeats: ['every Monday'] });
    expect(title).toMatch(/ · repeats every Monday$/);
    expect(quotes.map(({ words }) => words).join()).toMatch(/ Repeats every Monday\.$/);
    expect(buttons[0]?.label).toBe('Approve · repeats every Monday');
  });

  test('that repeats does not count the occurrences proposed so far beside it', () => {
    const { description, tool, operation, args } = plain;
    const template = { id: 'note', description, tool, operation, args, after: [] };
    const steps = ['1', '2'].map((label) => ({ ...plain, id: `note#${label}`, label }));
    const series = [{ ...weekly, steps: [template] }];
    const facts = makeFacts({ status: 'proposed', series }, steps);
    const [call] = facts.review.calls;
    if (call === undefined) throw new Error('Nothing is reviewed.');
    const review = { ...facts.review, calls: [{ ...call, times: 5 }] };
    const shown = linesOf(viewPlan({ ...facts, review })).join();
    expect(shown).not.toContain('5 times');
    const once = { ...facts, review, plan: { ...facts.plan, series: [] } };
    expect(linesOf(viewPlan(once)).join()).toContain('5 times');
  });

  test('that starts later says when', () => {
    const { buttons, quotes, title } = view([{ ...plain, not_before: '2026-12-03T08:00:00.000Z' }]);
    expect(buttons[0]?.label).toBe('Approve · starts Thu 3 Dec, 09:00');
    expect(quotes.map(({ words }) => words).join()).toMatch(/ Starts Thu 3 Dec, 09:00\.$/);
    expect(title).toContain('starts Thu 3 Dec, 09:00');
  });

  test('with a schedule shows when each step takes place, how long and by when', () => {
    const times = {
      starts_at: '2026-12-03T08:00:00.000Z',
      ends_at: '2026-12-07T11:00:00.000Z',
      deadline: '2026-12-11T11:00:00.000Z',
    };
    const shown = view([{ ...plain, duration: '2 working days', duration_minutes: 960 }], {
      times: { 1: times },
      deadline: { at: times.deadline, ends_at: times.ends_at, label: '1', decides: '1' },
    });
    expect(linesOf(shown).join('\n')).toContain(
      'Thu 3 Dec, 09:00 – Mon 7 Dec, 12:00 (2 working days) · by Fri 11 Dec, 12:00',
    );
    expect(shown.sections.find(({ kind }) => kind === 'times')?.lines).toMatchObject([
      {
        text: 'Step 1 ends Mon 7 Dec, 12:00, due Fri 11 Dec, 12:00: 4 days to spare; step 1 decides when the plan ends',
      },
    ]);
  });

  test('with a deadline of what starts when approved says the day that it ends on', () => {
    const moment = '2026-02-03T13:59:00.000Z';
    const deadline = '2026-12-04T23:00:00.000Z';
    const shown = view([plain], {
      times: { 1: { starts_at: moment, ends_at: moment, deadline } },
      deadline: { at: deadline, ends_at: moment, label: '1', decides: null },
    });
    expect(linesOf(shown).join('\n')).toMatch(/ · by Fri 4 Dec, 24:00/);
    expect(shown.sections.find(({ kind }) => kind === 'times')?.lines).toMatchObject([
      { text: 'Step 1 is due Fri 4 Dec, 24:00: 5 days 15 h to spare' },
    ]);
    expect(linesOf(shown).join()).not.toContain('14:59');
  });

  test('that fills a person’s week says so, and has every week in its details', () => {
    const weeks = [
      { person: 'ana', from: '2026-11-30', share: 0.4 },
      { person: 'ben', from: '2026-12-07', share: 1.1 },
    ];
    const full = 'ben, week of 7 Dec: 110 % booked';
    const loads = view([plain], { weeks }).sections.filter(({ label }) => label === 'Working time');
    expect(loads.map(({ lines }) => lines.map(({ text }) => text))).toEqual([[full]]);
    const facts = { ...makeFacts({ status: 'proposed' }, [plain]), weeks };
    const { facts: rows } = viewDetails(facts, { steps: [], pages: [''], next: null }, true);
    expect(rows.find(({ label }) => label === 'Working time')?.text).toBe(
      `ana, week of 30 Nov: 40 % booked · ${full}`,
    );
  });

  test('that waits says what comes next and when', () => {
    const next = { ...plain, status: 'ready' as const, available_at: '2026-11-29T11:41:00.000Z' };
    const facts = makeFacts({ status: 'executing' }, [next]);
    const { state } = viewPlan({
      ...facts,
      next: [next],
      running: [],
      now,
      viewer: { user: 'ana', timezone: 'Europe/Berlin' },
    });
    expect(state.words).toBe('Next: step 1, 12:41');
  });
});

test('a rule is never shown raw', () => {
  const args = { text: 'Tea', rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30' };
  const { parts } = describeCall('reminder_set', undefined, { ...args, timezone: 'Europe/Berlin' });
  const words = parts.map(({ label, text }) => `${label}: ${text}`).join('\n');
  expect(words).toContain('repeats: every weekday at 09:30, until you stop it');
  expect(words).not.toContain('FREQ');
});
