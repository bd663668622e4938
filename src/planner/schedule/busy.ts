// A person's busy time: calendar events, read through the tools, and blocks of other plans.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf, shorten } from '#domain/words.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { type Interval, startOfDay } from '#timeline/working-time.ts';
import type { PlannerTools } from '../ports.ts';

export type BusyTime = Interval & {
  /** “Standup”, or `PLAN-3f9a1c20: Review`. */
  with: string;
  source: 'plan' | 'calendar';
  person: string;
};

export type BusyReport = { busy: BusyTime[]; looked_at: string[]; unread: string[] };

/** `user` asks; calendars that belong to nobody take their time. */
type CalendarQuery = { tools: PlannerTools; user: string; timezone: string; signal: AbortSignal };

const reading = 'calendar_read';

const Events = z.object({
  events: z.array(
    z.object({
      title: z.string(),
      start: z.string(),
      end: z.string(),
      busy: z.boolean(),
    }),
  ),
  truncated: z.boolean().optional(),
  calendars: z.array(z.string()).optional(),
  problems: z.array(z.string()).optional(),
});

const maxPeople = 50;

const unreadable = (why: string): BusyReport => ({
  busy: [],
  looked_at: [],
  unread: [shorten(`Calendars: ${why}`, 500)],
});

/** Each person's own calendars. Skips unreadable ones. Throws only when aborted. */
export async function readCalendars(
  query: CalendarQuery,
  people: string[],
  window: Interval,
): Promise<BusyReport> {
  if (!query.tools.readable().some(({ name }) => name === reading))
    return unreadable('no tool may read them while planning.');
  const reports: BusyReport[] = [];
  const without = people.slice(maxPeople);
  for (const person of people.slice(0, maxPeople)) {
    const report = await readOf(person, query, window);
    if (report === null) without.push(person);
    else reports.push(report);
  }
  const unread = reports.flatMap((report) => report.unread);
  return {
    busy: reports.flatMap(({ busy }) => busy),
    looked_at: [...new Set(reports.flatMap(({ looked_at }) => looked_at))],
    unread: [
      ...new Set(unread),
      ...(without.length === 0
        ? []
        : [shorten(`Calendars of ${listOf(without)}: none is connected.`, 500)]),
    ],
  };
}

/** Null for someone else without a calendar. Others' appointments take time, but are not named. */
async function readOf(
  person: string,
  { tools, user, timezone, signal }: CalendarQuery,
  window: Interval,
): Promise<BusyReport | null> {
  const isOther = person !== user;
  try {
    const iso = (at: number) => toLocalIso(new Date(at), timezone);
    const range = { from: iso(window.from), to: iso(window.to), timezone };
    const output = await tools.call(reading, range, signal, { user: person, ownOnly: isOther });
    const read = Events.safeParse(output.data);
    if (!read.success) return unreadable('their answer could not be read.');
    const { events, calendars = [], truncated, problems = [] } = read.data;
    if (isOther && calendars.length === 0) return null;
    return {
      busy: events.flatMap((event): BusyTime[] => {
        const [from, to] = [toMoment(event.start, timezone), toMoment(event.end, timezone)];
        if (from === null || to === null || to <= from || !event.busy) return [];
        const what = isOther
          ? `an appointment of ${quoteWords(person, 80)}`
          : quoteWords(event.title, 200);
        return [{ from, to, with: what, source: 'calendar', person }];
      }),
      looked_at: ['calendars', ...calendars].map((name) => shorten(name, 300)),
      unread: [
        ...(truncated === true ? ['Calendars: too many events to read them all.'] : []),
        ...problems.map((problem) => shorten(`Calendars: ${problem}`, 500)),
      ],
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return unreadable(errorMessage(error));
  }
}

/** A date alone is the first moment of that day. */
function toMoment(text: string, timezone: string): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? startOf(text, timezone) : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function startOf(date: string, timezone: string): number {
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  return Number.isNaN(day) ? day : startOfDay(day, timezone);
}
