// Every condition becomes a `when` or a person's answer.
import { does, type EvalCase, fields, gate, looks, oneOf, plans, text, writes } from '../case.ts';

const deploys = [
  looks(
    'ci_get_status',
    'Status of the main branch of a service.',
    { service: text },
    fields({ service: text, status: oneOf('green', 'red', 'running') }),
    { data: { service: 'api', status: 'running' } },
  ),
  does(
    'ci_deploy',
    'Deploy a service to production.',
    { service: text },
    fields({ deployment: text }),
  ),
];
const logs = [
  looks(
    'logs_count_errors',
    'Count the errors of a service in the last hour.',
    { service: text },
    fields({ count: { type: 'integer' } }),
    { data: { count: 3 } },
  ),
  does(
    'oncall_open_incident',
    'Open an incident for the engineer on call.',
    { title: text },
    fields({ id: text }),
  ),
];
const tickets = [
  does(
    'desk_close_ticket',
    'Close a ticket.',
    { id: text, 'comment?': text },
    fields({ id: text }),
  ),
];

export const conditional: EvalCase[] = [
  {
    id: 'conditional-deploy-if-green',
    request: 'At 22:00 deploy api if its status is green, otherwise tell me here',
    operations: deploys,
    expect: plans(
      [
        gate('ci_get_status', {}, { key: 'look', not_before: '2026-03-04T21:00:00Z' }),
        gate(
          'ci_deploy',
          { service: 'api' },
          { key: 'deploy', when: { is: 'equals', value: 'green' } },
        ),
        gate('chat_post', {}, { key: 'tell', when: { is: 'not_equals', value: 'green' } }),
      ],
      {
        count: 3,
        order: [
          ['look', 'deploy'],
          ['look', 'tell'],
        ],
        atMost: { calls: 3 },
      },
    ),
  },
  {
    id: 'conditional-close-if-yes',
    request: 'Ask Ben whether T-305 may be closed and close it if he says yes',
    operations: tickets,
    expect: plans(
      [
        gate(
          'human_task',
          { assignee: { $has: ['ben'] }, form: { $has: ['yes', 'no'] } },
          { key: 'ask' },
        ),
        gate('desk_close_ticket', { id: 'T-305' }, { key: 'close', when: { value: 'Yes' } }),
      ],
      { count: 2, order: [['ask', 'close']], atMost: { calls: 1 } },
    ),
  },
  {
    id: 'conditional-else',
    request:
      'ask Sam if we should ship. if he says yes, post "shipping" here, if not remind me tomorrow at 10 to talk to him',
    expect: plans(
      [
        gate('human_task', { assignee: { $has: ['sam'] } }, { key: 'ask' }),
        gate(
          'chat_post',
          { text: { $has: ['shipping'] } },
          { key: 'post', when: { value: 'Yes' } },
        ),
        gate(
          'reminder_set',
          { at: { $time: '2026-03-05T09:00:00Z' } },
          { key: 'remind', when: true },
        ),
      ],
      {
        count: 3,
        order: [
          ['ask', 'post'],
          ['ask', 'remind'],
        ],
        atMost: { calls: 1 },
      },
    ),
  },
  {
    id: 'conditional-two-sign-offs',
    request:
      'Have Priya and Omar both sign off on draft.md before you publish it to public/draft.md',
    files: { 'draft.md': '# Terms\n\nBe fair.\n' },
    expect: plans(
      [
        gate('human_task', { assignee: { $has: ['priya'] } }, { key: 'priya' }),
        gate('human_task', { assignee: { $has: ['omar'] } }, { key: 'omar' }),
        gate(
          'workspace_write',
          { path: 'public/draft.md' },
          { key: 'publish', when: { value: 'Yes' } },
        ),
      ],
      {
        order: [
          ['priya', 'publish'],
          ['omar', 'publish'],
        ],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'conditional-known-now',
    request: "if there is no notes/plan.md yet, make one that says 'Plan 2026'",
    files: { 'notes/ideas.md': 'x' },
    expect: plans([writes('notes/plan.md', { $has: ['Plan 2026'] })], {
      count: 1,
      reads: { must: ['workspace_list'] },
      atMost: { calls: 2 },
    }),
  },
  {
    id: 'conditional-count',
    request:
      "tonight at 23:00 check checkout's errors, and if there are more than 50 open an incident for whoever is on call",
    operations: logs,
    expect: plans(
      [
        gate(
          'logs_count_errors',
          { service: 'checkout' },
          { key: 'look', not_before: '2026-03-04T22:00:00Z' },
        ),
        gate('oncall_open_incident', {}, { key: 'open', when: { is: 'greater', value: 50 } }),
      ],
      { count: 2, order: [['look', 'open']], atMost: { calls: 1 } },
    ),
  },
  {
    id: 'conditional-choice',
    request: 'Kim picks the theme, red or blue. write her choice into theme.txt',
    expect: plans(
      [
        gate(
          'human_task',
          { assignee: { $has: ['kim'] }, form: { $has: ['red', 'blue'] } },
          { key: 'ask' },
        ),
        writes('theme.txt', { $from: 'ask' }),
      ],
      { count: 2, atMost: { calls: 1 } },
    ),
  },
  {
    id: 'conditional-ask-before',
    request: 'Delete logs/2024.txt, but let me confirm right before it happens',
    files: { 'logs/2024.txt': 'old' },
    expect: plans([gate('workspace_delete', { path: 'logs/2024.txt' }, { ask_before: true })], {
      count: 1,
      atMost: { calls: 2 },
    }),
  },
];
