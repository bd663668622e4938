// Times, durations and JSON in the reader's zone.
import * as times from '#cards/times.ts';
import * as words from '#cards/words.ts';
import { readsLikeJson, showText } from '#domain/shown-text.ts';
import { capitalise } from '#domain/words.ts';

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `14:02`, with the day unless today. */
export function formatTime(iso: string, now = new Date()): string {
  return times.formatTime(iso, now.toISOString(), zone());
}

const seconds = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** `14:02:07`, with the day unless today. */
export function formatMoment(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const time = seconds.format(at);
  if (at.toDateString() === now.toDateString()) return time;
  return `${formatTime(iso, now).split(/\d\d:\d\d/, 1)[0] ?? ''}${time}`;
}

/** `just now`, `5 min ago`. */
export function formatAge(iso: string, now = new Date()): string {
  return times.formatAgo(iso, now.toISOString());
}

/** `420 ms`, `3.2 s`, then the two largest units. */
export function formatDuration(ms: number): string {
  if (ms >= 60_000 && ms < 600_000 && ms % 60_000 >= 1000) {
    return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  }
  return times.formatTook(ms);
}

export function formatCost(usd: number): string {
  return usd === 0 ? 'None' : words.formatCost(usd);
}

export function formatConfidence(confidence: number | null): string {
  if (confidence === null) return 'Not stated';
  return `${capitalise(words.confidenceWord(confidence))} (${confidence.toFixed(2)})`;
}

/** Quotes text that reads like another type. */
export function formatJson(value: unknown): string {
  const isText = typeof value === 'string' && !readsLikeJson(value);
  return showText(isText ? value : JSON.stringify(value, null, 2));
}

/** Breaks between words; an ellipsis marks a cut. */
export function wrapText(text: string, width: number, rows: number): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    if (rest.length <= width) return [...lines, rest];
    if (lines.length === rows - 1) return [...lines, `${rest.slice(0, width - 1).trimEnd()}…`];
    // Paths break after a slash.
    const fit = Math.max(rest.lastIndexOf(' ', width), rest.lastIndexOf('/', width - 1) + 1);
    const cut = fit > width / 3 ? fit : width;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return lines;
}
