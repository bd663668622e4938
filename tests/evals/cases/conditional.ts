// Conditions: each is a `when` on a step, or an answer of a person that gates it, and none is dropped.
import { does, type EvalCase, fields, looks, oneOf, text } from '../case.ts';

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
    expect: {
      outcome: 'proposal',
      steps: [
        { key: 'look', operation: 'ci_get_status', not_before: '2026-03-04T21:00:00Z' },
        {
          key: 'deploy',
          operation: 'ci_deploy',
          args: { service: 'api' },
          when: { is: 'equals', value: 'green' },
        },
        { key: 'tell', operation: 'chat_post', when: { is: 'not_equals', value: 'green' } },
      ],
      count: 3,
      order: [
        ['look', 'deploy'],
        ['look', 'tell'],
      ],
      atMost: { calls: 3 },
    },
  },
  {
    id: 'conditional-close-if-yes',
    request: 'Ask Ben whether T-305 may be closed and close it if he says yes',
    operations: tickets,
    expect: {
      outcome: 'proposal',
      count: 2,
      steps: [
        {
          key: 'ask',
          operation: 'human_task',
          args: { assignee: { $has: ['ben'] }, form: { $has: ['yes', 'no'] } },
        },
        {
          key: 'close',
          operation: 'desk_close_ticket',
          args: { id: 'T-305' },
          when: { value: 'Yes' },
        },
      ],
      order: [['ask', 'close']],
      atMost: { calls: 1 },
    },
  },
  {
    id: 'conditional-else',
    request:
      'ask Sam if we should ship. if he says yes, post "shipping" here, if not remind me tomorrow at 10 to talk to him',
    expect: {
      outcome: 'proposal',
      count: 3,
      steps: [
        { key: 'ask', operation: 'human_task', args: { assignee: { $has: ['sam'] } } },
        {
          key: 'post',
          operation: 'chat_post',
          args: { text: { $has: ['shipping'] } },
          when: { value: 'Yes' },
        },
        {
          key: 'remind',
          operation: 'reminder_set',
          args: { at: { $time: '2026-03-05T09:00:00Z' } },
          when: true,
        },
      ],
      order: [
        ['ask', 'post'],
        ['ask', 'remind'],
      ],
      atMost: { calls: 1 },
    },
  },
  {
    id: 'conditional-two-sign-offs',
    request:
      'Have Priya and Omar both sign off on draft.md before you publish it to public/draft.md',
    files: { 'draft.md': '# Terms\n\nBe fair.\n' },
    expect: {
      outcome: 'proposal',
      steps: [
        { key: 'priya', operation: 'human_task', args: { assignee: { $has: ['priya'] } } },
        { key: 'omar', operation: 'human_task', args: { assignee: { $has: ['omar'] } } },
        {
          key: 'publish',
          operation: 'workspace_write',
          args: { path: 'public/draft.md' },
          when: { value: 'Yes' },
        },
      ],
      order: [
        ['priya', 'publish'],
        ['omar', 'publish'],
      ],
      atMost: { calls: 2 },
    },
  },
  {
    id: 'conditional-known-now',
    request: "if there is no notes/plan.md yet, make one that says 'Plan 2026'",
    files: { 'notes/ideas.md': 'x' },
    expect: {
      outcome: 'proposal',
      count: 1,
      steps: [
        {
          operation: 'workspace_write',
          args: { path: 'notes/plan.md', content: { $has: ['Plan 2026'] } },
        },
      ],
      reads: { must: ['workspace_list'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'conditional-count',
    request:
      "tonight at 23:00 check checkout's errors, and if there are more than 50 open an incident for whoever is on call",
    operations: logs,
    expect: {
      outcome: 'proposal',
      count: 2,
      steps: [
        {
          key: 'look',
          operation: 'logs_count_errors',
          args: { service: 'checkout' },
          not_before: '2026-03-04T22:00:00Z',
        },
        { key: 'open', operation: 'oncall_open_incident', when: { is: 'greater', value: 50 } },
      ],
      order: [['look', 'open']],
      atMost: { calls: 1 },
    },
  },
  {
    id: 'conditional-choice',
    request: 'Kim picks the theme, red or blue. write her choice into theme.txt',
    expect: {
      outcome: 'proposal',
      count: 2,
      steps: [
        {
          key: 'ask',
          operation: 'human_task',
          args: { assignee: { $has: ['kim'] }, form: { $has: ['red', 'blue'] } },
        },
        { operation: 'workspace_write', args: { path: 'theme.txt', content: { $from: 'ask' } } },
      ],
      atMost: { calls: 1 },
    },
  },
  {
    id: 'conditional-ask-before',
    request: 'Delete logs/2024.txt, but let me confirm right before it happens',
    files: { 'logs/2024.txt': 'old' },
    expect: {
      outcome: 'proposal',
      steps: [{ operation: 'workspace_delete', args: { path: 'logs/2024.txt' }, ask_before: true }],
      count: 1,
      atMost: { calls: 2 },
    },
  },
];
