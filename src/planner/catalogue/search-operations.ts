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
  'a an and are as at be but by for from has have in into is it its no not of on or that the their then there these they this to was what when which who will with you your'.split(
    ' ',
  ),
);

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

/** Builds its index anew only when the manifest has changed. */
export function createOperationSearch(): OperationSearch {
  let known: { manifest: OperationSpec[]; index: MiniSearch<Entry> } | null = null;
  return {
    find(manifest, text, most) {
      const same =
        known !== null &&
        known.manifest.length === manifest.length &&
        manifest.every((spec, index) => spec === known?.manifest[index]);
      if (known === null || !same) known = { manifest, index: buildIndex(manifest) };
      return known.index
        .search(splitWords(text.slice(0, 2000)))
        .slice(0, most)
        .flatMap(({ id }) => manifest[Number(id)] ?? []);
    },
  };
}
