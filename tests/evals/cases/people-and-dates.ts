import { type EvalCase, gate, plans } from '../case.ts';

/** The zone is in another argument. */
const berlin = [
  '2026-12-01T14:00',
  '2026-12-01T14:00:00',
  '2026-12-01T14:00:00+01:00',
  '2026-12-01T08:00',
];
const eastern = [
  '2026-03-04T21:00',
  '2026-03-04T21:00:00',
  '2026-03-04T21:00:00-05:00',
  '2026-03-05T03:00',
];

export const peopleAndDates: EvalCase[] = [
  {
    id: 'dates-somebody-else',
    request: 'remind Ben tomorrow morning to upload his slides',
    expect: {
      outcome: ['proposal', 'question'],
      never: ['reminder_set'],
      says: { has: ['Ben'] },
      atMost: { calls: 2 },
    },
  },
  {
    id: 'dates-other-zone',
    request: 'Set a reminder for 1 December 2026, 14:00 Berlin time: renew the certificate',
    person: { timezone: 'America/New_York' },
    expect: plans(
      [gate('reminder_set', { text: { $has: ['certificate'] }, at: { $any: berlin } })],
      { count: 1, says: { has: ['14:00'] }, atMost: { calls: 1 } },
    ),
  },
  {
    id: 'dates-eastern',
    request: 'Remind me at 9 PM Eastern to join the call',
    expect: plans([gate('reminder_set', { text: { $has: ['call'] }, at: { $any: eastern } })], {
      count: 1,
      atMost: { calls: 1 },
    }),
  },
  {
    id: 'dates-meeting',
    request: 'book a meeting with Ana about the roadmap, thursday 2 to 3pm',
    person: { user: 'leo' },
    expect: plans(
      [
        gate('calendar_add', {
          title: { $has: ['roadmap'] },
          start: { $time: '2026-03-05T13:00:00Z' },
        }),
      ],
      { atMost: { calls: 2 } },
    ),
  },
  {
    id: 'dates-weekdays',
    request: 'every weekday at 9 remind me to stretch',
    expect: plans(
      [gate('reminder_set', { rrule: { $has: ['MO,TU,WE,TH,FR'] }, text: { $has: ['stretch'] } })],
      { count: 1, atMost: { calls: 1 } },
    ),
  },
  {
    id: 'dates-series',
    request:
      "Every Friday at 17:00 until the end of April, write 'week done' to log/week.txt and post a note here",
    expect: plans(
      [
        gate('workspace_write', {
          path: 'log/week.txt',
          content: { $has: ['week done'] },
          overwrite: true,
        }),
        gate('chat_post'),
      ],
      {
        count: 2,
        series: [{ rrule: { $has: ['WEEKLY', 'FR'] }, starts_at: '2026-03-06T16:00:00Z' }],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'dates-month-in-name',
    request:
      'on the first working day of each month at 10 ask Ben if the invoices are checked, and if he says yes write "sent" to reports/invoices-<month>.md',
    expect: plans(
      [
        gate('human_confirm', { assignee: { $has: ['ben'] } }, { key: 'ask' }),
        gate('workspace_write', { path: { $decide: true }, content: 'sent' }, { key: 'write' }),
      ],
      {
        count: 2,
        order: [['ask', 'write']],
        series: [{ rrule: { $has: ['MONTHLY'] } }],
        atMost: { calls: 2 },
      },
    ),
  },
  {
    id: 'dates-by-friday',
    request: 'Assign Leo the task of updating the wiki, due Friday 6pm',
    expect: plans(
      [gate('human_task', { assignee: { $has: ['leo'] }, question: { $has: ['wiki'] } })],
      { count: 1, says: { oneOf: ['Friday', '6 March', '18:00'] }, atMost: { calls: 2 } },
    ),
  },
  {
    id: 'dates-working-days',
    request:
      'Leo writes the proposal, three days of work from Monday. Ana then reviews it for a day',
    expect: plans(
      [
        gate('human_task', { assignee: { $has: ['leo'] } }, { key: 'write', minutes: 1440 }),
        gate('human_task', { assignee: { $has: ['ana'] } }, { key: 'review', minutes: 480 }),
      ],
      { count: 2, order: [['write', 'review']], atMost: { calls: 3 } },
    ),
  },
  {
    id: 'dates-summer-time',
    request: 'post "two weeks to go" in #offsite on 30 March at 8:00',
    expect: plans(
      [
        gate(
          'chat_post',
          { text: { $has: ['two weeks to go'] }, conversation: { $has: ['offsite'] } },
          { not_before: '2026-03-30T06:00:00Z' },
        ),
      ],
      { count: 1, atMost: { calls: 1 } },
    ),
  },
];
