// What stands in front of the commands of a larger request: "Outline first:", "Plan the launch:", phases and milestones.
import type { Part, Pattern, Request } from './command.ts';
import { definePattern, matchStart, type Reading } from './match.ts';
import type { Duration } from './times.ts';
import type { Token } from './tokens.ts';

type Header = { said: Partial<Pick<Request, 'title' | 'outline' | 'pattern'>>; next: number };

const outlineFirst = /^\s*outline first\s*:\s*/i;
const list =
  /^\s*(?:(?:please\s+)?(?:do|plan) (?:this|these|the following)|steps|tasks|todo)\s*:\s*/i;
const subtype =
  /^\s*plan an?\s([\p{L} _-]{1,60}?)\swith the (new )?subtype\s{1,9}([\p{L}][\p{L}\p{N}_-]{1,79})\s*:\s*/iu;
const titled =
  /^\s*plan\s{1,9}(?:(?:an?|the|our|my)\s{1,9})?([\p{L}\p{N}](?:[^:;\n.]|\.(?=\d)){0,80}):\s*(?=\n)/iu;

export function readHeader(source: string, tokens: readonly Token[]): Header {
  const behind = (length: number) => {
    const next = tokens.findIndex(({ start }) => start >= length);
    return next < 0 ? tokens.length : next;
  };
  const pattern = subtype.exec(source);
  if (pattern !== null) {
    const [whole, kind = '', isNew, name = ''] = pattern;
    const named: Pattern = {
      source: kind.trim(),
      subtype: name.replaceAll('-', '_').toLowerCase(),
      isNew: isNew !== undefined,
    };
    return { said: { pattern: named, outline: true }, next: behind(whole.length) };
  }
  const outline = outlineFirst.exec(source);
  if (outline !== null) return { said: { outline: true }, next: behind(outline[0].length) };
  const plain = list.exec(source);
  if (plain !== null) return { said: {}, next: behind(plain[0].length) };
  const title = titled.exec(source);
  if (title === null) return { said: {}, next: 0 };
  const name = (title[1] ?? '').trim();
  return {
    said: { title: name.charAt(0).toUpperCase() + name.slice(1), outline: true },
    next: behind(title[0].length),
  };
}

const partLines = ['', '{n:number} '].flatMap((number) =>
  ['', '( after phase {o:number} ) ', '( {d:duration} after phase {o:number} ) '].map((after) =>
    definePattern(`phase|milestone ${number}${after}:`),
  ),
);

/** "Phase 2 (two days after phase 1): Publish", "milestone: All is written". A phase may go on with its first command. */
export function readPartLine(
  reading: Reading,
  from: number,
  parts: readonly Part[],
): { part: Part; next: number } | null {
  const { source, tokens, end } = reading;
  const [found] = partLines.flatMap((line) => matchStart(line, reading, from) ?? []);
  if (found === undefined) return null;
  const { n, o, d } = found.value;
  const other = parts.findIndex(({ title }) => title.startsWith(`Phase ${String(o)}`));
  if (o !== undefined && other < 0) return null;
  const lag = ((d as Duration | undefined)?.seconds ?? 0) / 60; // what the slot reads
  const after = o === undefined ? null : { part: other, lag };
  const name = source.slice(tokens[found.next - 1]?.end ?? 0, tokens[end - 1]?.end ?? 0).trim();
  if (tokens[from]?.value === 'milestone') {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return name === '' ? null : { part: { structure: 'milestone', title, after }, next: end };
  }
  // A name is no command: it has no path and no quoted text.
  const isName = tokens
    .slice(found.next, end)
    .every(({ kind }) => kind === 'word' || kind === 'number' || kind === 'line');
  const label = `Phase ${String(n ?? parts.length + 1)}`;
  const title = isName && name !== '' ? `${label}: ${name}` : label;
  return { part: { structure: 'phase', title, after }, next: isName ? end : found.next };
}
