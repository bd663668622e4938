// Recurrence rules as people read them: `every weekday at 09:30`.
import { RRuleTemporal } from 'rrule-temporal';
import { toText } from 'rrule-temporal/totext';
import { Temporal } from 'temporal-polyfill';
import { type Recurrence, readRule } from './recurrence.ts';

/** `9:30 AM GMT+2`, `2:05 PM` and `9 AM` as `09:30`, `14:05` and `09:00`: the zone is said elsewhere. */
function rewriteClock(text: string): string {
  return text
    .replaceAll(
      /\b(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?(AM|PM)\b/g,
      (_, hour: string, minute: string | undefined, half: string) => {
        const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
        return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
      },
    )
    .replaceAll(/ (GMT|UTC)([+-]\d{1,2}(:\d\d)?)?(?=\s|,|$)/g, '');
}

/** The rule in words, with the time of day in its own zone. It must be one that `checkRule` takes. */
export function describeRecurrence({ rrule, timezone, startsAt }: Recurrence): string {
  const dtstart = Temporal.Instant.fromEpochMilliseconds(startsAt.getTime()).toZonedDateTimeISO(
    timezone,
  );
  return rewriteClock(toText(new RRuleTemporal({ rruleString: readRule(rrule), dtstart }), 'en'));
}
