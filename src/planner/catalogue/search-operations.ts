// Finds operations by purpose: BM25 over names, descriptions and arguments (minisearch).
import MiniSearch from 'minisearch';
import { isObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';

export type OperationSearch = {
  /** Those that share a word with `text`: the best for each of its words, then the others. */
  find(manifest: OperationSpec[], text: string, most: number): OperationSpec[];
  findBest(manifest: OperationSpec[], text: string, most: number): OperationSpec[];
};

/** A score below this share of the previous or best one ends the list. */
const gap = { before: 0.55, best: 0.3 };

type Entry = { id: number; name: string; description: string; fields: string };

/** `createPullRequest` and `create_pull-request` give three words. */
export function splitWords(text: string): string {
  return text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-./]+/g, ' ');
}

function toEntry({ name, description, input }: OperationSpec, id: number): Entry {
  const fields = isObject(input.properties) ? Object.keys(input.properties).join(' ') : '';
  return { id, name: splitWords(name), description, fields: splitWords(fields) };
}

const stopWords = new Set(
  `a about after again all also am an and any are as at be been before both but by can could did do does done each every for
  from had has have he her here him his how i if in into is it its just let may me might more most must my no not now of off
  ok on once one only or other our out over please say says said she should so some such than that the their them then there
  these they this those through to too under until up us very want was we were what when where which while who why will
  with would you your
  aber alle als am an auch auf aus bei bitte da das dass dem den der des die dies diese ein eine einem einen einer es für hat
  ich ihm ihn ihr im ist kann mal mein mir mit muss nach nicht noch oder sein sich sie sind soll und uns vom von vor was wenn
  werden wie wir wird zu zum zur über`.split(/\s+/),
);

/** Weight of words from the best names, to find related operations. */
const alikeWeight = 0.3;
const alikeOf = 2;

function buildIndex(manifest: OperationSpec[]): MiniSearch<Entry> {
  const index = new MiniSearch<Entry>({
    fields: ['name', 'description', 'fields'],
    processTerm: (term) => {
      const word = term.toLowerCase();
      return word.length < 2 || stopWords.has(word) ? null : word;
    },
    searchOptions: {
      boost: { name: 3, description: 2 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    },
  });
  index.addAll(manifest.map(toEntry));
  return index;
}

type Found = { spec: OperationSpec; score: number; terms: string[] };

const spreadOf = 24;

/** A request may need several operations, so words that have theirs count less. */
function spread(found: Found[]): Found[] {
  const covered = new Map<string, number>();
  const worth = ({ score, terms }: Found) =>
    score * 0.5 ** Math.min(...terms.map((term) => covered.get(term) ?? 0), 10);
  const first: Found[] = [];
  const rest = new Set(found);
  while (first.length < spreadOf && rest.size > 0) {
    const next = [...rest].reduce((best, one) => (worth(one) > worth(best) ? one : best));
    rest.delete(next);
    first.push(next);
    for (const term of next.terms) covered.set(term, (covered.get(term) ?? 0) + 1);
  }
  return [...first, ...rest];
}

export function createOperationSearch(): OperationSearch {
  let known: { manifest: OperationSpec[]; index: MiniSearch<Entry> } | null = null;
  function rank(manifest: OperationSpec[], text: string) {
    const same =
      known !== null &&
      known.manifest.length === manifest.length &&
      manifest.every((spec, index) => spec === known?.manifest[index]);
    if (known === null || !same) known = { manifest, index: buildIndex(manifest) };
    const { index } = known;
    const words = splitWords(text.slice(0, 2000));
    const best = index.search(words).slice(0, alikeOf);
    const alike = best.map(({ id }) => splitWords(manifest[Number(id)]?.operation ?? ''));
    const asked = new Set(best.flatMap(({ queryTerms }) => queryTerms));
    return index
      .search(`${words} ${alike.join(' ')}`, {
        boostTerm: (term) => (asked.has(term) ? 1 : alikeWeight),
      })
      .flatMap(({ id, score, queryTerms }) => {
        const spec = manifest[Number(id)];
        const terms = queryTerms.filter((term) => asked.has(term));
        return spec === undefined ? [] : [{ spec, score, terms }];
      });
  }
  const specsOf = (found: Found[]) => found.map(({ spec }) => spec);
  return {
    find: (manifest, text, most) => specsOf(spread(rank(manifest, text)).slice(0, most)),
    findBest(manifest, text, most) {
      const found = rank(manifest, text);
      const best = found[0]?.score ?? 0;
      const end = found.findIndex(
        ({ score }, at) =>
          score < gap.before * (found[at - 1]?.score ?? score) || score < gap.best * best,
      );
      return specsOf(found.slice(0, Math.min(most, end === -1 ? most : end)));
    },
  };
}
