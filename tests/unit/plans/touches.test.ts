// Whether two steps may touch the same; in doubt they do.
import { expect, test } from 'vitest';
import type { JsonObject } from '#domain/text.ts';
import { meet, touchesOf } from '#plans/content/touches.ts';

const touches = (tool: string, args: JsonObject) => touchesOf({ id: 's', tool, args });
const long = 'a/'.repeat(1200);

test.each<[string, [string, JsonObject], [string, JsonObject], boolean]>([
  ['one file', ['workspace', { path: 'a.md' }], ['workspace', { path: './A.md' }], true],
  ['two files', ['workspace', { path: 'a.md' }], ['workspace', { path: 'b.md' }], false],
  [
    'a file with a line break in its name',
    ['workspace', { from: 'x', to: 'a\nb' }],
    ['workspace', { path: 'a\nb' }],
    true,
  ],
  [
    'a path too long to compare',
    ['workspace', { from: 'x', to: `${long}b` }],
    ['workspace', { path: `${long}b` }],
    true,
  ],
  [
    'a later page of the whole workspace',
    ['workspace', { recursive: true, after: 'x/y' }],
    ['workspace', { path: 'a.md' }],
    true,
  ],
  [
    'a text that is looked for, called like a file',
    ['workspace', { path: 'x', action: 'replace', find: 'a.md', text: 'b' }],
    ['workspace', { path: 'a.md' }],
    false,
  ],
  [
    'the usual calendar as a file',
    ['calendar', { from: '2026-05-01', to: '2026-05-02' }],
    ['workspace', { path: 'calendar.ics' }],
    true,
  ],
  [
    'a calendar that is chosen when it runs',
    ['calendar', { calendar: { $from: 'a', path: '/c' }, title: 'x' }],
    ['workspace', { path: 'b.md' }],
    true,
  ],
  [
    'a calendar by a name that may be set to mean a file',
    ['calendar', { calendar: 'team', title: 'x' }],
    ['workspace', { path: 'calendars/team.ics' }],
    true,
  ],
  [
    'all calendars, of which one may be any file',
    ['calendar', { from: '2026-05-01', to: '2026-05-02' }],
    ['workspace', { path: 'calendars/team.ics' }],
    true,
  ],
  [
    'two names of calendars',
    ['calendar', { calendar: 'team', title: 'x' }],
    ['calendar', { calendar: 'calendars/team.ics', title: 'y' }],
    true,
  ],
  [
    'an event in the usual calendar and another file',
    ['calendar', { title: 'x' }],
    ['workspace', { path: 'a.md' }],
    false,
  ],
  [
    'an event that is called like a file',
    ['calendar', { calendar: 'c.ics', title: 'a.md' }],
    ['workspace', { path: 'a.md' }],
    false,
  ],
])('%s', (_, one, other, met) => {
  expect(meet(touches(...one), touches(...other))).toBe(met);
});
