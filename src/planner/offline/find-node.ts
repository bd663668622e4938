// Finds the node that words mean: by its id, by its number, or by its title, exactly or nearly. What fits two nodes
// fits none: the words are ambiguous, and nothing is guessed.
import type { Structure } from '#contracts/planning/outline.ts';
import { numberWords } from '../number-words.ts';
import { findWork, isWithin, type OutlineIndex } from '../roadmap/outline-index.ts';

// Words of titles, and of what people call them, made comparable: case, articles, endings and small slips do not count.
const articles = new Set(['the', 'a', 'an', 'this', 'that', 'my', 'our', 'all', 'of', 'to', 'and']);

/** Small letters, no punctuation, single blanks. Paths and numbers keep their dots. */
function foldName(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[“”"'‘’`«»()[\]{}!?]/g, '')
    .replace(/[-–—_]/g, ' ')
    .replace(/[.,;:]+(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The words that tell one title from another, without their endings; a word of articles alone stays as it is. */
function stemsOf(text: string): string[] {
  const words = foldName(text)
    .split(' ')
    .filter((word) => word !== '');
  const telling = words.filter((word) => !articles.has(word));
  return (telling.length > 0 ? telling : words).map(stemOf);
}

/** A crude stem: "reviewing", "reviewed" and "reviews" are one word. */
function stemOf(word: string): string {
  if (word.length < 5 || /[\d./]/.test(word)) return word;
  return word
    .replace(/(?:ings?|ed|es|s|ions?|ments?)$/, '')
    .replace(/(.)\1$/, '$1')
    .replace(/e$/, '');
}

/** Whether two words differ by one slip: a letter too many, too few, wrong, or two swapped. Only words of five letters and more. */
function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [left, right] = [a.slice(at), b.slice(at)];
  if (left.length === right.length) {
    const swapped = left[0] === right[1] && left[1] === right[0] && left.length > 1;
    return left.slice(1) === right.slice(1) || (swapped && left.slice(2) === right.slice(2));
  }
  return left.length > right.length ? left.slice(1) === right : left === right.slice(1);
}

export type FoundNode =
  | { kind: 'found'; node: number }
  | { kind: 'ambiguous'; nodes: number[] }
  | { kind: 'unknown' };

export type NodeFinder = {
  index: OutlineIndex;
  /** @param from the node that speaks: it does not mean itself, what it is part of, or its parts; null: nobody does */
  find(words: string, from: number | null): FoundNode;
};

const ordinals = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth'
    .split(' ')
    .map((word, at) => [word, at + 1]),
);
const cardinals = new Map(Object.entries(numberWords));
const kinds = '(step|task|item|part|phase|milestone|checkpoint|goal|node|number|no\\.?|#)s?';
const numbered = new RegExp(`^(?:the )?${kinds} ?(\\d+|${[...cardinals.keys()].join('|')})$`);
const placed = new RegExp(
  `^(?:the )?(${[...ordinals.keys()].join('|')}|\\d+(?:st|nd|rd|th)|last|final|previous|next) ${kinds.replace('|number|no\\.?|#', '|one|thing')}$`,
);

/** Reads every title once; each question then costs what its words are shared by. */
export function createNodeFinder(index: OutlineIndex): NodeFinder {
  const names = readNames(index);
  return {
    index,
    find(words, from) {
      const isOther = (node: number) =>
        from === null || (!isWithin(index, node, from) && !isWithin(index, from, node));
      const direct = findById(index, words) ?? findByNumber(index, names.work, words, from);
      if (direct !== null) return isOther(direct) ? { kind: 'found', node: direct } : unknown;
      for (const search of [names.exact, names.together, names.near, names.slips]) {
        const found = preferNear(
          index,
          preferParts(index, [...new Set(search(words))].filter(isOther)),
          from,
          search === names.exact,
        );
        const [node, ...more] = found;
        if (node !== undefined)
          return more.length === 0 ? { kind: 'found', node } : { kind: 'ambiguous', nodes: found };
      }
      return unknown;
    },
  };
}

const unknown: FoundNode = { kind: 'unknown' };

/** The whole is often named after its parts; words that fit one of them as well mean that. */
function preferParts({ parents }: OutlineIndex, nodes: number[]): number[] {
  const parts = nodes.filter((node) => parents[node] !== -1);
  return parts.length === 0 ? nodes : parts;
}

/** Of nodes of the very same name, the one beside the node that speaks: each phase has a “Review” of its own. */
function preferNear(
  { parents }: OutlineIndex,
  nodes: number[],
  from: number | null,
  exact: boolean,
): number[] {
  if (!exact || from === null || nodes.length < 2) return nodes;
  const beside = nodes.filter((node) => parents[node] === parents[from]);
  return beside.length === 1 ? beside : nodes;
}

function readNames(index: OutlineIndex) {
  const byTitle = new Map<string, number[]>();
  const byJoined = new Map<string, number[]>();
  const byStem = new Map<string, number[]>();
  const add = (map: Map<string, number[]>, key: string, place: number) => {
    const list = map.get(key);
    if (list) list.push(place);
    else map.set(key, [place]);
  };
  index.nodes.forEach(({ title }, place) => {
    add(byTitle, withoutArticle(foldName(title)), place);
    add(byJoined, stemsOf(title).join(''), place);
    for (const stem of new Set(stemsOf(title))) add(byStem, stem, place);
    // "kickoff" is said of a "kick-off meeting".
    const folded = foldName(title).split(' ');
    folded.forEach((word, at) => {
      const next = folded[at + 1];
      if (next !== undefined) add(byStem, stemsOf(word + next).join(''), place);
    });
  });
  /** Nodes in whose titles all words stand, beginning with the rarest word. */
  const meet = (lists: number[][]): number[] => {
    const [rarest = [], ...others] = lists.toSorted((a, b) => a.length - b.length);
    return rarest.filter((place) => others.every((list) => holds(list, place)));
  };
  const slipsOf = (stem: string) =>
    [...byStem].flatMap(([word, list]) => (isSlip(stem, word) ? list : [])).sort((a, b) => a - b);
  return {
    work: findWork(index),
    exact: (words: string) => byTitle.get(withoutArticle(foldName(words))) ?? [],
    together: (words: string) => byJoined.get(stemsOf(words).join('')) ?? [],
    near: (words: string) => {
      const apart = meet(stemsOf(words).map((stem) => byStem.get(stem) ?? []));
      return apart.length > 0
        ? apart
        : (byStem.get(stemsOf(foldName(words).replaceAll(' ', '')).join('')) ?? []);
    },
    slips: (words: string) => meet(stemsOf(words).map((stem) => byStem.get(stem) ?? slipsOf(stem))),
  };
}

/** Binary search in ascending numbers. */
function holds(list: number[], wanted: number): boolean {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return list[low] === wanted;
}

function withoutArticle(folded: string): string {
  return folded.replace(/^(?:the|a|an|this|that|my|our) (?=\S)/, '');
}

function findById({ places, stepPlaces, steps }: OutlineIndex, words: string): number | null {
  const id = words.trim().replace(/^["“'‘`](.*)["”'’`]$/, '$1');
  return places.get(id) ?? steps[stepPlaces.get(id) ?? -1]?.node ?? null;
}

/** "step 3" is the step or node with the id 3, else the third of its kind; "the last phase", "the previous step". */
function findByNumber(
  index: OutlineIndex,
  work: number[],
  words: string,
  from: number | null,
): number | null {
  const folded = foldName(words.replace(/#\s*/, '# ')).replace(/^\d+$/, 'step $&');
  const number = numbered.exec(folded);
  const place = placed.exec(folded);
  const kind = number?.[1] ?? place?.[2];
  if (kind === undefined) return null;
  const said = number?.[2] ?? place?.[1] ?? '';
  const row = rowOf(index, work, kind);
  if (number !== null) {
    const value = cardinals.get(said) ?? Number(said);
    const byId = isPlain(kind) ? findById(index, String(value)) : null;
    return byId ?? row[value - 1] ?? null;
  }
  const here = from === null ? -1 : row.indexOf(from);
  if (said === 'previous') return here === -1 ? null : (row[here - 1] ?? null);
  if (said === 'next') return here === -1 ? null : (row[here + 1] ?? null);
  if (said === 'last' || said === 'final') return row.findLast((node) => node !== from) ?? null;
  return row[(ordinals.get(said) ?? Number.parseInt(said, 10)) - 1] ?? null;
}

const structures: Record<string, Structure> = {
  phase: 'phase',
  milestone: 'milestone',
  checkpoint: 'checkpoint',
  goal: 'goal',
};

function isPlain(kind: string): boolean {
  return structures[kind] === undefined;
}

/** Nodes that a word such as "phase" counts, in the order of the tree. */
function rowOf({ order, nodes }: OutlineIndex, work: number[], kind: string): number[] {
  const structure = structures[kind];
  return structure === undefined
    ? work
    : order.filter((place) => nodes[place]?.structure === structure);
}
