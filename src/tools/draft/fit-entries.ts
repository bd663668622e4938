// Makes texts fit a budget of tokens without a model: equal texts become one, long ones are shortened to an equal share, and where
// even that is too much, neighbours are merged. What each was made of is kept.
import { onOneLine } from '#domain/words.ts';
import { type Measure, shortenText, toSentences } from './shorten-text.ts';

/** A text with what it was made of. */
export type Passage<Source> = {
  text: string;
  count: number;
  shortened: boolean;
  sources: Source[];
};

/** Tokens of an entry's number and of how often it came. */
const numberTokens = 12;
/** Shares below it say nothing: neighbours are merged instead. */
const smallestShare = 16;
/** Tokens of an entry that stands for merged neighbours, its number included. */
const mergedTokens = 60;

/** An entry as a model reads it: on one line, and without anything that looks like the number of another. */
export function writeEntry({ n, text, count }: { n: number; text: string; count: number }): string {
  const line = onOneLine(text).replaceAll(/\[([\d\s,;–-]+)\]/g, '($1)');
  return `[${n}] ${line}${count > 1 ? ` (×${count})` : ''}\n`;
}

export function foldEqual<Source>(passages: Passage<Source>[]): Passage<Source>[] {
  const byText = new Map<string, Passage<Source>>();
  for (const passage of passages) {
    const known = byText.get(passage.text);
    if (known === undefined) {
      byText.set(passage.text, { ...passage, sources: [...passage.sources] });
      continue;
    }
    known.count += passage.count;
    known.shortened ||= passage.shortened;
    for (const source of passage.sources) known.sources.push(source);
  }
  return [...byText.values()];
}

/** The share up to which each may go, so that all of them together stay within `room`. */
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

const day = String.raw`\d{4}-\d\d-\d\d`;
const amount = String.raw`\d+(?:[.,]\d+)*`;
/** A date, a number, or a range of either as it was written by an earlier merge. */
const number = new RegExp(`${day}(?:–${day})?|${amount}(?:–${amount})?`, 'g');

/** Dates by their order, numbers by their size. */
function compareWritten(a: string, b: string): number {
  const toNumber = (written: string) =>
    written.includes('-') ? Number.NaN : Number(written.replaceAll(',', ''));
  const difference = toNumber(a) - toNumber(b);
  if (!Number.isNaN(difference)) return difference;
  return a < b ? -1 : Number(a > b);
}

/** What two texts have in common that differ in nothing but numbers and dates. */
const shapeOf = (text: string): string =>
  text.replace(number, (written) => (written.includes('-') ? '#-#' : '#'));

/** Texts that differ in nothing but numbers and dates as one, with the range of each. */
function mergeNumbers(texts: string[]): string {
  const [first = ''] = texts;
  const columns = texts.map((text) => text.match(number) ?? []);
  let place = -1;
  return first.replace(number, (own) => {
    place++;
    const sorted = columns
      .flatMap((column) => (column[place] ?? own).split('–'))
      .toSorted(compareWritten);
    const [least = own, most = own] = [sorted[0], sorted.at(-1)];
    return least === most ? own : `${least}–${most}`;
  });
}

/** Texts of one shape as one, the largest groups first; the order of the first of each otherwise. */
export function foldAlike<One extends { text: string; count: number }>(
  all: One[],
): { text: string; count: number; members: One[] }[] {
  return [...Map.groupBy(all, ({ text }) => shapeOf(text)).values()]
    .map((members) => ({
      text: mergeNumbers(members.map(({ text }) => text)),
      count: members.reduce((sum, { count }) => sum + count, 0),
      members,
    }))
    .toSorted((a, b) => b.count - a.count);
}

/** One passage for all of `passages`: their first sentences, those alike as one. */
async function merge<Source>(
  passages: Passage<Source>[],
  limit: number,
  measure: Measure,
): Promise<Passage<Source>> {
  const [only] = passages;
  if (passages.length === 1 && only !== undefined) return only;
  const firsts = passages.map(({ text, count }) => ({ text: toSentences(text)[0] ?? '', count }));
  const alike = foldAlike(firsts);
  const lines = alike.map(({ text, count }) =>
    count > 1 && alike.length > 1 ? `${text} (×${count})` : text,
  );
  let text = await shortenText(lines[0] ?? '', limit, measure);
  let used = 1;
  for (const line of lines.slice(1)) {
    const longer = `${text} · ${line}`;
    if ((await measure(`${longer} · and ${lines.length} others`)) > limit) break;
    text = longer;
    used++;
  }
  const left = lines.length - used;
  const whole = left === 0 ? text : `${text} · and ${left} others`;
  return {
    text: (await measure(whole)) <= limit ? whole : text,
    count: passages.reduce((sum, { count }) => sum + count, 0),
    shortened: true,
    sources: passages.flatMap(({ sources }) => sources),
  };
}

/** Neighbours merged until there are at most `most` passages. */
async function mergeNeighbours<Source>(
  passages: Passage<Source>[],
  most: number,
  limit: number,
  measure: Measure,
): Promise<Passage<Source>[]> {
  const merged: Passage<Source>[] = [];
  for (let at = 0; merged.length < most && at < passages.length; ) {
    const size = Math.ceil((passages.length - at) / (most - merged.length));
    merged.push(await merge(passages.slice(at, at + size), limit, measure));
    at += size;
  }
  return foldEqual(merged);
}

async function fitOnce<Source>(
  passages: Passage<Source>[],
  budget: number,
  measure: Measure,
): Promise<Passage<Source>[]> {
  const shareOf = async (some: Passage<Source>[]) => {
    const sizes: number[] = [];
    for (const { text } of some) sizes.push((await measure(text)) + numberTokens);
    return { sizes, share: findShare(sizes, budget) };
  };
  let chosen = passages;
  let { sizes, share } = await shareOf(chosen);
  if (share < smallestShare + numberTokens) {
    const most = Math.max(1, Math.floor(budget / mergedTokens));
    const limit = Math.max(1, Math.floor(budget / most) - numberTokens);
    chosen = await mergeNeighbours(passages, most, limit, measure);
    ({ sizes, share } = await shareOf(chosen));
  }
  const fitted: Passage<Source>[] = [];
  for (const [index, passage] of chosen.entries()) {
    const fits = (sizes[index] ?? 0) <= share;
    const text = fits
      ? passage.text
      : await shortenText(passage.text, Math.max(1, share - numberTokens), measure);
    fitted.push({ ...passage, text, shortened: passage.shortened || !fits });
  }
  return foldEqual(fitted);
}

/** `passages` as entries that take at most `budget` together, in their order. */
export async function fitEntries<Source>(
  passages: Passage<Source>[],
  budget: number,
  measure: Measure,
): Promise<{ entries: (Passage<Source> & { n: number })[]; tokens: number }> {
  const folded = foldEqual(passages);
  // What was measured in parts may take a little more as a whole.
  for (let target = budget; ; target = Math.floor(target * 0.9)) {
    const fitted = await fitOnce(folded, target, measure);
    const entries = fitted.map((entry, index) => ({ ...entry, n: index + 1 }));
    let tokens = 0;
    for (const entry of entries) tokens += await measure(writeEntry(entry));
    if (tokens <= budget || target < 1) return { entries, tokens };
  }
}
