// Zones that are said with a time: never dropped, and asked about where they can't be told.
import { describe, expect, it } from 'vitest';
import { readMoment } from '#planner/offline/times.ts';
import { builtins, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { converse, plan, proposalOf } from './requests.ts';

const planner = createOfflinePlanner({ tools: toolsOf(builtins) });
const now = new Date('2026-03-04T10:00:00Z');

describe('a zone behind a time of day', () => {
  it.each([
    ['tomorrow at 18:00 CET', '2026-03-05T17:00:00+00:00'],
    ['tomorrow at 9 PM Eastern', '2026-03-06T02:00:00+00:00'],
    ['tomorrow at 9 PM EST', '2026-03-06T02:00:00+00:00'],
    ['tomorrow 14:00 Berlin time', '2026-03-05T13:00:00+00:00'],
    ['1 July 2026, 14:00 Berlin time', '2026-07-01T12:00:00+00:00'],
    ['1 July 2026 at 9:00 London time', '2026-07-01T08:00:00+00:00'],
    ['18:00 CET on Friday', '2026-03-06T17:00:00+00:00'],
    ['tomorrow at 9am Pacific time', '2026-03-05T17:00:00+00:00'],
    ['tomorrow at 9:00 America/New_York', '2026-03-05T14:00:00+00:00'],
    ['tomorrow at 9:00 New York time', '2026-03-05T14:00:00+00:00'],
    ['tomorrow at 9:00 GMT', '2026-03-05T09:00:00+00:00'],
    ['tomorrow at 9:00 (UTC+2)', '2026-03-05T07:00:00+00:00'],
    ['tomorrow at 9:00 local time', '2026-03-05T09:00:00+00:00'],
  ])('counts: %s', (text, iso) => {
    expect(readMoment(text, now, 'UTC')?.iso).toBe(iso);
  });

  it('belongs to the words of the time, wherever they are cut out', () => {
    const text = 'on 1 December 2026, 14:00 Berlin time: renew';
    const moment = readMoment(text, now, 'UTC');
    expect(moment?.words).toBe('on 1 December 2026, 14:00 Berlin time');
  });
});

describe('a request with a zone', () => {
  const here = { timezone: 'UTC' };
  it.each([
    [
      'Set a reminder for 1 December 2026, 14:00 Berlin time: renew the certificate',
      { text: 'Renew the certificate', at: '2026-12-01T13:00:00+00:00' },
    ],
    [
      'Remind me at 9 PM Eastern to join the call',
      { text: 'Join the call', at: '2026-03-05T02:00:00+00:00' },
    ],
  ])('is planned for that moment: %s', async (text, args) => {
    const draft = proposalOf(await plan(planner, text, here));
    expect(draft.steps[0]?.args).toMatchObject(args);
  });

  it('holds a step back until that moment', async () => {
    const draft = proposalOf(await plan(planner, 'Delete a.txt tomorrow at 18:00 CET', here));
    expect(draft.steps[0]?.not_before).toBe('2026-03-05T17:00:00+00:00');
  });

  it('is asked about when the zone means several, or its time comes again', async () => {
    for (const text of [
      'Remind me tomorrow at 9:00 IST to call',
      'Remind me every Monday at 9:00 Eastern to call',
    ]) {
      const { result } = await plan(planner, text, here);
      expect(result).toMatchObject({ kind: 'question' });
      expect('text' in result && result.text).toContain('Say the time there');
    }
    const settled = await converse(planner, [
      'Remind me every Monday at 9:00 Eastern to call',
      '15:00',
    ]);
    expect(proposalOf(settled).steps[0]?.args).toMatchObject({
      rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=15;BYMINUTE=0;BYSECOND=0',
    });
  });

  it('leaves zones in texts alone', async () => {
    const draft = proposalOf(await plan(planner, 'Create a.txt saying "at 9:00 IST"', here));
    expect(draft.steps[0]?.args).toMatchObject({ content: 'at 9:00 IST' });
  });
});
