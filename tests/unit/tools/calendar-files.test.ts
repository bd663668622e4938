// Other programs' calendars, also broken ones. In-process, without the thread.
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { addEvent } from '#tools/calendar/add-event.ts';
import { readEvents } from '#tools/calendar/read-events.ts';
import { mayHoldLoop } from '../../setup/watch-loop.ts';

const berlin = 'Europe/Berlin';
const onThread = 'The operations read calendars on a thread.';
const rangeOf = (from: string, to: string, timezone = berlin) => ({
  from: Date.parse(`${from}T00:00:00Z`),
  to: Date.parse(`${to}T00:00:00Z`),
  timezone,
});

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:1',
  'SUMMARY:A',
  ...lines,
  'END:VEVENT',
];
const other = event('DTSTART:20260504T080000Z').map((line) =>
  line === 'UID:1' ? 'UID:2' : line === 'SUMMARY:A' ? 'SUMMARY:Sound' : line,
);

const read = (ics: string | Buffer, from = '2026-05-01', to = '2026-06-01') =>
  readEvents(Buffer.from(ics), 'c.ics', rangeOf(from, to));
const starts = (ics: string | Buffer, from?: string, to?: string) =>
  read(ics, from, to).events.map(({ start }) => start);
const spans = (ics: string, from?: string, to?: string) =>
  read(ics, from, to).events.map(({ start, end }) => `${start} ${end}`);

describe('the zone of a time', () => {
  const nine = 'T090000';
  test.each([
    ['Pacific Standard Time', '18:00'],
    ['W. Europe Standard Time', '09:00'],
    ['"W. Europe Standard Time"', '09:00'],
    ['GMT Standard Time', '10:00'],
    ['India Standard Time', '05:30'],
    ['tzone://Microsoft/Utc', '11:00'],
    ['/freeassociation.sourceforge.net/Tzfile/America/New_York', '15:00'],
    ['/mozilla.org/20050126_1/America/Argentina/Salta', '14:00'],
    ['america/new_york', '15:00'],
    ['"(UTC-08:00) Pacific Time (US & Canada)"', '18:00'],
    ['(UTC-08:00) Pacific Time (US & Canada)', '18:00'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern', '09:00'],
    ['Eastern Daylight Time', '15:00'],
    ['GMT+0100', '10:00'],
    ['Etc/GMT+5', '16:00'],
  ])('%s is the one that is meant', (tzid, at) => {
    const { events, problems } = read(calendar(...event(`DTSTART;TZID=${tzid}:20260504${nine}`)));
    expect(events.map(({ start }) => start)).toEqual([`2026-05-04T${at}:00+02:00`]);
    expect(problems).toEqual([]);
  });

  test.each(['Customized Time Zone', 'tzone://Microsoft/Custom', 'Büro'])(
    '%s is read by the rules of the file',
    (name) => {
      const zone = (...observances: string[]) => [
        'BEGIN:VTIMEZONE',
        `TZID:${name}`,
        ...observances,
        'END:VTIMEZONE',
      ];
      const part = (kind: string, from: string, to: string, rule: string) => [
        `BEGIN:${kind}`,
        'DTSTART:16010101T020000',
        `TZOFFSETFROM:${from}`,
        `TZOFFSETTO:${to}`,
        `RRULE:${rule}`,
        `END:${kind}`,
      ];
      const own = zone(
        ...part('STANDARD', '-0400', '-0500', 'FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'),
        ...part('DAYLIGHT', '-0500', '-0400', 'FREQ=YEARLY;BYDAY=2SU;BYMONTH=3'),
      );
      const daily = event(`DTSTART;TZID=${name}:20260306T090000`, 'RRULE:FREQ=DAILY;COUNT=4');
      expect(starts(calendar(...own, ...daily), '2026-03-01', '2026-04-01')).toEqual([
        '2026-03-06T15:00:00+01:00',
        '2026-03-07T15:00:00+01:00',
        '2026-03-08T14:00:00+01:00',
        '2026-03-09T14:00:00+01:00',
      ]);
    },
  );

  test('that nobody knows is named, and the time is the reader’s', () => {
    const { events, problems } = read(calendar(...event('DTSTART;TZID=Nowhere:20260504T090000')));
    expect(events).toMatchObject([{ start: '2026-05-04T09:00:00+02:00' }]);
    expect(problems).toEqual([expect.stringContaining('Line 7:')]);
  });

  test.each([
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '+0100'],
    ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=31', '+0100'],
    ['FREQ=DAILY;INTERVAL=0', '+0100'],
    ['FREQ=YEARLY;BYMONTH=3', 'x'],
  ])('by a rule of %s is read without a loop', (rule, offset) => {
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Own',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      `TZOFFSETFROM:${offset}`,
      `TZOFFSETTO:${offset}`,
      `RRULE:${rule}`,
      'END:STANDARD',
      'END:VTIMEZONE',
    ];
    expect(starts(calendar(...zone, ...event('DTSTART;TZID=Own:20260504T090000')))).toHaveLength(1);
  });
});

describe('a series', () => {
  const zoned = (...lines: string[]) =>
    calendar(...event('DTSTART;TZID=Europe/Berlin:20260504T090000', 'DURATION:PT1H', ...lines));
  const times = (...days: number[]) =>
    days.map((day) => `2026-05-${String(day).padStart(2, '0')}T09:00:00+02:00`);

  test.each([
    ['EXDATE in UTC', ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260505T070000Z'], times(4, 6)],
    ['EXDATE of a day', ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20260505'], times(4, 6)],
    ['EXDATE without a zone', ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260505T090000'], times(4, 6)],
    [
      'EXDATE in another zone',
      ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=America/New_York:20260505T030000,20260506T030000'],
      times(4),
    ],
    ['UNTIL as a date', ['RRULE:FREQ=DAILY;UNTIL=20260506'], times(4, 5, 6)],
    ['UNTIL in UTC', ['RRULE:FREQ=DAILY;UNTIL=20260506T070000Z'], times(4, 5, 6)],
    ['UNTIL without a zone', ['RRULE:FREQ=DAILY;UNTIL=20260506T085959'], times(4, 5)],
    ['UNTIL before its start', ['RRULE:FREQ=DAILY;UNTIL=20200101'], times(4)],
    ['UNTIL and COUNT', ['RRULE:FREQ=DAILY;UNTIL=20260505;COUNT=9'], times(4, 5)],
    ['lower case and spaces', ['RRULE:freq=weekly; byday=mo,we ;count=3'], times(4, 6, 11)],
    ['two rules', ['RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY;COUNT=2'], times(4, 5, 11)],
    ['EXRULE', ['RRULE:FREQ=DAILY;COUNT=4', 'EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2'], times(5, 7)],
    ['RDATE', ['RDATE:20260508T070000Z,20260509T090000'], times(4, 8, 9)],
    ['RDATE with a period', ['RDATE;VALUE=PERIOD:20260508T070000Z/PT3H'], times(4, 8)],
    ['BYSETPOS', ['RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2'], times(4, 29)],
    ['a huge COUNT', ['RRULE:FREQ=WEEKLY;COUNT=99999999999'], times(4, 11, 18, 25)],
    ['a part of its own', ['RRULE:FREQ=WEEKLY;X-FOO=1;WKST=SU'], times(4, 11, 18, 25)],
  ])('with %s has its dates', (_, lines, expected) => {
    const { events, problems } = read(zoned(...lines));
    expect(events.map(({ start }) => start)).toEqual(expected);
    expect(problems).toEqual([]);
  });

  test.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=HOURLY;BYMONTH=4;BYMONTHDAY=31',
    'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6',
    'FREQ=SOMETIMES',
    'FREQ=DAILY;BYDAY=MO;INTERVAL=99999999',
    '',
  ])('whose rule “%s” gives nothing has its first date, and its line is named', (rule) => {
    const { events, problems } = read(zoned(`RRULE:${rule}`));
    expect(events.map(({ start }) => start)).toEqual(times(4));
    expect(problems).toEqual([expect.stringContaining('Line 9:')]);
  });

  test.each([
    ['in UTC', 'RECURRENCE-ID:20260505T070000Z'],
    ['as a day', 'RECURRENCE-ID;VALUE=DATE:20260505'],
    ['in another zone', 'RECURRENCE-ID;TZID=America/New_York:20260505T030000'],
    ['without a zone', 'RECURRENCE-ID:20260505T090000'],
  ])('has an occurrence changed where it is named %s', (_, id) => {
    const changed = event(id, 'DTSTART;TZID=Europe/Berlin:20260505T150000', 'DURATION:PT1H');
    const whole = calendar(
      ...event(
        'DTSTART;TZID=Europe/Berlin:20260504T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=3',
      ),
      ...changed,
    );
    expect(starts(whole)).toEqual([
      '2026-05-04T09:00:00+02:00',
      '2026-05-05T15:00:00+02:00',
      '2026-05-06T09:00:00+02:00',
    ]);
    const cancelled = whole.replace(
      'DTSTART;TZID=Europe/Berlin:20260505T150000',
      'STATUS:CANCELLED\r\nDTSTART;TZID=Europe/Berlin:20260505T090000',
    );
    expect(starts(cancelled)).toEqual(times(4, 6));
  });

  test('is moved from one occurrence on by THISANDFUTURE', () => {
    const changed = event(
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20260506T070000Z',
      'DTSTART;TZID=Europe/Berlin:20260506T110000',
      'DTEND;TZID=Europe/Berlin:20260506T113000',
    );
    const whole = calendar(
      ...event(
        'DTSTART;TZID=Europe/Berlin:20260504T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=4',
      ),
      ...changed,
    );
    expect(spans(whole)).toEqual([
      '2026-05-04T09:00:00+02:00 2026-05-04T10:00:00+02:00',
      '2026-05-05T09:00:00+02:00 2026-05-05T10:00:00+02:00',
      '2026-05-06T11:00:00+02:00 2026-05-06T11:30:00+02:00',
      '2026-05-07T11:00:00+02:00 2026-05-07T11:30:00+02:00',
    ]);
  });

  test.each(['00010101T090000', '16010101T090000', '19700101T090000'])(
    'from %s on is read at once',
    (start) => {
      expect(
        starts(
          calendar(...event(`DTSTART:${start}`, 'RRULE:FREQ=DAILY')),
          '2026-05-04',
          '2026-05-06',
        ),
      ).toHaveLength(2);
    },
  );

  test('of 200 daily events since 2010 is read at once', () => {
    mayHoldLoop(onThread);
    const events = Array.from({ length: 200 }, (_, index) =>
      event('DTSTART;TZID=Europe/Berlin:20100104T090000', 'DURATION:PT15M', 'RRULE:FREQ=DAILY').map(
        (line) => (line === 'UID:1' ? `UID:${index}` : line),
      ),
    );
    const {
      events: found,
      complete,
      problems,
    } = read(calendar(...events.flat()), '2026-05-04', '2026-05-06');
    expect([found.length, complete, problems]).toEqual([400, true, []]);
  });
});

describe('the end of an event', () => {
  test.each([
    [
      'in another zone',
      ['DTSTART;TZID=Europe/Berlin:20260504T090000', 'DTEND;TZID=America/New_York:20260504T060000'],
      '2026-05-04T09:00:00+02:00 2026-05-04T12:00:00+02:00',
    ],
    [
      'in UTC',
      ['DTSTART;TZID=Europe/Berlin:20260504T090000', 'DTEND:20260504T090000Z'],
      '2026-05-04T09:00:00+02:00 2026-05-04T11:00:00+02:00',
    ],
    [
      'a day of the calendar later, when the clocks change',
      ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:P1D'],
      '2026-03-28T12:00:00+01:00 2026-03-29T12:00:00+02:00',
    ],
    [
      '24 hours later, when the clocks change',
      ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:PT24H'],
      '2026-03-28T12:00:00+01:00 2026-03-29T13:00:00+02:00',
    ],
    [
      'of whole days',
      ['DTSTART;VALUE=DATE:20260504', 'DTEND;VALUE=DATE:20260507'],
      '2026-05-04 2026-05-07',
    ],
    ['of whole days without an end', ['DTSTART;VALUE=DATE:20260504'], '2026-05-04 2026-05-05'],
    [
      'of whole days with the same end',
      ['DTSTART;VALUE=DATE:20260504', 'DTEND;VALUE=DATE:20260504'],
      '2026-05-04 2026-05-05',
    ],
    [
      'of whole days with a duration',
      ['DTSTART;VALUE=DATE:20260504', 'DURATION:P2D'],
      '2026-05-04 2026-05-06',
    ],
    ['missing', ['DTSTART:20260504T090000'], '2026-05-04T09:00:00+02:00 2026-05-04T09:00:00+02:00'],
    [
      'without seconds',
      ['DTSTART:20260504T0900', 'DTEND:20260504T1000'],
      '2026-05-04T09:00:00+02:00 2026-05-04T10:00:00+02:00',
    ],
  ])('is %s', (_, lines, expected) => {
    expect(spans(calendar(...event(...lines)), '2026-03-01')).toEqual([expected]);
  });

  test.each(['DTEND:20260503T090000', 'DTEND:soon', 'DURATION:-PT1H', 'DURATION:long'])(
    'that is wrong (%s) is named, and the event is read',
    (line) => {
      const { events, problems } = read(calendar(...event('DTSTART:20260504T090000', line)));
      expect(events).toMatchObject([
        { start: '2026-05-04T09:00:00+02:00', end: '2026-05-04T09:00:00+02:00' },
      ]);
      expect(problems).toEqual([expect.stringContaining('Line 8:')]);
    },
  );
});

describe('a broken file', () => {
  const sound = calendar(...other);
  test.each([
    ['a line without a colon', calendar('propertyGroups', ...other), 'Line 4:'],
    ['an event without DTSTART', calendar(...event(), ...other), 'Line 4:'],
    ['a DTSTART that is no time', calendar(...event('DTSTART:tomorrow'), ...other), 'Line 7:'],
    ['a 31st of April', calendar(...event('DTSTART:20260431T090000'), ...other), 'Line 7:'],
    [
      'an event that is not closed',
      calendar(...event('DTSTART:20260505T090000').slice(0, -1), ...other),
      'Line 4:',
    ],
    ['no END:VCALENDAR', sound.replace('END:VCALENDAR\r\n', ''), 'Line 1:'],
    [
      'a cut in the middle',
      `${sound.replace('END:VCALENDAR\r\n', '')}BEGIN:VEVENT\r\nUID:3\r\nDTST`,
      'Line 9:',
    ],
    ['an END that closes nothing', calendar('END:VTODO', ...other), 'Line 4:'],
    [
      'an older version',
      calendar(...other, ...other.slice(0, -1), 'SEQUENCE:3', 'END:VEVENT'),
      'Line 4:',
    ],
  ])('with %s is read but for that, which is named', (_, ics, line) => {
    const { events, problems } = read(ics);
    expect(events.map(({ title }) => title)).toEqual(['Sound']);
    expect(problems).toContainEqual(expect.stringContaining(line));
  });

  test.each([
    ['bare LF', sound.replaceAll('\r\n', '\n')],
    ['bare CR', sound.replaceAll('\r\n', '\r')],
    ['a byte order mark', `\ufeff${sound}`],
    ['two calendars', sound + calendar(...event('DTSTART:20270504T090000'))],
    [
      'lower case',
      sound.replaceAll(/BEGIN|END|VEVENT|VCALENDAR|DTSTART/g, (name) => name.toLowerCase()),
    ],
    [
      'properties of others',
      calendar('X-WR-CALNAME;X=a,b;Y="c:d":My: calendar', 'item1.X-ABLABEL:x', ...other),
    ],
    ['no UID', calendar(...other.filter((line) => !line.startsWith('UID')))],
    [
      'years at the ends of time',
      calendar(
        ...event('DTSTART:00010101T000000', 'DTEND:00010102T000000'),
        ...event('DTSTART:99991231T235959', 'DTEND:99991231T235959'),
        ...other,
      ),
    ],
    ['the same event twice', calendar(...other, ...other)],
  ])('with %s is read whole', (_, ics) => {
    expect(read(ics).events.map(({ title }) => title)).toEqual(['Sound']);
  });

  test('folded in the middle of a character is read', () => {
    const bytes = Buffer.from(calendar(...other).replace('Sound', 'Prüfung'));
    const at = bytes.indexOf(0xc3) + 1;
    const folded = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)]);
    expect(read(folded).events).toMatchObject([{ title: 'Prüfung' }]);
  });

  test('of 5 MB is read within seconds', () => {
    mayHoldLoop(onThread);
    const many = Array.from({ length: 30_000 }, (_, index) => [
      'BEGIN:VEVENT',
      `UID:${index}`,
      `SUMMARY:${'x'.repeat(60)}`,
      'DTSTART:20250504T080000Z',
      'DTEND:20250504T090000Z',
      `X-FILL:${'y'.repeat(20)}`,
      'END:VEVENT',
    ]);
    const { events, problems } = read(calendar(many.flat().join('\r\n'), ...other));
    expect([events.length, problems]).toEqual([1, []]);
  });
});

const added = {
  uid: 'new@countersign',
  title: 'Grüße',
  start: new Date('2026-05-20T07:00:00Z'),
  end: new Date('2026-05-20T08:00:00Z'),
  allDay: false,
  timezone: berlin,
  location: null,
  description: null,
  rrule: null,
};
const add = (file: Buffer, change = {}) =>
  addEvent(file, 'c.ics', { ...added, ...change }, new Date('2026-05-01T00:00:00Z'));

/** Null if something else was changed. */
function insertedIn(before: Buffer, after: Buffer): Buffer | null {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  for (let from = at; from >= Math.max(0, at - 100); from -= 1) {
    const length = after.length - before.length;
    if (
      after.subarray(0, from).equals(before.subarray(0, from)) &&
      after.subarray(from + length).equals(before.subarray(from))
    )
      return after.subarray(from, from + length);
  }
  return null;
}

describe('an event added to a file', () => {
  test.each([
    [
      'with bare LF',
      calendar('X-ODD;A="b:c":1', 'propertyGroups', ...other).replaceAll('\r\n', '\n'),
    ],
    [
      'with a byte order mark and no line break at its end',
      `\ufeff${calendar(...other).trimEnd()}`,
    ],
    [
      'with lines folded elsewhere and in lower case',
      calendar(
        'x-Foo:a\r\n b\r\n\tc',
        ...other.map((line) => line.replace(/^[A-Z]+/, (name) => name.toLowerCase())),
      ),
    ],
    ['of two calendars', calendar(...other) + calendar(...event('DTSTART:20270504T090000'))],
    ['with bad lines', calendar(...event('DTSTART:tomorrow'), 'END:VTODO', ...other)],
  ])('%s leaves every other byte', (_, ics) => {
    const before = Buffer.from(ics);
    const after = add(before);
    if (after === null) throw new Error('nothing was added');
    expect(insertedIn(before, after)?.toString()).toContain('SUMMARY:Grüße');
    expect(
      read(after)
        .events.map(({ title }) => title)
        .sort(),
    ).toEqual(['Grüße', 'Sound']);
    expect(add(after)).toBeNull();
  });

  test.each([
    ['latin1', 'Besprechung mit Müller in Köln, Straße 5', 'Grüße'],
    ['windows-1252', 'Prüfung – “Größe” für 5 €', 'Käse für 3 €'],
    ['koi8-r', 'Добрый день, коллеги. Отчёт готов.', 'Привет'],
    ['shift_jis', '会議の資料を送ります。よろしくお願いします。', '会議'],
    ['utf-16le', 'Prüfung', 'Grüße 会議'],
  ])('of a file in %s is written in it, and the rest stays', (encoding, title, added) => {
    const text = calendar(...other).replace('Sound', title);
    const mark = encoding.startsWith('utf-16') ? '\ufeff' : '';
    const before = iconv.encode(mark + text, encoding);
    const after = add(before, { title: added });
    if (after === null) throw new Error('nothing was added');
    expect(insertedIn(before, after)).not.toBeNull();
    expect(iconv.decode(after, encoding)).toContain(`SUMMARY:${added}`);
    expect(read(after).events.map((one) => one.title)).toEqual([title, added]);
  });

  test('of characters that the file cannot hold is refused, and so is what is no text', () => {
    const before = iconv.encode(calendar(...other).replace('Sound', 'Müller in Köln'), 'latin1');
    expect(() => add(before, { title: '会議' })).toThrow(/can't be written/);
    expect(() => add(Buffer.from([0, 1, 2, 3, 0, 255]))).toThrow(/not an ICS calendar/);
  });

  test('that was cut off is refused', () => {
    expect(() => add(Buffer.from(calendar(...other).replace('END:VCALENDAR\r\n', '')))).toThrow(
      /cut off/,
    );
  });

  test.each([
    ['FREQ=DAILY;UNTIL=20260522', false, 3],
    ['FREQ=DAILY;UNTIL=20260522', true, 3],
    ['FREQ=DAILY;UNTIL=20260522T090000', false, 3],
    ['FREQ=DAILY;COUNT=2', false, 2],
  ])('by %s (whole days: %s) comes on its last day too', (rrule, allDay, count) => {
    const file = add(Buffer.from(''), {
      rrule,
      allDay,
      ...(allDay
        ? { start: new Date('2026-05-19T22:00:00Z'), end: new Date('2026-05-20T22:00:00Z') }
        : {}),
    });
    expect(starts(file ?? '')).toHaveLength(count);
  });
});

describe('any bytes', () => {
  const piece = fc.constantFrom(
    'BEGIN:VEVENT',
    'END:VEVENT',
    'BEGIN:VCALENDAR',
    'END:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'END:VTIMEZONE',
    'TZID:Own',
    'BEGIN:STANDARD',
    'END:STANDARD',
    'TZOFFSETTO:+0100',
    'TZOFFSETFROM:+0200',
    'UID:1',
    'RRULE:FREQ=SECONDLY',
    'RRULE:FREQ=DAILY;BYMONTHDAY=31',
    'RRULE:FREQ=YEARLY;COUNT=9999;BYDAY=5MO',
    'EXRULE:FREQ=MINUTELY',
    'DTSTART:00010101T000000',
    'DTSTART;TZID=Own:20260504T090000',
    'DTEND:99991231',
    'DURATION:P9999Y',
    'RECURRENCE-ID;RANGE=THISANDFUTURE:20260504',
    'RDATE;VALUE=PERIOD:20260504T090000Z/P1D',
    ' folded',
    '\ttab',
    ';;;=:"',
    'X:\ud83d\ude00',
  );
  const noise = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 40 })), {
    maxLength: 40,
  });

  test('around a sound event are read within a bound and never changed', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom('\r\n', '\n', '\r'), (lines, lineBreak) => {
        const inside = lines.filter(
          (line) => !/END:VCALENDAR|BEGIN:V|^[ \t]/i.test(line) || /BEGIN:VTIMEZONE/.test(line),
        );
        const ics = ['BEGIN:VCALENDAR', ...other, 'X-NOISE:1', ...inside, 'END:VCALENDAR', ''].join(
          lineBreak,
        );
        const begun = performance.now();
        expect(read(ics).events.some(({ title }) => title === 'Sound')).toBe(true);
        expect(performance.now() - begun).toBeLessThan(15_000);
        const before = Buffer.from(ics);
        const after = add(before);
        if (after === null) throw new Error('nothing was added');
        expect(insertedIn(before, after)).not.toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  test('are read or refused with a code', () => {
    fc.assert(
      fc.property(noise, (lines) => {
        for (const bytes of [['BEGIN:VCALENDAR', ...lines].join('\n'), lines.join('\r\n')])
          try {
            read(bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'tool_failed' });
          }
      }),
      { numRuns: 150 },
    );
  });
});
