// Calendars in workspace files, and at configured files and addresses.
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { CountersignError } from '#domain/errors.ts';
import { isSamePerson } from '#domain/people/names.ts';
import type { Settings } from '#domain/settings.ts';
import type { ToolContext } from '#domain/tool.ts';
import { nothingDone, systemCode } from '../failures.ts';
import type { WebClient } from '../http/send-request.ts';
import type { OwnCalendar } from '../ports.ts';
import { withFileErrors } from '../workspace/file-errors.ts';
import { whileLocked } from '../workspace/lock.ts';
import { type HeldPath, openSandbox, type Sandbox } from '../workspace/sandbox.ts';
import { putFile } from '../workspace/write.ts';

const maxBytes = 10_000_000;
export const defaultCalendar = 'calendar.ics';

/** `label` is what people see, since an address can be a secret. */
export type NamedCalendar = {
  calendar: string;
  label: string;
  isPersonal: boolean;
  isConnected?: true;
};

export type CalendarPlaces = {
  /** A person's, and unless read for someone else, those that belong to nobody. */
  list(user: string, busyOf: ToolContext['busyOf']): Promise<NamedCalendar[]>;
  /** A sentence if it belongs to others. */
  findRefusal(calendar: string, user: string): Promise<string | null>;
  read(place: Omit<NamedCalendar, 'label'>, signal: AbortSignal): Promise<Buffer | null>;
  /** Not done if `change` returns null or `signal` aborts while waiting. Serialised across processes. */
  update(
    calendar: string,
    change: (ics: Buffer | null) => Promise<Buffer | null>,
    signal: AbortSignal,
  ): Promise<void>;
};

export type CalendarSettings = {
  calendars: Settings['calendars'];
  baseDir: string;
  ownCalendar?: OwnCalendar | undefined;
  tenant?: string | null | undefined;
};

/** `webOfPeople`: for addresses that people chose. */
type CalendarWeb = { web: WebClient; webOfPeople: WebClient };

export function createCalendarPlaces(
  settings: CalendarSettings,
  workspace: Sandbox,
  { web, webOfPeople }: CalendarWeb,
): CalendarPlaces {
  const locate = (calendar: string) =>
    Object.hasOwn(settings.calendars, calendar) ? settings.calendars[calendar]?.at : undefined;
  const withFile = async <T>(
    calendar: string,
    createFolders: boolean,
    use: (place: HeldPath) => Promise<T>,
  ): Promise<T> => {
    const configured = locate(calendar);
    const options = { follow: true, createFolders };
    if (configured === undefined)
      return withFileErrors(calendar, () => workspace.withPlace(calendar, options, use));
    // May be anywhere; the file's folder is its sandbox.
    const path = resolve(settings.baseDir, configured);
    const sandbox = openSandbox(dirname(path));
    return withFileErrors(calendar, () => sandbox.withPlace(basename(path), options, use));
  };
  const { ownCalendar = async (user) => ({ names: [user], connected: null }) } = settings;
  const belongsTo = (names: string[], people: string[]) =>
    people.some((one) => names.some((name) => isSamePerson(name, one)));
  return {
    async list(user, busyOf) {
      const { names, connected } = await ownCalendar(user);
      const places: NamedCalendar[] = [];
      for (const [name, { people }] of Object.entries(settings.calendars)) {
        const isPersonal = people !== undefined;
        const isRead = isPersonal ? belongsTo(names, people) : busyOf !== 'other';
        if (isRead) places.push({ calendar: name, label: name, isPersonal });
      }
      if (busyOf !== 'other' && !Object.hasOwn(settings.calendars, defaultCalendar))
        places.push({ calendar: defaultCalendar, label: defaultCalendar, isPersonal: false });
      if (connected === null || busyOf === undefined) return places;
      const { tenant } = settings;
      const isReachable = tenant === undefined || tenant === connected.tenant;
      if (busyOf === 'other' && !isReachable) return places;
      const label = `the calendar at ${connected.host}`;
      const calendar = connected.open();
      return [...places, { calendar, label, isPersonal: true, isConnected: true }];
    },
    async findRefusal(calendar, user) {
      const people = Object.hasOwn(settings.calendars, calendar)
        ? settings.calendars[calendar]?.people
        : undefined;
      if (people === undefined || belongsTo((await ownCalendar(user)).names, people)) return null;
      return `${calendar} is someone else's calendar. Only its owner can use it.`;
    },
    async read({ calendar, isConnected = false }, signal) {
      const address = toAddress(isConnected ? calendar : (locate(calendar) ?? calendar));
      if (address === null) return withFile(calendar, false, readPlace);
      const answer = await (isConnected ? webOfPeople : web).send({
        method: 'GET',
        url: address,
        headers: { accept: 'text/calendar, text/plain;q=0.5' },
        body: null,
        signal,
        changesSomething: false,
      });
      if (answer.text === null)
        throw new CountersignError('tool_failed', `The calendar ${calendar} is no text.`);
      return Buffer.from(answer.text);
    },
    async update(calendar, change, signal) {
      if (toAddress(locate(calendar) ?? calendar) !== null)
        throw new CountersignError(
          'tool_failed',
          `The calendar ${calendar} is a web address, which is read-only. Add to a file instead.`,
        );
      await withFile(calendar, true, (place) =>
        whileLocked(place, signal, async () => {
          const before = await readPlace(place);
          const changed = await change(before);
          if (changed === null) return;
          await putFile(place, changed, { mode: 0o666, overwrite: true, isReady });

          /** Other programs ignore the lock. */
          async function isReady() {
            if (isSame(before, await readPlace(place))) return;
            throw new CountersignError(
              'tool_failed',
              `${calendar} was changed by another program meanwhile. Nothing was added; try again.`,
              { details: nothingDone, passesAfterMs: 0 },
            );
          }
        }),
      );
    },
  };
}

export function toAddress(calendar: string): string | null {
  if (/^https:\/\//i.test(calendar)) return calendar;
  if (/^webcal:\/\//i.test(calendar)) return calendar.replace(/^webcal/i, 'https');
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(calendar))
    throw new CountersignError(
      'address_not_allowed',
      `The calendar ${calendar} must be a file or an https address.`,
    );
  return null;
}

const isSame = (one: Buffer | null, other: Buffer | null) =>
  one === null || other === null ? one === other : one.equals(other);

async function readPlace(place: HeldPath): Promise<Buffer | null> {
  try {
    const info = await lstat(place.at);
    if (!info.isFile()) throw new CountersignError('tool_failed', `${place.path} is not a file.`);
    if (info.size > maxBytes)
      throw new CountersignError('tool_failed', `${place.path} is larger than 10 MB.`);
    return await readFile(place.at);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
