// Full-text search of the documents by section.
import MiniSearch from 'minisearch';
import { type DocsPage, readPage } from './pages.ts';
import { toAnchor } from './render.ts';

/** `heading`: '' before the first. */
export type Found = { slug: string; anchor: string; title: string; heading: string; text: string };

type Section = Found & { id: number; rank: number };

/** Stop words. */
const fillers = new Set(
  'a an and are can do does for from how i in is it my of on or the to what when where which who why with you'.split(
    ' ',
  ),
);

/** Developer pages, pictures and the changelog rank last. */
const rankOf = ({ group, file }: DocsPage) =>
  group === 'Inside' || group === 'Pictures' || file === 'CHANGELOG.md' ? 0.01 : 1;

function toPlain(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[*`|#]+|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function cutSections({ slug }: DocsPage, source: string): Found[] {
  const title = /^# (.+)$/m.exec(source)?.[1] ?? slug;
  return source.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const [, heading = ''] = /^#+ (.+)$/m.exec(part) ?? [];
    const text = toPlain(part.replace(/^#.*$/m, ''));
    if (text === '') return [];
    return [
      { slug, anchor: toAnchor(heading), title, heading: heading === title ? '' : heading, text },
    ];
  });
}

/** Best first. */
export async function createSearch(pages: DocsPage[]): Promise<(words: string) => Found[]> {
  const parts = await Promise.all(
    pages.map(async (page) => {
      const rank = rankOf(page);
      return cutSections(page, await readPage(page)).map((found) => ({ ...found, rank }));
    }),
  );
  const sections = parts.flat().map((found, id): Section => ({ ...found, id }));
  const index = new MiniSearch<Section>({
    fields: ['title', 'heading', 'text'],
    processTerm: (term) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { title: 3, heading: 4 },
      boostDocument: (id) => sections[Number(id)]?.rank ?? 1,
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(sections);
  return (words) =>
    index
      .search(words)
      .slice(0, 30)
      .flatMap(({ id }) => sections[Number(id)] ?? []);
}
