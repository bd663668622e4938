// Finds lines with their context in long texts.
import { isSliceOver, nextTurn } from './slices.ts';

type FoundLines = {
  /** From 1. */
  line: number;
  text: string;
};

const maxLine = 600;

/** Ignores case; merges overlapping and adjacent matches. @param around lines of context */
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

function cutAround(line: string, wanted: string): string {
  if (line.length <= maxLine) return line;
  const at = Math.max(0, line.toLowerCase().indexOf(wanted) - maxLine / 2);
  const part = line.slice(at, at + maxLine).toWellFormed();
  return `${at > 0 ? '…' : ''}${part}${at + maxLine < line.length ? '…' : ''}`;
}
