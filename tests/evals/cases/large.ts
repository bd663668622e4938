// Many items of one kind are one for_each; none are lost.
import { does, type EvalCase, fields, gate, listOf, looks, oneOf, plans, text } from '../case.ts';

const cache = Object.fromEntries(
  Array.from({ length: 1000 }, (_, index) => [
    `cache/part-${String(index).padStart(4, '0')}.${index % 4 === 0 ? 'keep' : 'tmp'}`,
    'x',
  ]),
);

const issue = fields({ id: text, title: text, project: text });
const issues = Array.from({ length: 60 }, (_, index) => ({
  id: `W-${index + 1}`,
  title: `Page ${index + 1} is slow`,
  project: index % 3 === 0 ? 'mobile' : 'web',
}));
const tracker = [
  looks(
    'tracker_list_issues',
    'List open issues, 20 a page.',
    { 'cursor?': text, 'state?': oneOf('open', 'closed') },
    fields({ issues: listOf(issue), next_cursor: { type: ['string', 'null'] } }),
    { args: { cursor: 'p2' }, data: { issues: issues.slice(20, 40), next_cursor: 'p3' } },
    { args: { cursor: 'p3' }, data: { issues: issues.slice(40), next_cursor: null } },
    { data: { issues: issues.slice(0, 20), next_cursor: 'p2' } },
  ),
  does('tracker_assign_issue', 'Assign an issue to somebody.', { id: text, assignee: text }),
];

const photos = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`inbox/photo-${index + 1}.jpg`, 'jpg']),
);

export const large: EvalCase[] = [
  {
    id: 'large-delete-temporary',
    request: 'delete all the .tmp files in cache/',
    files: cache,
    expect: plans(
      [
        gate('workspace_delete', { path: 'cache/part-0001.tmp' }),
        gate('workspace_delete', { path: 'cache/part-0999.tmp' }),
      ],
      { count: 750, only: ['workspace_delete'], atMost: { calls: 3, tokensACall: 20_000 } },
    ),
  },
  {
    id: 'large-move-folder',
    request: 'move every photo in inbox/ to photos/2026/',
    files: photos,
    expect: plans(
      [gate('workspace_move', { from: 'inbox/photo-30.jpg', to: 'photos/2026/photo-30.jpg' })],
      { count: 30, only: ['workspace_move'], atMost: { calls: 3 } },
    ),
  },
  {
    id: 'large-pages',
    request: 'assign every open issue of the web project to lena',
    operations: tracker,
    expect: plans(
      [
        gate('tracker_assign_issue', { id: 'W-2', assignee: 'lena' }),
        gate('tracker_assign_issue', { id: 'W-60', assignee: 'lena' }),
      ],
      { count: 40, only: ['tracker_assign_issue'], atMost: { calls: 3 } },
    ),
  },
  {
    id: 'large-numbered-list',
    request: `1. write onboarding/day1.md saying Laptop and badge
2. write onboarding/day2.md saying Meet the team
3. write onboarding/day3.md saying First ticket
4. ask Raj to order a laptop
5. ask Mira to create the accounts
6. once both are done, post "Noor is all set up" in #people
7. remind me on 9 March at 9 to welcome Noor
8. remind me on 13 March at 16:00 to ask Noor how the week was
9. move templates/contract.md to people/noor/contract.md
10. ask Noor to sign people/noor/contract.md, after 9
11. when signed, post "contract signed" in #people
12. delete onboarding/old.md`,
    files: { 'templates/contract.md': 'Contract', 'onboarding/old.md': 'old' },
    expect: plans(
      [
        gate('workspace_write', { path: 'onboarding/day1.md' }),
        gate('workspace_write', { path: 'onboarding/day2.md' }),
        gate('workspace_write', { path: 'onboarding/day3.md' }),
        gate('human_task', { assignee: { $has: ['raj'] } }, { key: 'laptop' }),
        gate('human_task', { assignee: { $has: ['mira'] } }, { key: 'accounts' }),
        gate('chat_post', { text: { $has: ['all set up'] } }, { key: 'set up' }),
        gate('reminder_set', { at: { $time: '2026-03-09T08:00:00Z' } }),
        gate('reminder_set', { at: { $time: '2026-03-13T15:00:00Z' } }),
        gate('workspace_move', {}, { key: 'move' }),
        gate('human_task', { assignee: { $has: ['noor'] } }, { key: 'sign' }),
        gate('chat_post', { text: { $has: ['contract signed'] } }, { key: 'signed' }),
        gate('workspace_delete', { path: 'onboarding/old.md' }),
      ],
      {
        count: 12,
        order: [
          ['laptop', 'set up'],
          ['accounts', 'set up'],
          ['move', 'sign'],
          ['sign', 'signed'],
        ],
        atMost: { calls: 3 },
      },
    ),
  },
  {
    id: 'large-weeks',
    request:
      'make folders week01 to week12, each with a plan.md that just says "Week 1", "Week 2" and so on',
    expect: plans(
      [1, 7, 12].map((week) =>
        gate('workspace_write', {
          path: `week${String(week).padStart(2, '0')}/plan.md`,
          content: { $any: [`Week ${week}`, `Week ${week}\n`] },
        }),
      ),
      { count: 12, only: ['workspace_write'], atMost: { calls: 2 } },
    ),
  },
  {
    id: 'large-phases',
    request:
      'Plan our office move: Mira collects quotes from movers, Raj measures the new rooms. Then Ana picks a mover, then everybody packs (Joel organises that). On 30 March the movers come, the day after Raj sets up the network. Post an update in #office after each phase.',
    expect: {
      outcome: ['proposal'],
      steps: [
        gate('human_task', { assignee: { $has: ['mira'] } }, { key: 'quotes' }),
        gate('human_task', { assignee: { $has: ['raj'] } }, { key: 'rooms' }),
        gate('human_task', { assignee: { $has: ['ana'] } }, { key: 'pick' }),
        gate('human_task', { assignee: { $has: ['joel'] } }, { key: 'pack' }),
        gate('chat_post', { conversation: { $has: ['office'] } }, { key: 'update' }),
      ],
      order: [
        ['quotes', 'pick'],
        ['pick', 'pack'],
      ],
      atMost: { calls: 4 },
    },
  },
  {
    id: 'large-literally-every',
    request: 'assign each and every open issue to lena, none left out',
    operations: tracker,
    person: { modes: { plan_reasoning_mode: 'extensive' } },
    expect: plans(
      [
        gate('tracker_assign_issue', { id: 'W-1', assignee: 'lena' }),
        gate('tracker_assign_issue', { id: 'W-60', assignee: 'lena' }),
      ],
      { count: 60, only: ['tracker_assign_issue'], atMost: { calls: 4 } },
    ),
  },
  {
    id: 'large-a-few',
    request: 'assign a few of the open issues to lena, about five',
    operations: tracker,
    person: { modes: { plan_reasoning_mode: 'extensive' } },
    expect: {
      outcome: 'proposal',
      count: 5,
      only: ['tracker_assign_issue'],
      reads: { must: ['tracker_list_issues'] },
      atMost: { calls: 4 },
    },
  },
  {
    id: 'large-two-layers',
    request:
      'move the office to Porto by June: lease, furniture, network, accounts of all teams, moving day, handing back the old office',
    person: { modes: { planning_mode: 'extensive', reasoning_level: 2 } },
    expect: plans(
      [
        gate('human_task', { question: { $has: ['lease'] } }, { key: 'lease' }),
        gate('human_task', { question: { $has: ['network'] } }, { key: 'network' }),
        gate('human_task', { question: { $has: ['moving day'] } }, { key: 'day' }),
        gate('human_task', { question: { $has: ['old office'] } }, { key: 'old' }),
      ],
      {
        order: [
          ['lease', 'network'],
          ['network', 'day'],
          ['day', 'old'],
        ],
        atMost: { calls: 2 },
      },
    ),
  },
];
