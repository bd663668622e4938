// Text as units that may be left out or moved whole: sentences, lines of a list, lines of code. A full stop in a path, a
// number, an address, quoted words or an abbreviation ends nothing.

export type Unit = {
  text: string;
  kind: 'sentence' | 'item' | 'code';
  /** It begins a line. */
  opens: boolean;
};

const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|no|nos|dr|mr|mrs|ms|prof|st|fig|ca|cf|incl|min|max|p|pp|al|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|[a-z])\.$/i;
const item = /^\s*(?:[-•*▸]|\d{1,3}[.)])\s+\S/;
/** One piece, whatever stands in it. */
const closed = /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|\([^()\n]*\)|\S+|\s+/g;

/** The sentences of one line, blanks between them left out. */
function splitLine(line: string): string[] {
  const sentences: string[] = [];
  let current = '';
  const pieces = line.match(closed) ?? [];
  for (const [index, piece] of pieces.entries()) {
    if (/^\s+$/.test(piece)) {
      const next = pieces[index + 1] ?? '';
      const ended = /[.!?…][)"”»’']*$/.test(current) && !abbreviation.test(current);
      // What goes on in lower case was no end.
      if (ended && !/^\p{Ll}/u.test(next)) {
        sentences.push(current);
        current = '';
        continue;
      }
    }
    current += piece;
  }
  if (current.trim() !== '') sentences.push(current);
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

/** The units of `text`, in order. */
export function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  let fenced = false;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const fence = /^\s*```/.test(line);
    if (fenced || fence) {
      units.push({ text: line, kind: 'code', opens: true });
      if (fence) fenced = !fenced;
      continue;
    }
    if (line.trim() === '') continue;
    if (item.test(line)) {
      units.push({ text: line.trimEnd(), kind: 'item', opens: true });
      continue;
    }
    // What is set in below an item belongs to it.
    if (/^\s{2,}\S/.test(line) && units.at(-1)?.kind === 'item') {
      const last = units.pop();
      units.push({ text: `${last?.text ?? ''}\n${line.trimEnd()}`, kind: 'item', opens: true });
      continue;
    }
    for (const [index, sentence] of splitLine(line).entries()) {
      units.push({ text: sentence, kind: 'sentence', opens: index === 0 });
    }
  }
  return units;
}

/** The units as text again. */
export function joinUnits(units: Unit[]): string {
  return units
    .map(({ text, opens }, index) => (index === 0 ? text : `${opens ? '\n' : ' '}${text}`))
    .join('');
}
