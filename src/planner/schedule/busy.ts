// Busy time from calendars and other plans.
import { z } from 'zod';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import type { ReadBusy } from '#domain/planning/shift.ts';
import { createRecent, shareByKey } from '#domain/recent.ts';
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

/** `failed`: a connected calendar was unreadable. */
type CalendarReport = BusyReport & { failed: boolean };

/** `user` also has the calendars without an owner. Entries of `plan` are ignored. */
type CalendarQuery = {
  tools: Pick<PlannerTools, 'readable' | 'call'>;
  user: string;
  timezone: string;
  signal: AbortSignal;
  plan?: string;
};

const reading = 'calendar_read';

const Events = z.object({
  events: z.array(
    z.object({
      uid: z.string(),
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
const readersAtOnce = 8;

const unreadable = (why: string, failed = true): CalendarReport => ({
  busy: [],
  looked_at: [],
  failed,
  unread: [shorten(`Calendars: ${why}`, 500)],
});

/** Skips unreadable ones; throws only when aborted. */
export async function readCalendars(
  query: CalendarQuery,
  people: string[],
  window: Interval,
): Promise<CalendarReport> {
  if (!query.tools.readable().some(({ name }) => name === reading))
    return unreadable('no tool may read them while planning.', false);
  const asked = people.slice(0, maxPeople);
  const answers: (CalendarReport | null)[] = asked.map(() => null);
  const entries = asked.entries();
  const readOn = async () => {
    for (const [at, person] of entries) answers[at] = await readOf(person, query, window);
  };
  await Promise.all(Array.from({ length: readersAtOnce }, readOn));
  const without = people.filter((_, at) => (answers[at] ?? null) === null);
  const reports = answers.filter((report) => report !== null);
  const unread = reports.flatMap((report) => report.unread);
  return {
    busy: reports.flatMap(({ busy }) => busy),
    failed: reports.some(({ failed }) => failed),
    looked_at: [...new Set(reports.flatMap(({ looked_at }) => looked_at))],
    unread: [
      ...new Set(unread),
      ...(without.length === 0
        ? []
        : [shorten(`Calendars of ${listOf(without)}: none is connected.`, 500)]),
    ],
  };
}

/** Null without a calendar. People's own appointments are not named. */
async function readOf(
  person: string,
  { tools, user, timezone, signal, plan }: CalendarQuery,
  window: Interval,
): Promise<CalendarReport | null> {
  const isOther = person !== user;
  try {
    const iso = (at: number) => toLocalIso(new Date(at), timezone);
    const range = { from: iso(window.from), to: iso(window.to), timezone };
    const busyOf = isOther ? 'other' : 'requester';
    const output = await tools.call(reading, range, signal, { user: person, busyOf });
    const read = Events.safeParse(output.data);
    if (!read.success) return unreadable('their answer could not be read.');
    const { events, calendars = [], truncated, problems = [] } = read.data;
    if (isOther && calendars.length === 0) return null;
    const isOwn = ({ uid }: { uid: string }) => plan !== undefined && uid.startsWith(`${plan}.`);
    return {
      failed: problems.length > 0,
      busy: events.flatMap((event): BusyTime[] => {
        const [from, to] = [parseMoment(event.start, timezone), parseMoment(event.end, timezone)];
        if (from === null || to === null || to <= from || !event.busy || isOwn(event)) return [];
        const isHidden = isOther || event.title === '';
        const what = isHidden
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

const reportsKept = { keep: 1000, forMs: 5 * 60_000 };
const patienceMs = 10_000;

/** At most every five minutes per plan. Never throws. */
export function createReadBusy(
  toolsOf: (tenant: string | null) => CalendarQuery['tools'],
  clock: Clock,
): ReadBusy {
  const kept = createRecent<Promise<CalendarReport>>({ ...reportsKept, clock });
  return ({ id: plan, tenant, requester: user, timezone }, people, window) =>
    shareByKey(kept, JSON.stringify([plan, timezone, people]), () => {
      const signal = AbortSignal.timeout(patienceMs);
      const query = { tools: toolsOf(tenant), user, timezone, signal, plan };
      return readCalendars(query, people, window).catch((error: unknown) =>
        unreadable(errorMessage(error)),
      );
    });
}

/** A date is its first moment. */
function parseMoment(text: string, timezone: string): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? startOf(text, timezone) : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function startOf(date: string, timezone: string): number {
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  return Number.isNaN(day) ? day : startOfDay(day, timezone);
}
