// Finds lines of a text, with the lines around them: for files and for long outputs.
import { isSliceOver, nextTurn } from './slices.ts';

type FoundLines = {
  /** The first line shown, from 1. */
  line: number;
  /** The matching line and those around it. */
  text: string;
};

/** Characters of one line. */
const maxLine = 600;

/**
 * The places that contain `query`, ignoring case, at most `most`. Overlapping or adjacent ones are merged.
 * @param around how many lines before and behind are shown
 */
export async function findLines(
  text: string,
  query: string,
  { around, most }: { around: number; most: number },
): Promise<{ found: FoundLines[]; more: boolean }> {
  const wanted = query.trim().toLowerCase();
  const lines = splitLines(text);
  const places: { from: number; to: number }[] = [];
  let more = false;
  for (const [at, line] of lines.entries()) {
    if (isSliceOver()) await nextTurn();
    if (!line.toLowerCase().includes(wanted)) continue;
    const from = Math.max(0, at - around);
    const to = Math.min(lines.length - 1, at + around);
    const last = places.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = to;
    else if (places.length < most) places.push({ from, to });
    else {
      more = true;
      break;
    }
  }
  const found = places.map(({ from, to }) => ({
    line: from + 1,
    text: lines
      .slice(from, to + 1)
      .map((line) => cutAround(line, wanted))
      .join('\n'),
  }));
  return { found, more };
}

export const splitLines = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The part of a long line around the match. */
function cutAround(line: string, wanted: string): string {
  if (line.length <= maxLine) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(wanted) - maxLine / 2);
  const part = line.slice(at, at + maxLine).toWellFormed();
  return `${at > 0 ? '…' : ''}${part}${at + maxLine < line.length ? '…' : ''}`;
}
