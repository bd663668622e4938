// Shortens texts by leaving sentences and words out, never by writing new ones: the same text and limit give the same result.
import type { Json } from '#domain/text.ts';
import { onOneLine } from '#domain/words.ts';

/** How long a text is, in characters or tokens. */
export type Measure = (text: string) => number | Promise<number>;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const hasNumber = /\p{N}/u;
/** Sentences and words that are looked at; what comes after them is left out. */
const partsAtMost = 400;
/** Words with numbers that are kept of a sentence before its others. */
const numbersAtMost = 12;
/** Characters of one text that are looked at. */
const readAtMost = 400_000;

export function toSentences(text: string): string[] {
  return [...segmenter.segment(text.slice(0, readAtMost))]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '');
}

/** Keys under which outputs hold what people read, the first that is there first. */
const textKeys = ['text', 'content', 'answer', 'body', 'message', 'summary'];

/** What an output says, as text. */
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

/** The parts that fit, taken as `order` says and put together as they stood; `gap` stands where parts are left out. */
async function pick(
  parts: string[],
  order: number[],
  { limit, gap }: { limit: number; gap: string },
  measure: Measure,
): Promise<string> {
  const join = (chosen: number[]) =>
    chosen
      .sort((a, b) => a - b)
      .map((at, index, all) => {
        const before = index === 0 ? -1 : (all[index - 1] ?? 0);
        const left = at > before + 1 && gap !== '' ? `${gap} ` : '';
        return `${left}${parts[at]}`;
      })
      .join(' ')
      .concat((chosen.at(-1) ?? 0) < parts.length - 1 && gap !== '' ? ` ${gap}` : '');
  const taken: number[] = [];
  let room = limit;
  for (const at of order) {
    const size = (await measure(` ${parts[at]}`)) + (gap === '' ? 0 : 1);
    if (size > room) continue;
    taken.push(at);
    room -= size;
    if (room < 2) break;
  }
  // Put together they may measure more than each by itself.
  for (;;) {
    const text = join([...taken]);
    if (taken.length === 0 || (await measure(text)) <= limit) return taken.length === 0 ? '' : text;
    taken.pop();
  }
}

/** The longest beginning that fits. */
async function cut(text: string, limit: number, measure: Measure): Promise<string> {
  const characters = [...text.slice(0, readAtMost)];
  for (let length = characters.length; length > 0; length = Math.floor(length * 0.7)) {
    const kept = `${characters.slice(0, length).join('')}…`;
    if ((await measure(kept)) <= limit) return kept;
  }
  return '';
}

/**
 * `text` within `limit`: whole, or its first sentence, those with numbers and as many others as fit, in their order. Of a
 * sentence that does not fit, its words with numbers and its first ones are kept.
 */
export async function shortenText(text: string, limit: number, measure: Measure): Promise<string> {
  if ((await measure(text)) <= limit) return text;
  const sentences = toSentences(text).slice(0, partsAtMost);
  const rest = [...sentences.keys()].slice(1);
  const order = [
    ...rest.filter((at) => hasNumber.test(sentences[at] ?? '')),
    ...rest.filter((at) => !hasNumber.test(sentences[at] ?? '')),
  ];
  const [first = ''] = sentences;
  if ((await measure(` ${first}`)) <= limit) {
    const kept = await pick(sentences, [0, ...order], { limit, gap: '' }, measure);
    if (kept !== '') return kept;
  }
  const words = onOneLine(first).split(' ').slice(0, partsAtMost);
  const places = [...words.keys()];
  const numbers = places.filter((at) => hasNumber.test(words[at] ?? '')).slice(0, numbersAtMost);
  const others = places.filter((at) => !numbers.includes(at));
  const kept = await pick(words, [...numbers, ...others], { limit, gap: '…' }, measure);
  return kept === '' ? cut(first, limit, measure) : kept;
}
