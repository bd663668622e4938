// Everyday work of a small company with one server.
import { does, type EvalCase, fields, gate, listOf, looks, plans, step, text } from '../case.ts';

const amount = { type: 'number' };
const ticket = fields({ id: text, title: text, status: text, owner: text, 'due?': text });
const customer = fields({ id: text, name: text, contact: text, email: text });
const person = fields({ name: text, email: text });
const order = fields({ id: text, total: amount, state: text });

const tickets = [
  { id: 'T-301', title: 'Search is slow', status: 'open', owner: 'tom', due: '2026-02-27' },
  { id: 'T-302', title: 'Broken link in footer', status: 'open', owner: 'tom' },
  {
    id: 'T-303',
    title: 'Login loop on iOS',
    status: 'in_progress',
    owner: 'tom',
    due: '2026-03-02',
  },
  { id: 'T-304', title: 'Export misses umlauts', status: 'open', owner: 'kim', due: '2026-03-03' },
  { id: 'T-306', title: 'Dark mode flickers', status: 'open', owner: 'tom', due: '2026-03-12' },
];

const operations = [
  looks(
    'biz_list_tickets',
    'Lists tickets.',
    { 'status?': text, 'owner?': text },
    fields({ tickets: listOf(ticket) }),
    { args: { owner: 'tom' }, data: { tickets: tickets.filter(({ owner }) => owner === 'tom') } },
    {
      args: { status: 'open' },
      data: { tickets: tickets.filter(({ status }) => status === 'open') },
    },
    { data: { tickets } },
  ),
  looks(
    'biz_get_ticket',
    'One ticket.',
    { id: text },
    ticket,
    ...tickets.map((one) => ({ args: { id: one.id }, data: one })),
  ),
  does('biz_assign_ticket', 'Gives a ticket to somebody.', { id: text, owner: text }),
  does('biz_close_ticket', 'Closes a ticket.', { id: text }),
  looks('biz_list_people', 'People of the company.', {}, fields({ people: listOf(person) }), {
    data: {
      people: [
        { name: 'Kim', email: 'kim@co.example' },
        { name: 'Tom', email: 'tom@co.example' },
        { name: 'Zoe', email: 'zoe@co.example' },
      ],
    },
  }),
  looks(
    'biz_find_customer',
    'Finds customers by name of company or contact.',
    { name: text },
    fields({ customers: listOf(customer) }),
    {
      data: {
        customers: [
          { id: 'C-1', name: 'Acme GmbH', contact: 'Lena Vogt', email: 'lena@acme.example' },
          { id: 'C-2', name: 'Acme Logistics', contact: 'Jo Park', email: 'jo@acmelog.example' },
        ],
      },
    },
  ),
  does(
    'biz_create_invoice',
    'Makes an invoice, in euros.',
    { customer: text, amount, text },
    fields({ id: text, amount }),
  ),
  does('biz_send_invoice', 'Mails an invoice to its customer.', { id: text }),
  looks(
    'biz_list_orders',
    'Orders of a customer.',
    { customer: text },
    fields({ orders: listOf(order) }),
    { data: { orders: [{ id: 'O-17', total: 120, state: 'packed' }] } },
  ),
  does('biz_refund_order', 'Pays an order back.', { id: text, amount }),
  looks(
    'biz_list_mail',
    'Latest mails, newest first.',
    { 'from?': text },
    fields({ mails: listOf(fields({ id: text, from: text, subject: text, text })) }),
    {
      data: {
        mails: [
          {
            id: 'M-1',
            from: 'lena@acme.example',
            subject: 'Where is my order O-17?',
            text: 'I ordered two weeks ago (O-17) and nothing has come. When will it ship? Lena',
          },
        ],
      },
    },
  ),
  does('biz_send_mail', 'Sends a mail.', { to: text, subject: text, text }),
];

const overdue = {
  title: 'Mail the owners of overdue tickets',
  summary: 'Mails Tom about T-301 and Kim about T-304, the two open tickets that are overdue.',
  steps: [
    step(
      '1',
      'biz_send_mail',
      { to: 'tom@co.example', subject: 'T-301 is overdue', text: 'T-301 was due on 27 February.' },
      'Mail Tom that T-301 was due on 27 February',
    ),
    step(
      '2',
      'biz_send_mail',
      { to: 'kim@co.example', subject: 'T-304 is overdue', text: 'T-304 was due on 3 March.' },
      'Mail Kim that T-304 was due on 3 March',
    ),
  ],
};

export const office: EvalCase[] = [
  {
    id: 'office-bill-hours',
    request: 'Bill Acme for the hours in hours.csv and send it',
    operations,
    files: {
      'hours.csv':
        'date,customer,hours\n2026-02-02,Acme GmbH,3\n2026-02-09,Acme GmbH,5\n2026-02-10,Birch & Co,2\n',
      'rates.md': 'Rate: 90 EUR an hour.\n',
    },
    expect: plans(
      [
        gate('biz_create_invoice', { customer: 'C-1', amount: 720 }, { key: 'make' }),
        gate('biz_send_invoice', { id: { $from: 'make' } }, { key: 'send' }),
      ],
      { count: 2, order: [['make', 'send']], atMost: { calls: 3 } },
    ),
  },
  {
    id: 'office-overdue',
    request: 'Mail the owner of every open ticket that is overdue',
    operations,
    expect: plans(
      [
        gate('biz_send_mail', { to: 'tom@co.example', text: { $has: ['T-301'] } }),
        gate('biz_send_mail', { to: 'kim@co.example', text: { $has: ['T-304'] } }),
      ],
      { count: 2, only: ['biz_send_mail'], atMost: { calls: 3 } },
    ),
  },
  {
    id: 'office-hand-over',
    request: 'Tom is leaving: give his tickets to Zoe, except those in progress',
    operations,
    expect: plans(
      ['T-301', 'T-302', 'T-306'].map((id) => gate('biz_assign_ticket', { id, owner: 'zoe' })),
      { count: 3, only: ['biz_assign_ticket'], atMost: { calls: 2 } },
    ),
  },
  {
    id: 'office-who-owns',
    request: 'Who owns T-303 and is it late?',
    operations,
    expect: {
      outcome: 'answer',
      reads: { must: ['biz_get_ticket'] },
      says: { has: ['Tom', '2 March'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'office-answer-mail',
    request: "Answer Lena's mail about her order, but let me see the text before it goes out",
    operations,
    expect: plans(
      [
        gate(
          'biz_send_mail',
          { to: 'lena@acme.example', text: { $has: ['O-17', 'packed'] } },
          { ask_before: true },
        ),
      ],
      { count: 1, atMost: { calls: 3 } },
    ),
  },
  {
    id: 'office-refund-too-much',
    request: "Refund Lena's order O-17: 150 euros",
    operations,
    guarded: ['biz_refund_order'],
    expect: {
      outcome: 'question',
      never: ['biz_refund_order'],
      says: { has: ['120'] },
      reads: { must: ['biz_list_orders'] },
      atMost: { calls: 3 },
    },
  },
  {
    id: 'office-count-on-mondays',
    request: 'Every Monday at 9 post the number of open tickets here',
    operations,
    expect: plans(
      [
        gate('biz_list_tickets', { status: 'open' }, { key: 'list' }),
        gate('chat_post', { text: { $decide: true } }, { key: 'post' }),
      ],
      {
        series: [{ rrule: { $has: ['WEEKLY', 'MO'] }, starts_at: '2026-03-09T08:00:00.000Z' }],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'office-tomorrow-without-kim',
    request: 'Mail the owner of every open ticket that is overdue',
    operations,
    revises: {
      plan: overdue,
      feedback: ['send them tomorrow at 9 instead, and drop the mail to Kim'],
    },
    expect: plans(
      [gate('biz_send_mail', { to: 'tom@co.example' }, { not_before: '2026-03-05T08:00:00.000Z' })],
      { count: 1, atMost: { calls: 1 } },
    ),
  },
];
