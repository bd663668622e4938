// Feedback that moves a reminder or an event: "at 10:00 instead", "every Monday", "tomorrow".
import { familyOf } from '../families.ts';
import { readRecurrence } from '../recurrences.ts';
import { readClockTime, readMoment } from '../times.ts';
import {
  type Change,
  type RevisionContext,
  type Rule,
  roleName,
  setArgs,
  type Working,
} from './work.ts';

export const changeTime: Rule = (work, part, context) => {
  const timed = work.filter(
    (item) =>
      roleName(item, 'rrule') !== undefined ||
      (item.spec && ['remind', 'calendar_add'].includes(familyOf(item.spec) ?? '')),
  );
  if (timed.length === 0) return changeStart(work, part, context);
  const words = part
    .replace(/\s*\binstead\b/i, '')
    .replace(
      /^(?:change|set|move|make|shift)\s+(?:it|that|the\s+(?:time|reminder|date|schedule|meeting|event))\s+(?:to\s+)?/i,
      '',
    )
    .replace(/^(?:at|for|on)\s+(?=every|each)/i, '');
  const recurrence = readRecurrence(words);
  const clock = readClockTime(/^\d/.test(words) ? `at ${words}` : words);
  const moment = readMoment(words, context.now, context.timezone);
  if (!recurrence && !clock && !moment) return null;
  const rest = [...(recurrence?.pieces ?? []), clock?.words ?? '', moment?.words ?? ''].reduce(
    (text, piece) => text.replace(piece.trim(), ' '),
    words,
  );
  if (
    /\p{L}{3,}/u.test(
      rest.replace(/\b(?:please|on|at|the|time|from|now|that|should|be|rather|better)\b/gi, ''),
    )
  )
    return null;
  return {
    work: work.map((item) => {
      if (!timed.includes(item)) return item;
      const [ruleName, atName] = [roleName(item, 'rrule'), roleName(item, 'at')];
      const args = { ...item.draft.args };
      const rule = ruleName === undefined ? undefined : args[ruleName];
      if (recurrence && ruleName !== undefined) {
        args[ruleName] =
          recurrence.assumedHour && typeof rule === 'string'
            ? keepHour(recurrence.rrule, rule)
            : recurrence.rrule;
        if (atName !== undefined && item.spec !== null && familyOf(item.spec) === 'remind')
          delete args[atName];
      } else if (clock && ruleName !== undefined && typeof rule === 'string') {
        args[ruleName] = setHour(rule, clock.hour, clock.minute);
      } else if (atName !== undefined) {
        const old = args[atName];
        const dateOnly =
          clock &&
          typeof old === 'string' &&
          !/\p{L}{3,}/u.test(words.replace(clock.words.trim(), '').replace(/\b(?:at)\b/i, ''));
        if (dateOnly)
          args[atName] =
            readMoment(
              `${old.slice(0, 10)} ${clock.hour}:${String(clock.minute).padStart(2, '0')}`,
              context.now,
              context.timezone,
            )?.iso ?? old;
        else if (moment) args[atName] = moment.iso;
      }
      return setArgs(item, args);
    }),
  };
};

/** "at 10:00 instead" for steps that wait for a moment. */
function changeStart(work: Working[], part: string, context: RevisionContext): Change {
  const words = part
    .replace(/\s*\binstead\b/i, '')
    .replace(/^(?:do|run|start|make|change|move)\s+(?:it|that|them|this)\s+(?:to\s+)?/i, '')
    .trim();
  const waiting = work.filter((item) => item.draft.not_before !== undefined);
  const moment = readMoment(words, context.now, context.timezone);
  const rest = moment && words.replace(moment.words, '').replace(/\b(?:on|at|by|please)\b/gi, '');
  if (waiting.length === 0 || !moment || /\p{L}/u.test(rest ?? '')) return null;
  if (Date.parse(moment.iso) < context.now.getTime()) return null;
  return {
    work: work.map((item) =>
      waiting.includes(item)
        ? { ...item, changed: true, draft: { ...item.draft, not_before: moment.iso } }
        : item,
    ),
  };
}

function setHour(rule: string, hour: number, minute: number): string {
  const parts = rule.split(';').filter((part) => !/^(?:BYHOUR|BYMINUTE|BYSECOND)=/.test(part));
  return [...parts, `BYHOUR=${hour}`, `BYMINUTE=${minute}`, 'BYSECOND=0'].join(';');
}

function keepHour(rule: string, old: string): string {
  const hour = /BYHOUR=(\d+)/.exec(old)?.[1];
  const minute = /BYMINUTE=(\d+)/.exec(old)?.[1];
  return hour === undefined ? rule : setHour(rule, Number(hour), Number(minute ?? 0));
}
