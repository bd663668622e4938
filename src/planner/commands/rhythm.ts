// Reads when something repeats: `every Tuesday at 9:00`, `tomorrow at 14:00`, `10:30`.
import { trimTail } from '#domain/words.ts';
import {
  type Every,
  readEvery,
  readWhen,
  settleEvery,
  settleWhen,
  type When,
  type Words,
} from '#timeline/spoken-times.ts';
import type { Setting } from './answers.ts';
import { CommandRefusal } from './request.ts';
import { tokenize } from './tokens.ts';

export function momentOf(when: When, setting: Setting, wholeDay = false): string {
  const settled = settleWhen(when, setting, wholeDay);
  if ('iso' in settled) return settled.iso;
  throw new CommandRefusal(
    `When is “${when.words}”? Say it with a day and a time, such as “tomorrow at 15:00”.`,
  );
}

const clock = /BYHOUR=\d+;BYMINUTE=\d+/;

export const atTime = (rrule: string, iso: string): string =>
  rrule.replace(clock, `BYHOUR=${Number(iso.slice(11, 13))};BYMINUTE=${Number(iso.slice(14, 16))}`);

/** @throws CommandRefusal */
export function ruleInstead(every: Every, old: string): string {
  const nine = { hour: 9, minute: 0, zone: null, second: null };
  const settled = settleEvery(every.clock === null ? { ...every, clock: nine } : every);
  if (!('rrule' in settled))
    throw new CommandRefusal(`At what time is “${every.words}”? Say 9:00 or 21:00.`);
  const { rrule } = settled;
  const timed =
    every.clock === null ? rrule.replace(clock, (given) => clock.exec(old)?.[0] ?? given) : rrule;
  // A rule has one end.
  return timed.includes('COUNT=') ? timed : timed + (/;UNTIL=[^;]+/.exec(old)?.[0] ?? '');
}

/** @throws CommandRefusal if not read whole */
export function readRhythm(
  input: string,
  old: string | null,
  setting: Setting,
): { rrule: string } | { at: string } {
  const source = trimTail(input.trim(), /[.!]/);
  const words: Words = { source, tokens: tokenize(source), ...setting };
  const every = readEvery(words, 0);
  if (every !== null && every.next === words.tokens.length)
    return { rrule: ruleInstead(every.value, old ?? '') };
  const when = readWhen(words, 0);
  if (when === null || when.next < words.tokens.length)
    throw new CommandRefusal(
      `I couldn't read “${input}” as a time. Use one such as “every Tuesday at 9:00” or “tomorrow at 15:00”.`,
    );
  const at = momentOf(when.value, setting);
  const bare = when.value.date === null && when.value.instant === null;
  return bare && old !== null && clock.test(old) ? { rrule: atTime(old, at) } : { at };
}
