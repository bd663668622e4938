// Fits texts into a token budget without a model.
// Merges equal ones, shortens long ones, then lets neighbours share an entry. Different texts are never merged.
import { hash } from 'node:crypto';
import type { Quote } from '#domain/plan/draftbook.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { type Measure, shortenText } from './shorten-text.ts';

export type Passage<Source> = {
  quotes: Quote[];
  omitted: number;
  whole: string;
  shortened: boolean;
  sources: Source[];
};

export function toPassage<Source>(text: string, whole: string, source: Source): Passage<Source> {
  const shortened = text !== whole;
  const key = shortened ? `sha256:${hash('sha256', whole)}` : whole;
  return { quotes: [{ text, count: 1 }], omitted: 0, whole: key, shortened, sources: [source] };
}

export const countOutputs = ({ quotes, omitted }: Pick<Passage<unknown>, 'quotes' | 'omitted'>) =>
  quotes.reduce((sum, { count }) => sum + count, omitted);

const numberTokens = 12;
/** Tokens; below this, neighbours share an entry. */
const smallestShare = 16;
/** Including its number. */
const mergedTokens = 60;

const writeQuote = ({ text, count }: Quote): string =>
  count > 1 ? `${text} (×${count.toLocaleString('en-US')})` : text;

/** `It is paid. (×3) · It is due. · 12 other outputs left out` */
export function writePassage({ quotes, omitted }: Pick<Passage<unknown>, 'quotes' | 'omitted'>) {
  const others = omitted === 0 ? [] : [`${countOf(omitted, 'other output')} left out`];
  return [...quotes.map(writeQuote), ...others].join(' · ');
}

/** Nothing in it looks like another entry's number. */
export function writeEntry(
  entry: { n: number } & Pick<Passage<unknown>, 'quotes' | 'omitted'>,
): string {
  const line = onOneLine(writePassage(entry)).replaceAll(/\[([\d\s,;–-]+)\]/g, '($1)');
  return `[${entry.n}] ${line}\n`;
}

function foldEqual<Source>(passages: Passage<Source>[]): Passage<Source>[] {
  return [...Map.groupBy(passages, ({ whole }) => whole).values()].flatMap((equal) => {
    const [first, ...others] = equal;
    if (first === undefined) return [];
    const [quote] = first.quotes;
    if (others.length === 0 || quote === undefined) return [first];
    const count = equal.reduce((sum, one) => sum + countOutputs(one), 0);
    const sources = equal.flatMap((one) => one.sources);
    return [{ ...first, quotes: [{ ...quote, count }], sources }];
  });
}

function findShare(sizes: number[], room: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

async function shrink<Source>(
  passage: Passage<Source>,
  limit: number,
  measure: Measure,
): Promise<Passage<Source>> {
  if ((await measure(writePassage(passage))) <= limit) return passage;
  const count = countOutputs(passage);
  const kept: Quote[] = [];
  const holding = (quotes: Quote[]): Passage<Source> => ({
    ...passage,
    quotes,
    omitted: count - countOutputs({ quotes, omitted: 0 }),
    shortened: true,
  });
  for (const quote of passage.quotes) {
    if ((await measure(writePassage(holding([...kept, quote])))) > limit) break;
    kept.push(quote);
  }
  const [first] = passage.quotes;
  if (kept.length > 0 || first === undefined) return holding(kept);
  const around = await measure(writePassage(holding([{ ...first, text: '' }])));
  const text = await shortenText(first.text, Math.max(1, limit - around), measure);
  return holding(text === '' ? [] : [{ ...first, text }]);
}

async function mergeNeighbours<Source>(
  passages: Passage<Source>[],
  most: number,
  limit: number,
  measure: Measure,
): Promise<Passage<Source>[]> {
  const merged: Passage<Source>[] = [];
  for (let at = 0; merged.length < most && at < passages.length; ) {
    const size = Math.ceil((passages.length - at) / (most - merged.length));
    const some = passages.slice(at, at + size);
    const whole = some.map((one) => one.whole).join('\n');
    const together: Passage<Source> = {
      quotes: some.flatMap(({ quotes }) => quotes),
      omitted: some.reduce((sum, { omitted }) => sum + omitted, 0),
      whole: some.length === 1 ? whole : `several:${hash('sha256', whole)}`,
      shortened: some.some(({ shortened }) => shortened),
      sources: some.flatMap(({ sources }) => sources),
    };
    merged.push(await shrink(together, limit, measure));
    at += size;
  }
  return merged;
}

async function fitOnce<Source>(
  passages: Passage<Source>[],
  budget: number,
  measure: Measure,
): Promise<Passage<Source>[]> {
  const sizes: number[] = [];
  for (const passage of passages) sizes.push((await measure(writePassage(passage))) + numberTokens);
  const share = findShare(sizes, budget);
  if (share < smallestShare + numberTokens) {
    const most = Math.max(1, Math.floor(budget / mergedTokens));
    const limit = Math.max(1, Math.floor(budget / most) - numberTokens);
    return mergeNeighbours(passages, most, limit, measure);
  }
  const fitted: Passage<Source>[] = [];
  for (const passage of passages) fitted.push(await shrink(passage, share - numberTokens, measure));
  return fitted;
}

export async function fitEntries<Source>(
  passages: Passage<Source>[],
  budget: number,
  measure: Measure,
): Promise<{ entries: (Passage<Source> & { n: number })[]; tokens: number }> {
  const folded = foldEqual(passages);
  // The whole may measure slightly more than its parts.
  for (let target = budget; ; target = Math.floor(target * 0.9)) {
    const fitted = await fitOnce(folded, target, measure);
    const entries = fitted.map((entry, index) => ({ ...entry, n: index + 1 }));
    let tokens = 0;
    for (const entry of entries) tokens += await measure(writeEntry(entry));
    if (tokens <= budget || target < 1) return { entries, tokens };
  }
}
