// Requests that need a look at files or servers first.
import {
  does,
  type EvalCase,
  fields,
  gate,
  listOf,
  looks,
  oneOf,
  plans,
  text,
  writes,
} from '../case.ts';

const changelog = '# Changelog\n\n## 3.0\n- New editor\n';

/** 62 KB, with the answer at the end. */
const contract = [
  ...Array.from(
    { length: 900 },
    (_, nth) => `${nth + 1}. The parties agree on clause number ${nth + 1} of this contract.`,
  ),
  '901. Termination: either party may end this contract by giving 90 days of notice in writing.',
].join('\n');
const customers = [
  'name,city,owes',
  ...Array.from(
    { length: 200 },
    (_, n) => `P${n + 1},${n % 3 === 2 ? 'Lagos' : 'Lima'},${n + 1}.00`,
  ),
].join('\n');
const invoices = 'customer,amount\nAcme,10.50\nInitech,20.00\nAcme,5.25\n';

const ticket = fields({ id: text, title: text, state: oneOf('open', 'closed'), assignee: text });
const tickets = [
  { id: 'T-12', title: 'Login page shows a blank screen', state: 'open', assignee: 'lena' },
  { id: 'T-20', title: 'Printer on floor 2 is jammed', state: 'open', assignee: 'raj' },
  { id: 'T-31', title: 'Cannot log in with SSO after update', state: 'open', assignee: 'lena' },
  { id: 'T-44', title: 'Coffee machine leaks', state: 'open', assignee: 'raj' },
];
const helpdesk = [
  looks(
    'desk_list_tickets',
    'List the tickets of the help desk.',
    { 'state?': oneOf('open', 'closed') },
    fields({ tickets: listOf(ticket) }),
    { data: { tickets } },
  ),
  does(
    'desk_close_ticket',
    'Close a ticket.',
    { id: text, 'comment?': text },
    fields({ id: text }),
  ),
  does('desk_assign_ticket', 'Assign a ticket to somebody.', { id: text, assignee: text }),
];

const crm = [
  looks(
    'crm_find_contacts',
    'Find contacts by words, 3 a page.',
    { query: text, 'cursor?': text },
    fields({ contacts: listOf(fields({ name: text, company: text })), 'next_cursor?': text }),
    {
      args: { cursor: 'p2' },
      data: { contacts: [{ name: 'Dara Lind', company: 'Initech' }] },
    },
    {
      data: {
        contacts: [
          { name: 'Bo Yang', company: 'Initech' },
          { name: 'Ines Gil', company: 'Initech Labs' },
          { name: 'Tom Fry', company: 'Initech' },
        ],
        next_cursor: 'p2',
      },
    },
  ),
];

export const lookUp: EvalCase[] = [
  {
    id: 'look-up-open-points',
    request: 'who has the most open points in notes/sync.md?',
    files: {
      'notes/sync.md':
        '# Sync 2 March\n- [ ] Mira: order badges\n- [x] Joel: book room\n- [ ] Joel: send agenda\n- [ ] Mira: print posters\n- [x] Joel: pay deposit\n- [x] Joel: call caterer\n',
    },
    expect: {
      outcome: 'answer',
      reads: { must: ['workspace_read'] },
      says: { has: ['Mira'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'look-up-total-into-file',
    request: 'put the sum of the amounts in reports/q1.csv into reports/total.txt, just the number',
    files: { 'reports/q1.csv': 'what,amount\nhosting,120\ntravel,310.50\nbooks,19.50\n' },
    expect: plans([writes('reports/total.txt', { $any: ['450', '450.00', '450\n'] })], {
      count: 1,
      reads: { must: ['workspace_read'] },
      atMost: { calls: 2 },
    }),
  },
  {
    id: 'look-up-copy',
    request: 'copy team/handbook.md to team/handbook-2026.md',
    files: { 'team/handbook.md': '# Handbook\n\nBe kind. Ship small.\n' },
    expect: plans(
      [
        writes('team/handbook-2026.md', {
          $any: ['# Handbook\n\nBe kind. Ship small.\n', { $from: '1', path: '/text' }],
        }),
      ],
      { never: ['workspace_move', 'workspace_delete'] },
    ),
  },
  {
    id: 'look-up-append',
    request: "add a line '- Dark mode' at the bottom of CHANGELOG.md",
    files: { 'CHANGELOG.md': changelog },
    expect: plans(
      [
        gate('workspace_write', {
          path: 'CHANGELOG.md',
          content: { $any: [`${changelog}- Dark mode\n`, `${changelog}- Dark mode`] },
          overwrite: true,
        }),
      ],
      { count: 1, reads: { must: ['workspace_read'] }, atMost: { calls: 2 } },
    ),
  },
  {
    id: 'look-up-folder',
    request: "what's still to do in todo/? one line a file",
    files: {
      'todo/garden.md': 'Order seeds by Friday\n',
      'todo/car.md': 'Renew insurance\n',
      'todo/done.md': 'nothing left\n',
    },
    expect: {
      outcome: 'answer',
      reads: { must: ['workspace_list', 'workspace_read'] },
      says: { has: ['seeds', 'insurance'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'look-up-server',
    request: 'which open tickets are about logging in?',
    operations: helpdesk,
    expect: {
      outcome: 'answer',
      reads: { must: ['desk_list_tickets'] },
      says: { has: ['T-12', 'T-31'], lacks: ['T-20', 'T-44'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'look-up-then-write',
    request: 'close the ticket about the jammed printer, raj fixed it',
    operations: helpdesk,
    expect: plans([gate('desk_close_ticket', { id: 'T-20' })], {
      count: 1,
      reads: { must: ['desk_list_tickets'] },
      atMost: { calls: 2 },
    }),
  },
  {
    id: 'look-up-into-post',
    request: 'tell #ops when the next release is, it says so somewhere in releases.md',
    files: {
      'releases.md':
        '| version | date |\n|---|---|\n| 4.1 | 12 February 2026 |\n| 4.2 | 19 March 2026 |\n',
    },
    expect: plans(
      [gate('chat_post', { text: { $has: ['4.2', '19 March'] }, conversation: { $has: ['ops'] } })],
      { count: 1, atMost: { calls: 2 } },
    ),
  },
  {
    id: 'look-up-pages',
    request: 'who do we know at Initech? (not Initech Labs)',
    operations: crm,
    expect: {
      outcome: 'answer',
      reads: { must: ['crm_find_contacts'] },
      says: { has: ['Bo Yang', 'Tom Fry', 'Dara Lind'], lacks: ['Ines Gil'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'look-up-missing-file',
    request: 'what does minutes/feb.md say about the budget?',
    files: { 'minutes/2026-02.md': 'Budget: 40,000 EUR, approved.\n' },
    expect: {
      outcome: 'answer',
      reads: { must: ['workspace_read', 'workspace_list'] },
      says: { has: ['40,000', '2026-02.md'] },
      atMost: { calls: 4 },
    },
  },
  {
    id: 'look-up-long-contract',
    request: 'How much notice do we have to give to get out of the Initech contract?',
    files: { 'contracts/initech.md': contract },
    expect: {
      outcome: 'answer',
      reads: { must: ['workspace_search'] },
      says: { has: ['90'] },
      atMost: { calls: 3, tokensACall: 6000 },
    },
  },
  {
    id: 'look-up-count',
    request: 'How many customers in customers.csv are from Lagos, and what do they owe together?',
    files: { 'customers.csv': customers },
    expect: {
      outcome: 'answer',
      says: { has: ['66', '6633'] },
      atMost: { calls: 2, tokensACall: 6000 },
    },
  },
  {
    id: 'look-up-json-text',
    request: 'Put a note on Ana Rossi’s record that her account manager should call her, by name',
    operations: [
      looks('crm_find', 'Look up a customer by name.', { name: text }, undefined, {
        data: { text: '{"id":"C-17","name":"Ana Rossi","account_manager":"Ben Okafor"}' },
      }),
      does('crm_note', 'Add a note to a customer.', { customer_id: text, text }),
    ],
    expect: plans(
      [
        gate('crm_find', {}, { key: 'find' }),
        gate('crm_note', { customer_id: { $from: 'find' }, text: { $from: 'find' } }),
      ],
      { count: 2, atMost: { calls: 3 } },
    ),
  },
  {
    id: 'look-up-csv-text',
    request:
      'Write each customer a letter with the total of their open invoices, letters/<customer>.md',
    operations: [
      looks('shop_export', 'Export the open invoices as CSV.', {}, undefined, {
        data: { text: invoices },
      }),
    ],
    expect: plans(
      [
        writes('letters/Acme.md', { $has: ['15.75'] }),
        writes('letters/Initech.md', { $has: ['20'] }),
      ],
      { count: 2, atMost: { calls: 3 } },
    ),
  },
];
