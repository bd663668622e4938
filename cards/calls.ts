// The effect of a call as lines that people read. What a line leaves out is said with its size, and remembered.
import type { CallDescription, CallPart, CallValue } from '#contracts/call.ts';
import { countOf } from '#contracts/words.ts';
import { cutShown, showExact, showText } from './plain.ts';

const shield = '🛡';
/** What is not known before the call. */
const openMark = '⟲';

/** An effect in few words, and whether any of it was cut. */
export type ShortCall = { text: string; cut: boolean };

function showValue({ text, later }: CallValue, max: number): ShortCall {
  const shown = showExact(text);
  const mark = later ? `${openMark} ` : '';
  if (shown.length <= max) return { text: mark + shown, cut: false };
  return {
    text: `${mark}${cutShown(shown, max)} (${countOf(text.length, 'character')})`,
    cut: true,
  };
}

function join(pieces: ShortCall[], separator: string): ShortCall {
  return {
    text: pieces.map(({ text }) => text).join(separator),
    cut: pieces.some(({ cut }) => cut),
  };
}

function shortHeadline({ headline }: CallDescription, max: number): ShortCall {
  const pieces = headline.map((word) =>
    typeof word === 'string' ? { text: word, cut: false } : showValue(word, max),
  );
  return join(pieces, ' ');
}

function shortPart(part: CallPart, max: number): ShortCall {
  const value = showValue(part, max);
  if (!part.payload) return { ...value, text: `${showExact(part.label)}: ${value.text}` };
  return part.later || value.text.startsWith('"') ? value : { ...value, text: `“${value.text}”` };
}

/** The headline alone, whole: what a call is called where its effect has been shown already. */
export function headlineOf(call: CallDescription): string {
  return shortHeadline(call, Number.POSITIVE_INFINITY).text;
}

/**
 * The effect in one line: whole where each value has at most `max` characters.
 * @param parts how many arguments are named besides the headline
 */
export function shortenCall(call: CallDescription, max: number, parts = 4): ShortCall {
  const shown = call.parts.slice(0, parts).map((part) => shortPart(part, max));
  const hidden = call.parts.length - shown.length;
  const more = hidden === 0 ? [] : [{ text: `and ${countOf(hidden, 'more value')}`, cut: true }];
  return join([shortHeadline(call, max), ...shown, ...more], ' · ');
}

/** One value of a call, whole: short ones beside their label, long ones below it. */
export type WholePart = { label: string; text: string; inline: boolean };

const inlineAtMost = 80;

/** Every argument that the headline does not hold, whole. */
export function wholeParts({ parts }: CallDescription): WholePart[] {
  return parts.map(({ label, text, later, payload }) => {
    const inline = !payload && text.length <= inlineAtMost && !/[\r\n]/.test(text);
    const mark = later ? `${openMark} ` : '';
    return {
      label: showExact(label),
      text: mark + (inline ? showExact(text) : showText(text)),
      inline,
    };
  });
}

/** The same as lines. Those of a long value are set off, so that none of them passes for another argument. */
export function wholeLines(call: CallDescription): string[] {
  return wholeParts(call).flatMap(({ label, text, inline }) =>
    inline ? [`${label}: ${text}`] : [`${label}:`, ...text.split('\n').map((line) => `│ ${line}`)],
  );
}

/** Stands before a step whose operation is guarded. */
export function leadOf(label: string, guarded: boolean): string {
  return guarded ? `${label} ${shield}` : label;
}
