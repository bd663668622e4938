// A diff as numbered rows, with unchanged ones folded.
import type { Hunk } from '#domain/plan/preview.ts';

/** Line numbers, or null if absent. */
export type DiffRow = {
  sign: '+' | '-' | ' ' | '\\';
  text: string;
  old: number | null;
  now: number | null;
};

/** `fold`: opens on demand; `gap`: lines the page lacks. */
export type DiffPart =
  | { kind: 'rows'; rows: DiffRow[] }
  | { kind: 'fold'; rows: DiffRow[] }
  | { kind: 'gap'; lines: number };

/** Unchanged lines around a change. */
const around = 3;
/** Fewest lines worth folding. */
const foldedAtLeast = 5;

function rowsOf({ old_start, new_start, lines }: Hunk): DiffRow[] {
  let [old, now] = [old_start, new_start];
  return lines.map((line): DiffRow => {
    const text = line.slice(1);
    switch (line[0]) {
      case '+':
        return { sign: '+', text, old: null, now: now++ };
      case '-':
        return { sign: '-', text, old: old++, now: null };
      case '\\':
        return { sign: '\\', text: text.trim(), old: null, now: null };
      default:
        return { sign: ' ', text, old: old++, now: now++ };
    }
  });
}

function fold(rows: DiffRow[]): DiffPart[] {
  const near = rows.map(() => false);
  for (const [at, { sign }] of rows.entries()) {
    if (sign === ' ') continue;
    for (let i = Math.max(0, at - around); i <= Math.min(rows.length - 1, at + around); i++)
      near[i] = true;
  }
  const parts: DiffPart[] = [];
  for (let from = 0; from < rows.length; ) {
    const shown = near[from];
    let to = from;
    while (to < rows.length && near[to] === shown) to++;
    const some = rows.slice(from, to);
    const last = parts.at(-1);
    const whole = shown === true || some.length < foldedAtLeast;
    if (!whole) parts.push({ kind: 'fold', rows: some });
    else if (last?.kind === 'rows') last.rows.push(...some);
    else parts.push({ kind: 'rows', rows: some });
    from = to;
  }
  return parts;
}

export function toDiffParts(hunks: Hunk[]): DiffPart[] {
  let seen = 1;
  return hunks.flatMap((hunk): DiffPart[] => {
    const lines = hunk.old_start - seen;
    const rows = rowsOf(hunk);
    seen = hunk.old_start + rows.filter(({ old }) => old !== null).length;
    return [...(lines > 0 ? [{ kind: 'gap' as const, lines }] : []), ...fold(rows)];
  });
}

export function toNewRows(text: string): DiffRow[] {
  const lines = text.split('\n');
  // The final break begins no line.
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => ({ sign: '+', text: line, old: null, now: index + 1 }));
}

/** `+ 3 − 1` */
export function countDiff(hunks: Hunk[]): { added: number; removed: number } {
  const all = hunks.flatMap(({ lines }) => lines);
  return {
    added: all.filter((line) => line.startsWith('+')).length,
    removed: all.filter((line) => line.startsWith('-')).length,
  };
}
