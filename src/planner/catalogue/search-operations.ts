// Finds operations by what they are for: BM25 over names, descriptions and argument names (minisearch).
import MiniSearch from 'minisearch';
import { isObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';

export type OperationSearch = {
  /** The best first; those that share no word with `text` are not among them. */
  find(manifest: OperationSpec[], text: string, most: number): OperationSpec[];
};

type Entry = { id: number; name: string; description: string; fields: string };

/** `createPullRequest`, `create_pull-request` → three words. */
function splitWords(text: string): string {
  return text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-./]+/g, ' ');
}

function toEntry({ name, description, input }: OperationSpec, id: number): Entry {
  const fields = isObject(input.properties) ? Object.keys(input.properties).join(' ') : '';
  return { id, name: splitWords(name), description, fields: splitWords(fields) };
}

/** Words that say nothing of what an operation is for. */
const stopWords = new Set(
  `a about after again all also am an and any are as at be been before both but by can could did do does done each every for
  from had has have he her here him his how i if in into is it its just let may me might more most must my no not now of off
  ok on once one only or other our out over please say says said she should so some such than that the their them then there
  these they this those through to too under until up us very want was we were what when where which while who why will
  with would you your`.split(/\s+/),
);

/** Words of the best names are looked for as well, at this weight: what else can be done with a ticket. */
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

/** Rebuilds its index only when the manifest has changed. */
export function createOperationSearch(): OperationSearch {
  let known: { manifest: OperationSpec[]; index: MiniSearch<Entry> } | null = null;
  return {
    find(manifest, text, most) {
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
        .slice(0, most)
        .flatMap(({ id }) => manifest[Number(id)] ?? []);
    },
  };
}
