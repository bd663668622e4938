// A person's busy time: calendar events, read through the tools, and blocks of other plans.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
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

/** `user` owns the calendars. */
type CalendarQuery = { tools: PlannerTools; user: string; timezone: string; signal: AbortSignal };

const reading = 'calendar_read';

const Events = z.object({
  events: z.array(
    z.object({
      title: z.string(),
      start: z.string(),
      end: z.string(),
      busy: z.boolean(),
      calendar: z.string(),
    }),
  ),
  truncated: z.boolean().optional(),
  problems: z.array(z.string()).optional(),
});

/** Skips unreadable calendars. Throws only when aborted. */
export async function readCalendars(
  { tools, user, timezone, signal }: CalendarQuery,
  window: Interval,
): Promise<BusyReport> {
  if (!tools.readable().some(({ name }) => name === reading))
    return {
      busy: [],
      looked_at: [],
      unread: ['Calendars: no tool may read them while planning.'],
    };
  try {
    const iso = (at: number) => toLocalIso(new Date(at), timezone);
    const output = await tools.call(
      reading,
      { from: iso(window.from), to: iso(window.to), timezone },
      signal,
    );
    const read = Events.safeParse(output.data);
    if (!read.success)
      return { busy: [], looked_at: [], unread: ['Calendars: their answer could not be read.'] };
    const { events, truncated, problems = [] } = read.data;
    return {
      busy: events.flatMap((event) => {
        const [from, to] = [toMoment(event.start, timezone), toMoment(event.end, timezone)];
        if (from === null || to === null || to <= from) return [];
        if (!event.busy) return [];
        const what = quoteWords(event.title, 200);
        return [{ from, to, with: what, source: 'calendar' as const, person: user }];
      }),
      looked_at: [...new Set(['calendars', ...events.map(({ calendar }) => calendar)])].map(
        (name) => shorten(name, 300),
      ),
      unread: [
        ...(truncated === true ? ['Calendars: too many events to read them all.'] : []),
        ...problems.map((problem) => shorten(`Calendars: ${problem}`, 500)),
      ],
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      busy: [],
      looked_at: [],
      unread: [shorten(`Calendars: ${errorMessage(error)}`, 500)],
    };
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
