// Checks that configured calendars can be read.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import type { Calendar, Settings } from '#domain/settings.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { outsidePlan, type ToolHost } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { brokenCheck, okCheck } from './results.ts';

const waitMs = 3000;

export type CalendarState = { name: string; kind: 'file' | 'address'; problems: string[] };

const Read = z.object({ problems: z.array(z.string()).default([]) });

/** Calendar URLs are secrets. */
async function readState(
  registry: ToolHost,
  timezone: string,
  name: string,
  { at, organisations, people }: Calendar,
): Promise<CalendarState> {
  const kind = /^[a-z][a-z0-9+.-]*:\/\//i.test(at) ? 'address' : 'file';
  const read = registry.of(organisations?.[0] ?? null).get('calendar_read');
  if (read === undefined) return { name, kind, problems: [] };
  try {
    const context = outsidePlan({
      ...{ idempotencyKey: `calendar ${name}`, user: people?.[0] ?? 'doctor', timezone },
      signal: AbortSignal.timeout(waitMs),
    });
    const output = await read.call({ calendar: name }, context);
    const { problems } = Read.parse('data' in output ? output.data : {});
    return { name, kind, problems: problems.map((text) => text.replace(`${name}: `, '')) };
  } catch (error) {
    const file = errorMessage(error);
    return { name, kind, problems: [kind === 'file' ? file : 'Its address gives no calendar.'] };
  }
}

export function readCalendarStates(
  registry: ToolHost,
  { calendars }: Pick<Settings, 'calendars'>,
  timezone: string,
): Promise<CalendarState[]> {
  return Promise.all(
    Object.entries(calendars).map(([name, place]) => readState(registry, timezone, name, place)),
  );
}

export async function checkCalendars(
  ...about: Parameters<typeof readCalendarStates>
): Promise<CheckResult[]> {
  return (await readCalendarStates(...about)).map(({ name, kind, problems }): CheckResult => {
    const part = `Calendar ${name}`;
    if (problems.length === 0) return okCheck(part, `read from its ${kind}`);
    return brokenCheck(
      part,
      `${countOf(problems.length, 'problem')}: ${problems.join(' ')}`,
      `Correct these lines in the program that writes the calendar, or change calendars.${name} in the settings. The rest of the calendar is used.`,
    );
  });
}
