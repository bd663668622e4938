// Lengths of time from seconds to hours within an instruction: "90 s", "half an hour", "1 hour 30 minutes", "two and a half hours".
import { countForm, readCount } from '../number-words.ts';

const half = String.raw`\s+and\s+a\s+half`;
const unit = String.raw`(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b`;
const part = String.raw`(?:${countForm})(?:${half})?\s*-?\s*${unit}(?:${half}\b)?`;

/** A length of time, as a part of a pattern without groups. */
export const secondsForm = String.raw`\b${part}(?:\s+(?:and\s+)?${part})*`;

const parts = new RegExp(String.raw`(${countForm})(${half})?\s*-?\s*(${unit})(${half}\b)?`, 'gi');

/** The seconds of words that are a `secondsForm`. */
export function readSeconds(words: string): number {
  const each = [...words.matchAll(parts)].map(([, count = '', before, name = '', behind]) => {
    const seconds = /^h/i.test(name) ? 3600 : /^m/i.test(name) ? 60 : 1;
    return (readCount(count) + (before === undefined && behind === undefined ? 0 : 0.5)) * seconds;
  });
  return each.reduce((sum, seconds) => sum + seconds, 0);
}
