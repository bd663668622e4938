import { expect, test } from 'vitest';
import { platformLimits } from '#cards/limits.ts';
import { digestHome, drawHome, type HomeFacts, linesOfGroup } from '#cards/slack-lists.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import { makeGroups, makeListed, now, samples } from '../../fixtures/plans.ts';

const { plan } = samples.executing;
const homeOf = (group: InboxGroup, changes: Partial<InboxPlan> = {}): HomeFacts => ({
  groups: makeGroups({ [group]: [{ ...makeListed(plan), ...changes }] }),
  policy: defaultPolicy,
  calendar: null,
  policies: [],
  has_model: true,
});
const before = homeOf('running');

test('a step that has ended changes nothing on it, what stands nowhere there being no reason to draw it', () => {
  const { succeeded } = plan.counts;
  const after = homeOf('running', { counts: { ...plan.counts, succeeded: succeeded + 1 } });
  expect(digestHome(after)).toBe(digestHome(before));
  expect(drawHome(after, now)).toEqual(drawHome(before, now));
});

test.each([
  ['its end', homeOf('done', { status: 'completed' })],
  ['that it stalls', homeOf('failed', { status: 'stalled' })],
  ['a calendar that the reader connected', { ...before, calendar: 'calendar.example.com' }],
  ['its name', homeOf('running', { title: 'Another' })],
  ['how often it comes', homeOf('running', { repeats: ['every Monday'] })],
  ['that it waits for the reader', homeOf('needs_you', { waits: 'task', waits_step: '2' })],
  ['that it runs guarded calls', homeOf('running', { guarded_operations: ['http_request'] })],
])('of a plan that runs it shows %s', (_, after) => {
  expect(digestHome(after)).not.toBe(digestHome(before));
  expect(drawHome(after, now)).not.toEqual(drawHome(before, now));
});

test('what has waited longest stands first, and says what it waits for', () => {
  const [older, younger] = ['PLAN-0000000b', 'PLAN-0000000a'].map((id) =>
    makeListed({ ...plan, id }, { waits: 'task', waits_step: '3a', waits_since: now }),
  );
  if (older === undefined || younger === undefined) throw new Error('No plans.');
  const facts = { ...before, groups: makeGroups({ needs_you: [older, younger] }) };
  const shown = JSON.stringify(drawHome(facts, now));
  expect(shown.indexOf(older.id)).toBeLessThan(shown.indexOf(younger.id));
  expect(shown).toContain('needs your task, step 3a');
});

test('every group at its fullest fits one view, and what is left out is counted', () => {
  const many = (changes: Partial<InboxPlan>, from: number) =>
    Array.from({ length: linesOfGroup }, (_, index) => ({
      ...makeListed(plan),
      ...changes,
      id: `PLAN-${String(from + index).padStart(8, '0')}`,
    }));
  const groups = makeGroups({
    needs_you: many({ status: 'proposed', waits: 'approval', may_approve: true }, 0),
    running: many({}, 100),
    failed: many({ status: 'failed' }, 200),
    others: many({ status: 'proposed' }, 300),
    done: many({ status: 'completed' }, 400),
  }).map((page) => ({ ...page, total: 2000 }));
  const entries = Array.from({ length: 9 }, (_, index) => ({
    conversation: `C${index}`,
    request: 'x'.repeat(500),
    policy: defaultPolicy,
  }));
  const blocks = drawHome({ ...before, groups, policies: entries }, now);
  expect(blocks.length).toBeLessThanOrEqual(platformLimits.slack.viewBlocks);
  const shown = JSON.stringify(blocks);
  expect(shown.match(/And [\d,]+ more: \/plans \w+/g)).toEqual([
    'And 1,980 more: /plans waiting',
    'And 1,985 more: /plans running',
    'And 1,995 more: /plans failed',
    'And 1,985 more: /plans others',
  ]);
});

test('says that no model is connected, and how to connect one, where nothing is listed yet', () => {
  const empty = { ...before, groups: makeGroups({}), has_model: false };
  const words = 'an admin connects a model in the console';
  expect(JSON.stringify(drawHome(empty, now))).toContain(words);
  const connected = { ...empty, has_model: true };
  expect(JSON.stringify(drawHome(connected, now))).not.toContain(words);
  expect(digestHome(connected)).not.toBe(digestHome(empty));
});
