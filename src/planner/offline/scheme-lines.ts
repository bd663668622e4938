// Phases, milestones and lists as people type them: "Phase 1: …; Phase 2: …", "milestone: …", bullets under bullets.
// Lines become a tree; what a line asks for is read elsewhere.
import type { Structure } from '#contracts/planning/outline.ts';

/** A line with what stands beneath it. `label`: it is named as a phase, a milestone or a checkpoint. */
export type SchemeLine = {
  label: Structure | null;
  /** "Phase 1", "Launch": '' where the line has no name of its own. */
  name: string;
  /** What stands behind the name. */
  body: string;
  /** In brackets behind the name: "(by Friday)". */
  note: string;
  numbered: boolean;
  item: boolean;
  depth: number;
  parts: SchemeLine[];
};

const labelWords: Record<string, Structure> = {
  phase: 'phase',
  stage: 'phase',
  milestone: 'milestone',
  checkpoint: 'checkpoint',
};
const kind = '(phase|stage|milestone|checkpoint)';
const number =
  '(?:\\s+(?:\\d{1,2}|[ivx]{1,4}|one|two|three|four|five|six|[a-h])(?![\\p{L}\\p{N}]))?';
const label = new RegExp(
  `^${kind}(${number})((?:\\s*[-–—]\\s*|\\s+)?[^:()\\n]{0,60}?)\\s*(?:\\(([^()\\n]{2,120})\\)\\s*)?:\\s*(.*)$`,
  'iu',
);
const inline = new RegExp(
  `(?<=[;.,\\n]\\s*(?:and\\s+|then\\s+|finally\\s+)*)(?=${kind}${number}(?:(?:\\s*[-–—]\\s*|\\s+)[^:;.\\n]{0,60}?)?\\s*(?:\\([^()\\n]{2,120}\\)\\s*)?:)|(?<=:\\s+)(?=${kind}${number}\\s*(?:\\([^()\\n]{2,120}\\)\\s*)?:)`,
  'giu',
);
const marker = /^(\s*)(?:(\d{1,3})[.)]|[-*•–])\s+/;

/** The lines of a request in which quoted parts are hidden, as a tree; null: it is neither labelled nor nested. */
export function readLines(text: string): SchemeLine[] | null {
  const lines = text
    .replace(inline, '\n')
    .split('\n')
    .map((line) => line.replace(/\s+$/, ''))
    .filter((line) => line.trim() !== '')
    .map(readLine);
  const labelled = lines.some((line) => line.label !== null);
  const items = lines.filter(({ item }) => item);
  const nested = items.some(({ depth }) => items.some((other) => other.depth < depth));
  return labelled || nested ? nest(lines) : null;
}

function readLine(text: string): SchemeLine {
  const mark = marker.exec(text);
  const indent = /^\s*/.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0;
  const said = (mark === null ? text : text.slice(mark[0].length)).trim();
  const found = label.exec(said);
  const base = {
    numbered: mark?.[2] !== undefined,
    item: mark !== null,
    depth: indent,
    parts: [],
  };
  if (found === null) return { ...base, label: null, name: '', body: said, note: '' };
  const [, word = '', place = '', title = '', note = '', body = ''] = found;
  const named = title.replace(/^[\s–—-]+/, '').trim();
  const head = `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}${place}`;
  return {
    ...base,
    label: labelWords[word.toLowerCase()] ?? 'phase',
    name: named === '' ? head : place === '' ? named : `${head}: ${named}`,
    note,
    body: body.replace(/[;,]\s*(?:and|then)?\s*$/i, ''),
  };
}

/** Deeper lines lie in the line above them; under a labelled line all that has no label of its own does. */
function nest(lines: SchemeLine[]): SchemeLine[] {
  const roots: SchemeLine[] = [];
  const open: SchemeLine[] = [];
  for (const line of lines) {
    while (open.length > 0 && !holds(open.at(-1), line)) open.pop();
    const above = open.at(-1);
    if (above === undefined) roots.push(line);
    else above.parts.push(line);
    open.push(line);
  }
  return roots;
}

function holds(above: SchemeLine | undefined, line: SchemeLine): boolean {
  if (above === undefined) return false;
  if (above.label !== null && line.label === null) return true;
  if (above.label === 'phase' && line.label !== null && line.label !== 'phase') return true;
  if (line.label !== null || !line.item) return line.depth > above.depth && above.item;
  return line.depth > above.depth && (above.item || above.body.endsWith(':'));
}
