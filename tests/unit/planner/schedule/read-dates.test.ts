import { describe, expect, it } from 'vitest';
import type { Schedule } from '#contracts/planning/schedule.ts';
import { StrategyProfile } from '#contracts/planning/schedule.ts';
import type { DateReading } from '#planner/schedule/date-reading.ts';
import { readDateChanges } from '#planner/schedule/read-dates.ts';
import { makeOutline, now, print, timezone } from './bench.ts';

const outline = makeOutline([
  { id: '1', title: 'Write the announcement', not_before: '2026-03-11T10:00:00+01:00' },
  { id: '2', title: 'Review', duration_minutes: 120 },
  { id: '3', title: 'Launch', not_before: '2026-03-27T18:00:00+01:00' },
]);

function read(feedback: string, more: Partial<DateReading> = {}) {
  const found = readDateChanges(feedback, {
    outline,
    schedule: null,
    now,
    timezone,
    workday: (node) => (node === '2' ? 480 : null),
    ...more,
  });
  return {
    questions: found.questions,
    days_on: found.days_on,
    days_off: found.days_off,
    changes: found.changes.map(({ node, not_before, exact, deadline, duration_minutes, drop }) =>
      [
        node,
        ...(not_before === null ? [] : [`${exact === true ? 'at' : 'from'} ${print(not_before)}`]),
        ...(deadline === null ? [] : [`by ${print(deadline)}`]),
        ...(duration_minutes === null ? [] : [`for ${duration_minutes}`]),
        ...(drop ?? []).map((what) => `no ${what}`),
      ].join(' '),
    ),
  };
}

describe('a change of dates', () => {
  it.each<[string, string[]]>([
    ['move the launch to Friday 10:00', ['3 at 03-13 10:00']],
    ['Please move “Launch” to Friday at 10:00.', ['3 at 03-13 10:00']],
    ['launch on 2026-03-29 at 02:30', ['3 at 03-29 03:30']],
    ['step 3 at 24:00 on Friday', ['3 at 03-14 00:00']],
    ['move the launch to Friday midnight', ['3 at 03-14 00:00']],
    ['start the review tomorrow at 9', ['2 at 03-11 09:00']],
    ['move the launch to the 20th', ['3 from 03-20 18:00']],
    ['move the launch to the 31st', ['3 from 03-31 18:00']],
    ['review on Friday', ['2 from 03-13 00:00']],
    ['review on Friday 10:00-12:00', ['2 at 03-13 10:00 for 120']],
    ['review not before Monday', ['2 from 03-16 00:00']],
    ["don't start the review before Monday", ['2 from 03-16 00:00']],
    ['start the review no earlier than Monday at 14:00', ['2 from 03-16 14:00']],
    ['the launch after Friday', ['3 from 03-14 00:00']],
    ['not before Monday', ['goal from 03-16 00:00']],
    ['done by the 20th', ['goal by 03-21 00:00']],
    ['everything done by the end of March', ['goal by 04-01 00:00']],
    ['the review must be done by Friday 12:00', ['2 by 03-13 12:00']],
    ['finish the review by Friday', ['2 by 03-14 00:00']],
    ['the deadline of the launch is 2026-03-28', ['3 by 03-29 00:00']],
    ['Move the deadline of “Launch” to Fri, 13 Mar 2026, 12:00.', ['3 by 03-13 12:00']],
    ['the launch two hours later', ['3 at 03-27 20:00'.replace('at', 'from')]],
    ['move the launch 2 hours earlier', ['3 from 03-27 16:00']],
    ['postpone the launch by a week', ['3 from 04-03 18:00']],
    ['bring the launch forward by a day', ['3 from 03-26 18:00']],
    ['push step 1 back by 30 minutes', ['1 from 03-11 10:30']],
    ['delay the launch by two days', ['3 from 03-29 18:00']],
    ['Move the launch back by fifteen days', ['3 from 04-11 18:00']],
    ['the review takes sixteen hours', ['2 for 960']],
    ['everything a day later', ['1 from 03-12 10:00', '3 from 03-28 18:00']],
    ['two hours earlier', ['1 from 03-11 08:00', '3 from 03-27 16:00']],
    ['the review takes three days', ['2 for 1440']],
    ['the review takes a week', ['2 for 2400']],
    ['the launch takes two days', ['3 for 2880']],
    ['shorten the review to 30 minutes', ['2 for 30']],
    ['shorten the review by 30 minutes', ['2 for 90']],
    ['the review an hour longer', ['2 for 180']],
    ['Give “Review” 1 hour 30 minutes.', ['2 for 90']],
    ['Let “Launch” begin when it can.', ['3 no not_before']],
    ['drop the deadline of the launch', ['3 no deadline']],
    [
      'move the launch to Friday 10:00 and give the review 3 hours',
      ['3 at 03-13 10:00', '2 for 180'],
    ],
    [
      'Move the deadline of “Review” to Fri, 13 Mar 2026, 12:00 and the deadline of “Launch” to Sat, 14 Mar 2026, 09:30.',
      ['2 by 03-13 12:00', '3 by 03-14 09:30'],
    ],
  ])('%s', (feedback, expected) => {
    expect(read(feedback)).toEqual({
      questions: [],
      days_on: [],
      days_off: [],
      changes: expected,
    });
  });

  it('keeps the time of the clock when a day is added over the change to summer time', () => {
    const launch = makeOutline([
      { id: '1', title: 'Launch', not_before: '2026-03-28T18:00:00+01:00' },
    ]);
    const { changes } = readDateChanges('a day later', {
      outline: launch,
      schedule: null,
      now,
      timezone,
      workday: () => null,
    });
    expect(changes).toMatchObject([{ not_before: '2026-03-29T18:00:00+02:00' }]);
    const hours = readDateChanges('23 hours later', {
      outline: launch,
      schedule: null,
      now,
      timezone,
      workday: () => null,
    });
    expect(hours.changes).toMatchObject([{ not_before: '2026-03-29T18:00:00+02:00' }]);
  });

  it('keeps a month end that does not exist out of the next month', () => {
    const later = new Date('2026-04-10T08:00:00+02:00');
    expect(read('the launch on the 31st', { now: later }).changes).toEqual(['3 from 05-31 18:00']);
  });

  it('stays exact where the moment was fixed before', () => {
    const schedule: Schedule = {
      timezone,
      profile: StrategyProfile.parse({}),
      blocks: [
        {
          node: '3',
          starts_at: '2026-03-27T17:00:00.000Z',
          ends_at: '2026-03-27T17:00:00.000Z',
          fixed: true,
          holds: true,
          person: null,
        },
      ],
      starts_at: '2026-03-27T17:00:00.000Z',
      ends_at: '2026-03-27T17:00:00.000Z',
    };
    expect(read('the launch two hours later', { schedule }).changes).toEqual(['3 at 03-27 20:00']);
  });

  it('begins the whole later where nothing has a time', () => {
    const bare = makeOutline([{ id: '1' }, { id: '2' }]);
    expect(read('everything a day later', { outline: bare }).changes).toEqual([
      'goal from 03-11 08:15',
    ]);
  });

  it('is read past a long run of blanks', () => {
    const { changes } = read(`move the launch${' '.repeat(4000)}to Friday 10:00`);
    expect(changes).toEqual(['3 at 03-13 10:00']);
  });

  it('means the only piece of work by “it”', () => {
    const single = makeOutline([{ id: '1', not_before: '2026-03-11T10:00:00+01:00' }]);
    expect(read('on Friday at 11:00', { outline: single }).changes).toEqual(['1 at 03-13 11:00']);
    expect(read('at 9 instead', { outline: single }).changes).toEqual(['1 at 03-10 09:00']);
  });
});

describe('days of work', () => {
  it('are added and taken away', () => {
    expect(read('Work on Sat, 14 Mar 2026 and Sun, 15 Mar 2026.').days_on).toEqual([
      '2026-03-14',
      '2026-03-15',
    ]);
    expect(read('no work on Friday').days_off).toEqual(['2026-03-13']);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['move the party to Friday', /Nothing in the plan is called “party”/],
    ['make it nicer', /What does “make it nicer” change/],
    ['move the launch to 2026-03-01', /has passed/],
    ['the review two hours earlier', /has no time yet/],
    ['shorten the review by 3 hours', /cannot be that much shorter/],
    ['shorten the launch by an hour', /How long should “Launch” take/],
    ['', /Which times should change/],
  ])('is asked: %s', (feedback, question) => {
    const { questions, changes } = read(feedback);
    expect(changes).toEqual([]);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(question);
  });

  it('is asked where two are called alike, and nothing is guessed', () => {
    const twins = makeOutline([
      { id: 'a', title: 'Review the text' },
      { id: 'b', title: 'Review the images' },
    ]);
    const { changes, questions } = read('move the review to Friday', { outline: twins });
    expect(changes).toEqual([]);
    expect(questions[0]).toMatch(
      /Which one is meant .* “Review the text” \(a\) and “Review the images” \(b\)/,
    );
  });
});
