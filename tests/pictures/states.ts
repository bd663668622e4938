// A message for every card state, named as in docs/cards.
import { slackDrawing } from '#adapters/slack/platform.ts';
import { fillDetails } from '#adapters/slack/press/fill-window.ts';
import { teamsDrawing } from '#adapters/teams/platform.ts';
import { drawDetails } from '#adapters/teams/press/show.ts';
import { drawAdaptivePolicy } from '#cards/expand-teams.ts';
import { platformLimits } from '#cards/limits.ts';
import { readReview } from '#cards/review.ts';
import { drawHome } from '#cards/slack-lists.ts';
import type { VisibleMessage } from '#chat/outbox/delivery-context.ts';
import { drawForChat } from '#chat/outbox/draw-message.ts';
import { describeRepeats } from '#conversation/plan-times.ts';
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import { reviewRank } from '#domain/plan/review-rank.ts';
import { describeTerms } from '#plans/content/terms.ts';
import {
  following,
  makeFacts,
  makeFinding,
  makeStep,
  now,
  samples,
  showStep,
} from '../fixtures/plans.ts';
import { sessions } from '../fixtures/sessions.ts';
import { draftStep } from '../fixtures/steps.ts';

const drawings = { slack: slackDrawing, teams: teamsDrawing };
export type ChatName = keyof typeof drawings;

export type CardState = { about: string } & (
  | { said: VisibleMessage }
  | { said: null; place: 'home' | 'window'; drawn: Record<ChatName, ChatContent> }
);

export function drawState(platform: ChatName, state: CardState): ChatContent {
  return state.said === null ? state.drawn[platform] : drawForChat(drawings[platform], state.said);
}

const viewer = { user: '', timezone: 'Europe/Madrid' };

const planned: ShownStep[] = [
  makeStep('1', {
    description: 'Read the notes in news/march.md',
    operation: 'read',
    target: 'news/march.md',
    args: { path: 'news/march.md' },
    effect: 'read',
  }),
  makeStep('2', {
    description: 'Look up the open orders of the shop',
    tool: 'http',
    operation: 'get',
    target: 'https://shop.example/orders',
    args: { url: 'https://shop.example/orders' },
    effect: 'read',
  }),
  makeStep('3', {
    description: 'Write the letter to news/2026-03.md',
    target: 'news/2026-03.md',
    args: {
      path: 'news/2026-03.md',
      content: 'Dear readers, the shop had a good month: twelve orders are open.',
    },
    after: following('1', '2'),
  }),
  makeStep('4', {
    description: 'Read the letter before it goes out',
    tool: 'human',
    operation: 'confirm',
    target: 'Ben',
    args: { assignee: 'Ben', question: 'May it go out like this?' },
    after: following('3'),
  }),
  makeStep('5', {
    description: 'Publish it on the site',
    tool: 'http',
    operation: 'request',
    target: 'https://site.example/news',
    guarded: true,
    args: {
      method: 'POST',
      url: 'https://site.example/news',
      body: { $decide: 'the letter as Ben left it' },
    },
    after: following('4'),
  }),
  makeStep('6', {
    description: 'Tell #team that it is out',
    tool: 'chat',
    operation: 'post',
    target: '#team',
    args: { text: 'The March newsletter is out.' },
    not_before: '2026-02-05T08:00:00.000Z',
    after: following('5'),
  }),
];

function stepsIn(...statuses: Step['status'][]): ShownStep[] {
  return planned.map((step, i) => {
    const status = statuses[i] ?? 'pending';
    const begun = status !== 'pending' && status !== 'ready' && status !== 'skipped';
    return {
      ...step,
      status,
      attempt: begun ? 1 : 0,
      started_at: begun ? `2026-02-03T14:0${i + 2}:00.000Z` : null,
      result_summary: status === 'succeeded' ? (results[i] ?? null) : null,
    };
  });
}

const results = [
  'news/march.md read, 4 KB',
  '12 orders are open',
  'news/2026-03.md written, 3 KB',
  'Yes',
  'Published the March newsletter',
  'Posted to #team',
];

function stateOf(
  plan: Partial<Plan>,
  steps: ShownStep[] = planned,
  facts: Partial<PlanCardFacts> = {},
): PlanCardFacts {
  return makeFacts(
    {
      title: 'March newsletter',
      summary: 'The March newsletter is on the site and #team knows about it.',
      requester: 'Ana',
      planner_model: 'gpt-5.2',
      confidence: 0.82,
      cost_usd: 0.04,
      risks: [
        {
          text: 'The site may refuse the letter while the shop is being updated',
          sign: 'it answers 503',
        },
      ],
      ...plan,
    },
    steps,
    {
      expected_minutes: 25,
      approvers: 'Ana or Ben',
      may_approve: false,
      viewer,
      ...facts,
    },
  );
}

const approved: Partial<Plan> = {
  approvals: [{ by: 'Ana', at: '2026-02-03T14:01:00.000Z' }],
  decided_by: 'Ana',
  decided_at: '2026-02-03T14:01:00.000Z',
};
const started = { ...approved, execution_started_at: '2026-02-03T14:02:00.000Z' };
const running = { status: 'executing', ...started } as const;
const ended = { ...started, execution_ended_at: '2026-02-03T14:09:40.000Z' };

const message = { session: null, facts: null, parts: null, superseded: false };

function ofPlan(about: string, facts: PlanCardFacts, text = ''): CardState {
  return { about, said: { ...message, text, facts } };
}

function ofSession(about: string, session: SessionCardFacts, text: string): CardState {
  const shown = { ...session, text, may_decide: false, approvers: 'Ana', viewer };
  return { about, said: { ...message, text, session: shown } };
}

const ready = {
  outline: 'The outline of “Launch the newsletter” is ready: 1 phase, 1 milestone and 2 tasks.',
  roadmap: 'The order is ready: “checked”, in 3 stages.',
  schedule: 'The dates are ready.',
};

const { diff } = samples.revised;

/** A plan's review: Slack's window, or Teams' card in place of the plan's own. */
async function ofReview(about: string, facts: PlanCardFacts, all: ShownStep[]): Promise<CardState> {
  const { id, version, digest: shown } = facts.plan;
  const press: CardPress = { action: 'details', plan_id: id, version, digest: shown };
  const inOrder = all.toSorted(
    (a, b) => reviewRank(b.call, b.guarded) - reviewRank(a.call, a.guarded),
  );
  const service = {
    listSteps: async () => ({
      steps: inOrder.slice(0, 25),
      next_cursor: all.length > 25 ? 'MjU' : null,
    }),
  };
  const place = { channel: 'C1', thread: null };
  const held = { team: 'T1', user: 'U1', place, press, missing: null, fields: [], pages: [''] };
  const page = await readReview(service, facts, '', platformLimits.teams.reviewPage);
  return {
    about,
    said: null,
    place: 'window',
    drawn: {
      slack: { text: about, card: await fillDetails(service, facts, held, false) },
      teams: { text: about, card: drawDetails(facts, page, { press, pages: [''], list: null }) },
    },
  };
}

const letter = [
  'Dear readers,',
  '',
  'the shop had a good month: 12 orders are still open, and the new shelves are in.',
  ...Array.from({ length: 12 }, (_, i) => `- ${i + 1} March: open from nine to six`),
  '',
  'See you in April.',
].join('\n');

const shortReview = [
  makeStep('1', {
    description: 'Write the letter',
    args: { path: 'news/2026-03.md', content: letter },
  }),
  makeStep('2', {
    description: 'Publish it on the site',
    tool: 'http',
    operation: 'request',
    guarded: true,
    args: {
      method: 'POST',
      url: 'https://site.example/news',
      headers: { 'content-type': 'text/markdown' },
      body: { $from: '1', path: '/content' },
    },
    after: following('1'),
  }),
  makeStep('3', {
    description: 'Remove the draft',
    operation: 'delete',
    args: { path: 'news/draft.md' },
    after: following('2'),
  }),
];

const longReview = Array.from({ length: 60 }, (_, i) => {
  const id = String(i + 1);
  if (i < 40)
    return makeStep(id, {
      description: 'See whether anybody still needs it',
      operation: 'read',
      effect: 'read',
      args: { path: `2025/${id}.md` },
    });
  if (i < 56)
    return makeStep(id, {
      description: 'Nobody has opened it this year',
      operation: 'move',
      args: { from: `2025/${i - 39}.md`, to: `archive/2025/${i - 39}.md` },
    });
  if (i < 58)
    return makeStep(id, {
      description: 'Tidy up',
      operation: 'delete',
      args: { path: `2025/old-${i}.md` },
    });
  return makeStep(id, {
    tool: 'http',
    operation: 'request',
    guarded: true,
    description: 'Tell the index that the notes have moved',
    args: { method: 'DELETE', url: `https://index.example/2025/${i}` },
  });
});
const cleanUp = {
  title: 'Archive the notes of 2025',
  summary: 'The notes of 2025 are in archive/2025, and the index knows it.',
  planner_model: 'gpt-5.2',
};
const newsletter = {
  title: 'March newsletter',
  summary: 'The March newsletter is on the site.',
  planner_model: 'gpt-5.2',
};

const comparedOf = (step: ShownStep) => ({
  id: step.id,
  description: step.description,
  call: step.call,
});
const asksLegal = makeStep('legal', {
  tool: 'human',
  operation: 'task',
  args: { assignee: 'Clara', question: 'Is the letter fine with legal?' },
});
const [, , writes, , publishes, tells] = planned;
const [oldSite, oldMail, oldPoster] = ['site-b', 'mail', 'poster'].map((id) =>
  makeStep(id, {
    tool: 'http',
    operation: 'request',
    args: { method: 'POST', url: `https://${id}.example/news` },
  }),
);

const changedNewsletter = {
  added: [asksLegal, tells].flatMap((step) => (step === undefined ? [] : [comparedOf(step)])),
  removed: [oldSite, oldMail, oldPoster].flatMap((step) =>
    step === undefined ? [] : [comparedOf(step)],
  ),
  changed: [
    ...(publishes === undefined
      ? []
      : [
          {
            ...comparedOf(publishes),
            fields: ['not_before'],
            changes: [
              {
                field: 'not_before',
                from: '2026-02-04T09:00:00.000Z',
                to: '2026-02-04T10:00:00.000Z',
              },
            ],
            changes_total: 1,
          },
        ]),
    ...(writes === undefined
      ? []
      : [
          {
            ...comparedOf(writes),
            fields: ['args'],
            changes: [
              { field: 'args.content', from: 'Dear all, the shop', to: 'Dear readers, the shop' },
            ],
            changes_total: 1,
          },
        ]),
  ],
  counts: { added: 2, removed: 3, changed: 2 },
};

/** Ben reads on Thursday in his own time; the card's link leads to the dates. */
const timed: Partial<PlanCardFacts> = {
  link: 'https://plans.example.com/?plan=PLAN-3f9a1c20',
  scheduled: { starts_at: '2026-02-04T08:00:00.000Z', ends_at: '2026-02-06T08:00:00.000Z' },
  expected_minutes: 300,
  expected_is_work: true,
  times: {
    4: {
      starts_at: '2026-02-05T08:00:00.000Z',
      ends_at: '2026-02-05T12:00:00.000Z',
      deadline: '2026-02-06T11:00:00.000Z',
    },
  },
  deadline: {
    at: '2026-02-06T11:00:00.000Z',
    ends_at: '2026-02-05T12:00:00.000Z',
    label: '3',
    decides: '3',
  },
};
const timedSteps = planned.map((step) =>
  step.id === '4'
    ? { ...step, duration: '4 h', duration_minutes: 240 }
    : { ...step, not_before: step.id === '6' ? '2026-02-06T08:00:00.000Z' : step.not_before },
);
const metrics = { makespan_minutes: 300, width: 2, unchecked_writes: 0, unguarded: 0 };
const everyMonday = makeStep('note#2026-02-09', {
  description: 'Write the week down',
  target: 'reports/week.md',
  args: { path: 'reports/week.md', content: 'done' },
  not_before: '2026-02-09T08:00:00.000Z',
});

const repeating = stateOf(
  {
    title: 'Weekly report',
    summary: 'Every week is in reports/week.md.',
    series: [
      {
        id: 'week',
        title: 'Weekly report',
        rrule: 'FREQ=WEEKLY;BYDAY=MO',
        starts_at: '2026-02-09T08:00:00.000Z',
        timezone: 'Europe/Madrid',
        until: null,
        steps: [draftStep('note', 'Write the week down', 'workspace_write', everyMonday.args)],
      },
    ],
  },
  [everyMonday],
  { link: timed.link ?? null },
);

export const cardStates = {
  proposed: ofPlan('A plan waits for a decision', stateOf({})),
  'new-version': ofPlan(
    'A new version, with what changed',
    stateOf({ version: 2 }, planned, {
      diff:
        diff === null
          ? null
          : {
              ...diff,
              ...changedNewsletter,
              terms: ['steps no longer ask before they run'],
              minutes: { from: 40, to: 25 },
            },
    }),
  ),
  'second-approval': ofPlan(
    'One of two approvals is given',
    stateOf({ approvals: [{ by: 'Ana', at: '2026-02-03T14:01:00.000Z' }] }, planned, {
      approvals_needed: 2,
      approval_rules: [{ operations: [], needed: 2, given: ['Ana'], missing: 'Ben' }],
      approvers: 'Ben',
    }),
  ),
  approved: ofPlan('Approved, about to start', stateOf({ status: 'approved', ...approved })),
  running: ofPlan(
    'Running, with progress',
    stateOf(running, stepsIn('succeeded', 'succeeded', 'running')),
  ),
  waiting: ofPlan(
    'Waiting for a person’s word before a call',
    stateOf(
      running,
      stepsIn('succeeded', 'succeeded', 'succeeded', 'succeeded', 'waiting').map((step) =>
        step.id === '5'
          ? {
              ...step,
              question: 'Publish news/2026-03.md (3 KB) to https://site.example/news?',
              output: { confirm: true },
            }
          : step,
      ),
    ),
  ),
  'human-task': ofPlan(
    'A person’s task',
    stateOf(
      running,
      stepsIn('succeeded', 'succeeded', 'succeeded', 'waiting').map((step) =>
        step.id === '4'
          ? showStep({
              ...step,
              operation: 'task',
              question: 'Send news/2026-03.md to the translator and note what it costs.',
              output: { assignee: 'Ben' },
            })
          : step,
      ),
    ),
  ),
  'yes-no': ofPlan(
    'A question that is answered with Yes or No',
    stateOf(
      running,
      stepsIn('succeeded', 'succeeded', 'succeeded', 'waiting').map((step) =>
        step.id === '4'
          ? {
              ...step,
              question: 'Read news/2026-03.md. May it go out like this?',
              output: { assignee: 'Ben' },
            }
          : step,
      ),
    ),
  ),
  'human-form': ofPlan('A person’s task with a form', {
    ...samples.filling,
    viewer,
    link: null,
  }),
  'unknown-outcome': ofPlan('A call whose outcome is not known', { ...samples.unknown, viewer }),
  'change-asked': ofPlan('A change that needs an approval of its own', {
    ...samples.changing,
    viewer,
    patch:
      samples.changing.patch === null ? null : { ...samples.changing.patch, may_approve: false },
  }),
  problem: ofPlan(
    'A problem holds part of a plan',
    stateOf(running, stepsIn('succeeded', 'succeeded', 'running', 'stale', 'stale'), {
      findings: {
        open: [
          makeFinding({
            message: 'https://shop.example/orders has changed since step 1b read it.',
            step_id: '2',
            stale_steps: 2,
            evidence: [{ text: '12 orders were open then, 14 are now' }],
          }),
        ],
        more: 0,
      },
    }),
  ),
  correcting: ofPlan(
    'A plan that is being corrected',
    stateOf(running, stepsIn('succeeded', 'succeeded', 'running', 'stale', 'stale'), {
      findings: {
        open: [
          makeFinding({
            message: 'https://shop.example/orders has changed since step 1b read it.',
            stale_steps: 2,
            status: 'replanning',
            replans: 1,
          }),
        ],
        more: 0,
      },
    }),
  ),
  paused: ofPlan('Paused', stateOf({ ...running, paused: true }, stepsIn('succeeded', 'ready'))),
  completed: ofPlan(
    'Done',
    stateOf(
      { status: 'completed', ...ended, result_summary: '6 steps done.' },
      planned.map((step, i) => ({
        ...step,
        status: 'succeeded' as const,
        result_summary: results[i] ?? null,
        output: step.id === '5' ? { permalink: 'https://site.example/news/march' } : null,
      })),
    ),
  ),
  failed: ofPlan(
    'Failed, with what can be done now',
    stateOf(
      { status: 'failed', ...ended },
      stepsIn('succeeded', 'succeeded', 'succeeded', 'succeeded', 'failed', 'skipped').map(
        (step) =>
          step.id === '5'
            ? {
                ...step,
                error: {
                  code: 'tool_failed',
                  message: 'https://site.example/news answered 503 three times.',
                },
              }
            : step,
      ),
    ),
  ),
  'needs-review': ofPlan(
    'Refused three times: a person decides',
    stateOf({
      status: 'needs_review',
      version: 3,
      rejection_history: ['Leave out the orders', 'Shorter', 'Still too long'].map(
        (feedback, i) => ({
          version: i + 1,
          by: i === 1 ? 'Ben' : 'Ana',
          at: '2026-02-03T14:02:00.000Z',
          feedback,
        }),
      ),
    }),
  ),
  'being-revised': ofPlan(
    'A new version is being drafted',
    stateOf({
      status: 'rejected',
      revising: true,
      rejection_history: [
        { version: 1, by: 'Ana', at: '2026-02-03T14:02:00.000Z', feedback: 'Leave out the orders' },
      ],
    }),
  ),
  stale: ofPlan(
    'Nobody has decided for a while',
    stateOf({}),
    'PLAN-3f9a1c20 “March newsletter” is still waiting for a decision. It will be cancelled in 3 days unless someone decides.',
  ),
  expired: ofPlan(
    'Nobody decided in time',
    stateOf({ status: 'cancelled', result_summary: 'Nobody decided within 7 days.' }),
  ),
  stalled: ofPlan(
    'Nothing has moved for a while',
    stateOf({ status: 'stalled', ...started }, stepsIn('succeeded', 'running')),
  ),
  cancelled: ofPlan(
    'Cancelled on the way',
    stateOf(
      { status: 'cancelled', ...ended },
      stepsIn('succeeded', 'succeeded', 'cancelled', 'cancelled', 'cancelled', 'cancelled'),
    ),
  ),
  rejected: ofPlan(
    'Rejected',
    stateOf({
      status: 'rejected',
      decided_by: 'Ana',
      decided_at: '2026-02-03T14:02:00.000Z',
      rejection_history: [
        { version: 1, by: 'Ana', at: '2026-02-03T14:02:00.000Z', feedback: 'Not this month' },
      ],
    }),
  ),
  superseded: {
    about: 'A card with a newer one below it',
    said: { ...message, text: '', facts: stateOf({}), parts: null, superseded: true },
  },
  'portfolio-conflict': ofPlan(
    'Its times meet other plans',
    stateOf({}, planned, {
      conflicts: [
        '“Read the letter” overlaps Team meeting on Thu 5 Feb, 11:00. There is room on Thu 5 Feb, 12:00.',
        '“Tell #team” overlaps PLAN-77c0a1b2 “Spring sale” on Thu 5 Feb, 10:00. There is no room near.',
      ],
      moves: [
        {
          step: 'read',
          title: 'Read the letter',
          from: '2026-02-05T10:00:00.000Z',
          slots: ['2026-02-05T11:00:00.000Z', '2026-02-06T10:00:00.000Z'],
          timezone: 'UTC',
        },
      ],
    }),
  ),
  scheduled: ofPlan(
    'A schedule with a deadline, around somebody’s own calendar',
    stateOf({}, timedSteps, {
      ...timed,
      conflicts: [
        '“Read the letter before it goes out” overlaps an appointment of “Ben” on Thu 5 Feb, 10:00. There is room on Thu 5 Feb, 14:00.',
      ],
    }),
  ),
  shifted: ofPlan(
    'An appointment moved while it runs',
    stateOf(running, stepsIn('succeeded', 'succeeded', 'succeeded', 'ready'), {
      link: timed.link ?? null,
      scheduled: timed.scheduled ?? null,
      moved: [
        {
          node: 'read',
          title: 'Read the letter before it goes out',
          ends_at: '2026-02-05T12:00:00.000Z',
          moved_to: '2026-02-05T16:00:00.000Z',
        },
      ],
    }),
  ),
  recurring: ofPlan('A plan that repeats', {
    ...repeating,
    ...describeRepeats(repeating.plan.series),
    terms: describeTerms(repeating.plan, new Date(now)),
  }),
  ordered: ofPlan(
    'Orders were compared',
    stateOf({}, planned, {
      orders: {
        chosen: 'checked',
        reason: 'Ben reads the letter before anything leaves.',
        options_tried: ['checked', 'fast'].map((name, at) => ({
          ...{ name, differs: 'When Ben reads it.', score: 0.9 - at / 10 },
          metrics: { ...metrics, checkpoints: 1 - at },
        })),
      },
    }),
  ),
  question: ofSession('Questions before a plan is made', sessions.question, 'Before I plan:'),
  options: ofSession(
    'A choice',
    { ...sessions.offers, questions: ['Which of these do you mean?'] },
    'Which of these do you mean?',
  ),
  outline: ofSession('The outline waits for approval', sessions.outline, ready.outline),
  roadmap: ofSession('The order waits for approval', sessions.roadmap, ready.roadmap),
  schedule: ofSession('The dates wait for approval', sessions.schedule, ready.schedule),
  'outline-approved': ofSession(
    'What a decided card looks like',
    {
      ...sessions.outline,
      over: { kind: 'approve', by: 'Ana', at: '2026-02-03T14:02:00.000Z' },
    },
    ready.outline,
  ),
  rfc: ofSession('A new pattern is proposed', sessions.rfc, ''),
  budget: ofSession(
    'Planning costs more than agreed',
    sessions.budget,
    'Planning has cost $0.31 so far, more than the $0.30 that a turn may cost.',
  ),
  escalation: ofSession('The schedule does not fit', sessions.escalation, ''),
  'not-planned': ofSession('Planning gave up', sessions.aborted, sessions.aborted.text),
  overtaken: ofSession(
    'Planning gave up, and something else was asked for since',
    sessions.overtaken,
    sessions.overtaken.text,
  ),
  review: await ofReview(
    'A plan opened to be read whole, with steps to leave out',
    makeFacts(newsletter, shortReview, { viewer }),
    shortReview,
  ),
  'review-large': await ofReview(
    'A plan of sixty steps opened to be read whole: what to look at comes first',
    makeFacts(cleanUp, longReview, { viewer }),
    longReview,
  ),
  policy: {
    about: 'How somebody likes to be asked: on the Home tab, and by “settings”',
    said: null,
    place: 'home',
    drawn: {
      slack: {
        text: 'Home',
        card: drawHome(
          { groups: [], policy: defaultPolicy, calendar: null, policies: [], has_model: true },
          now,
        ),
      },
      teams: {
        text: 'Preferences',
        card: drawAdaptivePolicy({ policy: defaultPolicy, calendar: null }, ''),
      },
    },
  },
  answer: {
    about: 'An answer',
    said: {
      ...message,
      text: 'There are 3 files in news/: march.md, april.md and readers.csv. The newest is april.md, from yesterday.',
    },
  },
} satisfies Record<string, CardState>;
