// Shortens texts by leaving out sentences and words. Deterministic.
import type { Json } from '#domain/text.ts';
import { onOneLine } from '#domain/words.ts';

export type Measure = (text: string) => number | Promise<number>;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const hasNumber = /\p{N}/u;
const maxParts = 400;
/** Characters. */
const maxRead = 400_000;

export function toSentences(text: string): string[] {
  return [...segmenter.segment(text.slice(0, maxRead))]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '');
}

/** In order of preference. */
const textKeys = ['text', 'content', 'answer', 'body', 'message', 'summary'];

export function toText(output: Json): string {
  if (typeof output === 'string') return output;
  if (output === null) return '';
  if (typeof output !== 'object') return String(output);
  if (Array.isArray(output))
    return output
      .map(toText)
      .filter((part) => part !== '')
      .join('; ');
  const main = textKeys
    .map((key) => output[key])
    .find((value) => typeof value === 'string' && value !== '');
  if (typeof main === 'string') return main;
  return Object.entries(output)
    .flatMap(([key, value]) => {
      const text = toText(value);
      if (text === '') return [];
      return [`${key}: ${typeof value === 'object' ? `(${text})` : text}`];
    })
    .join('; ');
}

/** At a word, not inside a number. Texts without blanks stay whole. */
function cutAt(text: string, length: number): string {
  const piece = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  const isCut = /\S/.test(text[piece.length] ?? ' ');
  const blank = piece.lastIndexOf(' ');
  const words = (isCut && blank > 0 ? piece.slice(0, blank) : piece).trimEnd();
  // "1 200" and "12.5" are one number.
  if (!/^\s?[.,]?\d/.test(text.slice(words.length))) return words;
  let end = words.length;
  while (/[\d.,'’\s]/.test(words[end - 1] ?? '')) end -= 1;
  return words.slice(0, end);
}

async function cut(text: string, limit: number, measure: Measure): Promise<string> {
  const line = onOneLine(text.slice(0, maxRead));
  for (let length = line.length - 1; length > 0; length = Math.floor(length * 0.9)) {
    const kept = cutAt(line, length).trimEnd();
    if (kept !== '' && (await measure(`${kept}…`)) <= limit) return `${kept}…`;
  }
  return '';
}

/** The first sentence, those with numbers and others that fit, with "…" for gaps. */
export async function shortenText(text: string, limit: number, measure: Measure): Promise<string> {
  if ((await measure(text)) <= limit) return text;
  const sentences = toSentences(text).slice(0, maxParts);
  const rest = [...sentences.keys()].slice(1);
  const order = [
    0,
    ...rest.filter((at) => hasNumber.test(sentences[at] ?? '')),
    ...rest.filter((at) => !hasNumber.test(sentences[at] ?? '')),
  ];
  const isWhole = sentences.length < maxParts && text.length <= maxRead;
  const join = (chosen: number[]): string => {
    const ascending = chosen.toSorted((a, b) => a - b);
    const parts = ascending.map((at, index) =>
      at > (ascending[index - 1] ?? -1) + 1 ? `… ${sentences[at]}` : sentences[at],
    );
    const ends = isWhole && ascending.at(-1) === sentences.length - 1;
    return ends ? parts.join(' ') : `${parts.join(' ')} …`;
  };
  let taken: number[] = [];
  let room = limit;
  for (const at of order) {
    const size = await measure(` ${sentences[at]}`);
    if (size > room) {
      if (at === 0) break;
      continue;
    }
    taken.push(at);
    room -= size;
    if (room < 2) break;
  }
  // Gap marks and joining add to the measure.
  while (taken.length > 0) {
    const kept = join(taken);
    if ((await measure(kept)) <= limit) return kept;
    taken = taken.slice(0, -1);
  }
  return cut(sentences[0] ?? text, limit, measure);
}
