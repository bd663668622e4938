// What stands in front of the commands of a larger request: "Outline first:", "Plan the launch:", phases and milestones.
import type { Part, Pattern, Request } from './command.ts';
import { readDuration, type Words } from './times.ts';
import type { Token } from './tokens.ts';

type Header = { said: Partial<Pick<Request, 'title' | 'outline' | 'pattern'>>; next: number };

const outlineFirst = /^\s*outline first\s*:\s*/i;
const list =
  /^\s*(?:(?:please\s+)?(?:do|plan) (?:this|these|the following)|steps|tasks|todo)\s*:\s*/i;
const subtype =
  /^\s*plan an?\s+([\p{L} _-]{1,60}?)\s+with the (new )?subtype\s+([\p{L}][\p{L}\p{N}_-]{1,79})\s*:\s*/iu;
const titled = /^\s*plan\s+(?:(?:an?|the|our|my)\s+)?([\p{L}\p{N}][^:;\n.]{0,80})\s*:\s*(?=\n)/iu;

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

/** "Phase 2 (two days after phase 1): Publish", "milestone: All is written". A phase may go on with its first command. */
export function readPartLine(
  source: string,
  tokens: readonly Token[],
  from: number,
  to: number,
  parts: readonly Part[],
  { now, timezone }: Pick<Words, 'now' | 'timezone'>,
): { part: Part; next: number } | null {
  const value = (at: number) => (at < to ? (tokens[at]?.value ?? '') : '');
  const kind = value(from);
  if (kind !== 'phase' && kind !== 'milestone') return null;
  let i = from + 1;
  const number = tokens[i]?.kind === 'number' ? value(i) : '';
  if (number !== '') i += 1;
  let after: Part['after'] = null;
  if (value(i) === '(') {
    const lag = readDuration({ source, tokens, now, timezone }, i + 1);
    const behind = lag?.next ?? i + 1;
    const other =
      value(behind) === 'after' && value(behind + 1) === 'phase'
        ? Number(value(behind + 2))
        : Number.NaN;
    const part = parts.findIndex(({ title }) => title.startsWith(`Phase ${other}`));
    if (part < 0 || value(behind + 3) !== ')') return null;
    after = { part, lag: (lag?.value.seconds ?? 0) / 60 };
    i = behind + 4;
  }
  if (value(i) !== ':') return null;
  const name = source.slice(tokens[i]?.end ?? 0, tokens[to - 1]?.end ?? 0).trim();
  const label = `Phase ${number || parts.length + 1}`;
  if (kind === 'milestone') {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return name === '' ? null : { part: { structure: 'milestone', title, after }, next: to };
  }
  // A name is no command: it has no path and no quoted text.
  const isName = tokens
    .slice(i + 1, to)
    .every(({ kind: one }) => one === 'word' || one === 'number' || one === 'line');
  return isName
    ? {
        part: { structure: 'phase', title: name === '' ? label : `${label}: ${name}`, after },
        next: to,
      }
    : { part: { structure: 'phase', title: label, after }, next: i + 1 };
}
