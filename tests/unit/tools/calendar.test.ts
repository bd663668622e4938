import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCalendarPlaces } from '#tools/calendar/places.ts';
import { openSandbox } from '#tools/workspace/sandbox.ts';
import { type Bench, openBench, toolContext } from './tool-bench.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await openBench({
    calendars: { team: 'team/team.ics', web: 'https://example.org/a.ics' },
  });
});
afterEach(() => bench.close());

function calendar(...lines: string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join(
    '\r\n',
  );
}

const connectedAt = (address: string, tenant: string | null) => ({
  ...{ host: new URL(address).host, tenant },
  open: () => address,
});

async function read(ics: string, from: string, to: string) {
  await writeFile(join(bench.workspace, 'c.ics'), ics);
  const data = await bench.data('calendar_read', { calendar: 'c.ics', from, to });
  if (!Array.isArray(data.events)) throw new Error('no events');
  return data.events.map((event) => {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) return event;
    return `${String(event.start)} ${String(event.title)}`;
  });
}

const daily = [
  'BEGIN:VEVENT',
  'UID:1',
  'SUMMARY:Standup',
  'DTSTART;TZID=Europe/Berlin:20260320T093000',
  'DURATION:PT15M',
  'RRULE:FREQ=DAILY',
  'EXDATE;TZID=Europe/Berlin:20260330T093000',
  'END:VEVENT',
];

describe('calendar_read', () => {
  it('spells recurring events out, at the same wall time when the clocks change', async () => {
    expect(await read(calendar(...daily), '2026-03-28', '2026-04-01')).toEqual([
      '2026-03-28T09:30:00+01:00 Standup',
      '2026-03-29T09:30:00+02:00 Standup',
      '2026-03-31T09:30:00+02:00 Standup',
    ]);
  });

  it('puts moved occurrences where they were moved to and leaves out cancelled ones', async () => {
    const change = (uid: string, id: string, ...lines: string[]) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `RECURRENCE-ID;TZID=Europe/Berlin:${id}`,
      ...lines,
      'END:VEVENT',
    ];
    const moved = change(
      '1',
      '20260409T093000',
      'SUMMARY:Standup (moved)',
      'DTSTART;TZID=Europe/Berlin:20260331T150000',
      'DURATION:PT15M',
    );
    const cancelled = change(
      '1',
      '20260329T093000',
      'STATUS:CANCELLED',
      'DTSTART;TZID=Europe/Berlin:20260329T093000',
    );
    expect(
      await read(calendar(...daily, ...moved, ...cancelled), '2026-03-28', '2026-04-01'),
    ).toEqual([
      '2026-03-28T09:30:00+01:00 Standup',
      '2026-03-31T09:30:00+02:00 Standup',
      '2026-03-31T15:00:00+02:00 Standup (moved)',
    ]);
  });

  it('knows UTC, floating, whole-day and home-made zones', async () => {
    const event = (uid: string, ...lines: string[]) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `SUMMARY:${uid}`,
      ...lines,
      'END:VEVENT',
    ];
    const ics = calendar(
      'BEGIN:VTIMEZONE',
      'TZID:Far East',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0900',
      'TZOFFSETTO:+0900',
      'END:STANDARD',
      'END:VTIMEZONE',
      ...event('utc', 'DTSTART:20260504T080000Z'),
      ...event('floating', 'DTSTART:20260504T110000'),
      ...event('day', 'DTSTART;VALUE=DATE:20260504'),
      ...event('own', 'DTSTART;TZID=Far East:20260504T210000'),
    );
    expect(await read(ics, '2026-05-04', '2026-05-05')).toEqual([
      '2026-05-04 day',
      '2026-05-04T10:00:00+02:00 utc',
      '2026-05-04T11:00:00+02:00 floating',
      '2026-05-04T14:00:00+02:00 own',
    ]);
  });

  it('reads the others where one cannot be read, and says which', async () => {
    await mkdir(join(bench.workspace, '..', 'team'), { recursive: true });
    await writeFile(join(bench.workspace, '..', 'team', 'team.ics'), 'no calendar');
    await writeFile(join(bench.workspace, 'calendar.ics'), calendar(...daily, 'odd line'));
    const data = await bench.data('calendar_read', { from: '2026-03-28', to: '2026-03-29' });
    expect(data.events).toMatchObject([{ title: 'Standup' }]);
    expect(data.problems).toEqual([
      expect.stringMatching(/^team: /),
      expect.stringMatching(/^web: /),
      expect.stringMatching(/^calendar\.ics: Line 12:/),
    ]);
  });

  it('reads the calendars of its reader, not those of others', async () => {
    const ownCalendar = async (user: string) => ({
      names: user === 'slack:T1:U1' ? ['slack:T1:U1', 'ana@example.com'] : [user],
      connected:
        user === 'dan'
          ? connectedAt('https://calendar.example.com/private-1.ics', 'slack:T1')
          : null,
    });
    const calendars = {
      ana: { at: 'ana.ics', people: ['Ana@example.com'] },
      ben: { at: 'ben.ics', people: ['ben'] },
      team: 'team.ics',
    };
    const owned = await openBench({ calendars }, { ownCalendar });
    try {
      for (const name of Object.keys(calendars))
        await writeFile(join(owned.workspace, '..', `${name}.ics`), calendar(...daily));
      const read = async (user: string, busyOf?: 'requester' | 'other') => {
        const asked = { from: '2026-03-28', to: '2026-03-29', timezone: 'UTC' };
        const { data } = await owned.call('calendar_read', asked, {
          user,
          ...(busyOf && { busyOf }),
        });
        return data as { calendars: string[]; events: { title: string; calendar: string }[] };
      };
      const list = async (...about: Parameters<typeof read>) => (await read(...about)).calendars;
      expect(await list('slack:T1:U1')).toEqual(['ana', 'team', 'calendar.ics']);
      expect(await list('slack:T1:U1', 'other')).toEqual(['ana']);
      expect(await list('@Ben', 'other')).toEqual(['ben']);
      expect(await list('cy', 'other')).toEqual([]);
      // More people see a plan than may see a personal calendar.
      for (const busyOf of ['requester', undefined] as const)
        expect((await read('slack:T1:U1', busyOf)).events).toMatchObject([
          { calendar: 'ana', title: '' },
          { calendar: 'team', title: 'Standup' },
        ]);
      const asked = { calendar: 'ana', from: '2026-03-28', to: '2026-03-29', timezone: 'UTC' };
      const { data: named } = await owned.call('calendar_read', asked, { user: 'slack:T1:U1' });
      expect(named).toMatchObject({ events: [{ title: 'Standup' }] });
      const data = await read('dan', 'other');
      expect(data.calendars).toEqual(['the calendar at calendar.example.com']);
      expect(JSON.stringify(data)).not.toContain('private-1');
      // A step of a plan may be another person's idea.
      expect(await list('dan')).toEqual(['team', 'calendar.ics']);
      await owned.call('calendar_read', { calendar: 'ben' }, { user: 'ben' });
      const refused = await owned.fail('calendar_read', { calendar: 'ben' }, { user: 'ana' });
      expect(refused.code).toBe('not_allowed');
    } finally {
      await owned.close();
    }
  });

  it('reads busy time from another organisation for that person alone', async () => {
    const ownCalendar = async (user: string) => ({
      names: [user],
      connected: connectedAt('https://127.0.0.1/a.ics', 'slack:T1'),
    });
    const tenancy = () => ({ apart: true, owners: [] });
    const shared = await openBench({}, { ownCalendar, tenancy });
    try {
      const isRead = async (tenant: string | null, busyOf: 'requester' | 'other') => {
        const context = toolContext({ user: 'dan', busyOf });
        const output = await shared.host.of(tenant).get('calendar_read')?.call({}, context);
        return JSON.stringify(output).includes('the calendar at 127.0.0.1');
      };
      expect(await isRead('slack:T1', 'other')).toBe(true);
      expect(await isRead('slack:T2', 'other')).toBe(false);
      expect(await isRead(null, 'other')).toBe(false);
      expect(await isRead('slack:T2', 'requester')).toBe(true);
    } finally {
      await shared.close();
    }
  });

  it('calls an address that a person chose only outside, and for seconds only', async () => {
    let connections = 0;
    const inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inside, 'listening');
    const { port } = inside.address() as AddressInfo;
    const addresses = [`https://127.0.0.1:${port}/a.ics`, 'https://slow.example.com/a.ics'];
    const options = {
      ownCalendar: async (user: string) => ({
        names: [user],
        connected: connectedAt(addresses[Number(user)] ?? '', null),
      }),
      lookup: () => new Promise<never>(() => undefined),
    };
    const chosen = await openBench({ http: { allowPrivate: ['127.0.0.1'] } }, options);
    try {
      const answers = await Promise.all(
        addresses.map((_, user) =>
          chosen.call('calendar_read', {}, { user: String(user), busyOf: 'other' }),
        ),
      );
      for (const { data } of answers)
        expect(data).toMatchObject({ problems: [expect.stringMatching(/^the calendar at /)] });
      expect(connections).toBe(0);
    } finally {
      await chosen.close();
      inside.close();
    }
  });

  it('keeps the process free while a calendar takes long', async () => {
    const endless = Array.from({ length: 3000 }, (_, index) => [
      'BEGIN:VEVENT',
      `UID:${index}`,
      'DTSTART:19700101T000000Z',
      `RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;COUNT=${index + 4000}`,
      'END:VEVENT',
    ]);
    await writeFile(join(bench.workspace, 'c.ics'), calendar(...endless.flat(), ...daily));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const long = bench.data('calendar_read', {
      calendar: 'c.ics',
      from: '2026-03-28',
      to: '2026-03-29',
    });
    await writeFile(join(bench.workspace, 'd.ics'), calendar(...daily));
    const short = await bench.data('calendar_read', {
      calendar: 'd.ics',
      from: '2026-03-28',
      to: '2026-03-29',
    });
    expect(short.count).toBe(1);
    const data = await long;
    clearInterval(timer);
    expect(data.truncated).toBe(true);
    expect(data.events).toContainEqual(expect.objectContaining({ title: 'Standup' }));
    expect(longest).toBeLessThan(2000);
  });

  it('does not run on for ever over an event that repeats each second', async () => {
    const ics = calendar(
      'BEGIN:VEVENT',
      'UID:1',
      'DTSTART:19700101T000000Z',
      'RRULE:FREQ=SECONDLY',
      'END:VEVENT',
    );
    await writeFile(join(bench.workspace, 'c.ics'), ics);
    const data = await bench.data('calendar_read', { calendar: 'c.ics' });
    expect(data.truncated).toBe(true);
  });

  it('reports a file that is missing or no calendar, and addresses that are not https', async () => {
    await writeFile(join(bench.workspace, 'c.ics'), 'hello');
    const fail = (name: string) => bench.fail('calendar_read', { calendar: name });
    expect((await fail('c.ics')).message).toMatch(/not an ICS calendar/);
    expect((await fail('gone.ics')).message).toMatch(/no calendar gone\.ics/);
    expect((await fail('http://example.org/a.ics')).code).toBe('address_not_allowed');
    expect((await fail('../a.ics')).code).toBe('path_outside_workspace');
  });
});

describe('calendar_add', () => {
  const event = { title: 'Review, part 2; "final"', start: '2026-10-23T09:30' };

  it('adds an event once per step, with its zone, and can be read again', async () => {
    const args = { ...event, rrule: 'FREQ=DAILY;COUNT=4', location: 'Room 1' };
    await bench.call('calendar_add', args);
    expect((await bench.call('calendar_add', args)).summary).toMatch(/^Already there/);
    const ics = await readFile(join(bench.workspace, 'calendar.ics'), 'utf8');
    expect(ics.match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(ics).toContain('TZID:Europe/Berlin');
    const data = await bench.data('calendar_read', {
      calendar: 'calendar.ics',
      from: '2026-10-23',
      to: '2026-11-01',
    });
    expect(data.events).toMatchObject([
      { title: event.title, start: '2026-10-23T09:30:00+02:00', location: 'Room 1' },
      { start: '2026-10-24T09:30:00+02:00' },
      { start: '2026-10-25T09:30:00+01:00' },
      { start: '2026-10-26T09:30:00+01:00', end: '2026-10-26T10:30:00+01:00' },
    ]);
    const ofPlan = await bench.call('calendar_add', args, {
      planId: 'PLAN-1',
      idempotencyKey: 'a',
    });
    expect(ofPlan.data).toMatchObject({ uid: expect.stringMatching(/^PLAN-1\./) });
  });

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;UNTIL=20200101',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=HOURLY;BYMONTH=4;BYMONTHDAY=31',
    'FREQ=DAILY;INTERVAL=0',
  ])('refuses a rule without a date, when it is proposed and when it runs: %s', async (rrule) => {
    const args = { ...event, rrule };
    expect(bench.registry.validate('calendar_add', args, [])).toHaveLength(1);
    expect((await bench.fail('calendar_add', args)).code).toBe('invalid_arguments');
  });

  it('says which months its rule leaves out', async () => {
    const args = { ...event, start: '2026-10-31T09:30', rrule: 'FREQ=MONTHLY' };
    expect((await bench.call('calendar_add', args)).summary).toMatch(/Not in February, April/);
  });

  it('keeps every one of many events added at once', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        bench.call('calendar_add', event, { idempotencyKey: `key ${index}` }),
      ),
    );
    const data = await bench.data('calendar_read', {
      calendar: 'calendar.ics',
      from: '2026-10-23',
    });
    expect(data.count).toBe(10);
  });

  it('adds whole days, and to configured files outside the workspace', async () => {
    await bench.call('calendar_add', { title: 'Fair', start: '2026-05-04', calendar: 'team' });
    const data = await bench.data('calendar_read', {
      calendar: 'team',
      from: '2026-05-01',
      to: '2026-06-01',
    });
    expect(data.events).toMatchObject([{ start: '2026-05-04', end: '2026-05-05', all_day: true }]);
  });

  it('says which events take no time', async () => {
    await mkdir(bench.workspace, { recursive: true });
    const event = (uid: string, more: string) =>
      `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART;VALUE=DATE:20260504\r\nSUMMARY:${uid}\r\n${more}END:VEVENT\r\n`;
    const events = event('birthday', 'TRANSP:TRANSPARENT\r\n') + event('Urlaub', '');
    await writeFile(
      join(bench.workspace, 'days.ics'),
      `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${events}END:VCALENDAR\r\n`,
    );
    const data = await bench.data('calendar_read', {
      calendar: 'days.ics',
      from: '2026-05-01',
      to: '2026-06-01',
    });
    expect(data.events).toMatchObject([
      { uid: 'birthday', busy: false },
      { uid: 'Urlaub', busy: true },
    ]);
  });

  it('does not overwrite what is no calendar, nor add to an address', async () => {
    await mkdir(bench.workspace, { recursive: true });
    await writeFile(join(bench.workspace, 'notes.txt'), 'notes');
    expect((await bench.fail('calendar_add', { ...event, calendar: 'notes.txt' })).code).toBe(
      'tool_failed',
    );
    expect(await readFile(join(bench.workspace, 'notes.txt'), 'utf8')).toBe('notes');
    expect((await bench.fail('calendar_add', { ...event, calendar: 'web' })).message).toMatch(
      /is read-only/,
    );
  });
});

describe('a calendar that others write too', () => {
  const noWeb = { send: () => Promise.reject(new Error('no web')) };
  const never = new AbortController().signal;
  const open = async () =>
    createCalendarPlaces(
      { calendars: {}, baseDir: bench.workspace },
      openSandbox(bench.workspace),
      { web: noWeb, webOfPeople: noWeb },
    );

  it('keeps what was written while a change was worked out', async () => {
    const path = join(bench.workspace, 'c.ics');
    await writeFile(path, 'one\n');
    const places = await open();
    let times = 0;
    const add = async (ics: Buffer | null) => {
      times += 1;
      if (times === 1) await writeFile(path, 'one\ntwo\n');
      return Buffer.from(`${ics}mine\n`);
    };
    await expect(places.update('c.ics', add, never)).rejects.toMatchObject({ passesAfterMs: 0 });
    await places.update('c.ics', add, never);
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\nmine\n');
  });

  it('is left as it is where it never rests', async () => {
    const path = join(bench.workspace, 'c.ics');
    const places = await open();
    let times = 0;
    const add = async () => {
      times += 1;
      await writeFile(path, `${times}`);
      return Buffer.from('mine');
    };
    await expect(places.update('c.ics', add, never)).rejects.toMatchObject({ code: 'tool_failed' });
    expect(await readFile(path, 'utf8')).toBe(`${times}`);
  });
});
