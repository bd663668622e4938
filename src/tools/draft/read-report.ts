// Removes source markers from a report and maps its sentences to sources.
export type Report = {
  text: string;
  sentences: { text: string; entries: number[] }[];
  unknown: number;
};

const marker = /\[\s*\d+(?:\s*(?:,|;|-|–|and)\s*\d+)*\s*\](?!\()/g;
/** A marker's brackets and numbers would end some sentences early. */
const placeholder = '\ue000';
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function readMarker(
  written: string,
  known: ReadonlySet<number>,
): { entries: number[]; unknown: number } {
  const entries = new Set<number>();
  let unknown = 0;
  for (const part of written.slice(1, -1).split(/,|;|and/)) {
    const [first = 0, last = first] = part.split(/[-–]/).map(Number);
    for (const end of new Set([first, last])) if (!known.has(end)) unknown++;
    if (first === last) {
      if (known.has(first)) entries.add(first);
    } else for (const n of known) if (n >= first && n <= last) entries.add(n);
  }
  return { entries: [...entries], unknown };
}

const withoutMarkers = (text: string): string =>
  text.replace(/^\s*\ue000\s*/, '').replaceAll(/(?<![ \t])[ \t]*\ue000/g, '');

export function readReport(written: string, known: ReadonlySet<number>): Report {
  const markers: number[][] = [];
  let unknown = 0;
  const marked = written.replaceAll(placeholder, '').replaceAll(marker, (one) => {
    const read = readMarker(one, known);
    markers.push(read.entries);
    unknown += read.unknown;
    return placeholder;
  });
  const sentences: { text: string; entries: Set<number> }[] = [];
  let next = 0;
  const lines = marked.split('\n').map((line) => {
    const isHeading = /^\s*#{1,6}\s/.test(line);
    let begun = false;
    for (const { segment } of segmenter.segment(line)) {
      // Text after the full stop belongs to the previous sentence.
      const leading = begun ? (/^[\s\ue000]*/.exec(segment)?.[0] ?? '') : '';
      const rest = segment.slice(leading.length);
      const previous = sentences.at(-1);
      for (const character of leading)
        if (character === placeholder)
          for (const entry of markers[next++] ?? []) previous?.entries.add(entry);
      const says = /[\p{L}\p{N}]/u.test(rest);
      if (says && !isHeading) {
        sentences.push({ text: withoutMarkers(rest).trim(), entries: new Set() });
        begun = true;
      }
      const own = isHeading ? undefined : sentences.at(-1);
      for (const character of rest)
        if (character === placeholder)
          for (const entry of markers[next++] ?? []) own?.entries.add(entry);
    }
    return withoutMarkers(line).trimEnd();
  });
  return {
    text: lines.join('\n').trim(),
    sentences: sentences.map(({ text, entries }) => ({
      text,
      entries: [...entries].sort((a, b) => a - b),
    })),
    unknown,
  };
}
