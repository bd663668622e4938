// The frame of pages under /docs.
import { quoteWords } from '#domain/shown-text.ts';
import { docsSearch } from '../assets.ts';
import type { DocsPage } from './pages.ts';
import { escapeHtml, type Heading, type Rendered } from './render.ts';
import type { Found } from './search.ts';

export type MenuEntry = Pick<DocsPage, 'slug' | 'group'> & { title: string };

const addressOf = (slug: string) => `/docs${slug === '' ? '' : `/${slug}`}`;

const link = (slug: string, title: string, current: boolean) =>
  `<a href="${escapeHtml(addressOf(slug))}"${current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;

function drawMenu(entries: MenuEntry[], current: string): string {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups
    .map((group) => {
      const links = entries
        .filter((entry) => entry.group === group)
        .map(({ slug, title }) => `<li>${link(slug, title, slug === current)}</li>`);
      return `<section><h2>${escapeHtml(group)}</h2><ul>${links.join('')}</ul></section>`;
    })
    .join('');
}

function drawContents(headings: Heading[]): string {
  const parts = headings.filter(({ level }) => level === 2 || level === 3);
  if (parts.length < 3) return '';
  const items = parts.map(
    ({ level, id, text }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function drawColumns(menu: string, main: string, contents: string): string {
  return `<div class="frame">
      <details class="menu-small"><summary>Menu</summary><nav aria-label="Pages">${menu}</nav></details>
      <nav class="menu" aria-label="All pages">${menu}</nav>
      <main id="main">${main}</main>
      ${contents}
    </div>`;
}

/** @param wide without the menu @param main HTML @param head elements for the head */
export function drawFrame(
  entries: MenuEntry[],
  current: string,
  {
    title,
    main,
    contents = '',
    words = '',
    head = '',
    wide = false,
  }: Record<'title' | 'main', string> &
    Partial<Record<'contents' | 'words' | 'head', string>> & { wide?: boolean },
): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} – Countersign</title>
    <link rel="icon" type="image/svg+xml" href="/console/page/icon.svg" />
    <link rel="stylesheet" href="/console/page/styles/tokens.css" />
    <link rel="stylesheet" href="/docs/docs.css" />
    <script type="module" src="${docsSearch}"></script>
    ${head}
  </head>
  <body>
    <a class="skip" href="#main">Skip to the text</a>
    <header>
      <a class="home" href="/docs">Countersign <span>docs</span></a>
      <form action="/docs/search" method="get" role="search">
        <input type="search" name="q" value="${escapeHtml(words)}" placeholder="Search the docs" aria-label="Search the docs" />
        <output></output>
      </form>
      <a href="/">Console</a>
    </header>
    ${wide ? main : drawColumns(drawMenu(entries, current), main, contents)}
  </body>
</html>
`;
}

export function drawPage(entries: MenuEntry[], slug: string, page: Rendered): string {
  const at = entries.findIndex((entry) => entry.slug === slug);
  const way = [
    [entries[at - 1], 'Previous'],
    [entries[at + 1], 'Next'],
  ] as const;
  const steps = way.map(([entry, name]) =>
    entry === undefined
      ? '<span></span>'
      : `<span><small>${name}</small>${link(entry.slug, entry.title, false)}</span>`,
  );
  return drawFrame(entries, slug, {
    title: page.title,
    main: `<article>${page.html}</article><nav class="way" aria-label="Before and after">${steps.join('')}</nav>`,
    contents: drawContents(page.headings),
  });
}

/** Text around the first of `words`, with matches marked. */
function drawExcerpt(text: string, words: string[]): string {
  const starts = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...starts, text.length) - 80);
  const from = first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const cut = text.slice(from, from + 240).replace(from + 240 < text.length ? /\s\S*$/ : '', '');
  const marked = cut
    .split(new RegExp(`(${words.map(RegExp.escape).join('|')})`, 'i'))
    .map((part, at) => (at % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)));
  return `${from > 0 ? '… ' : ''}${marked.join('')}${from + cut.length < text.length ? ' …' : ''}`;
}

export function drawFound(entries: MenuEntry[], query: string, found: Found[]): string {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const items = found.map(
    ({ slug, anchor, title, heading, text }) =>
      `<li><a href="${escapeHtml(addressOf(slug))}${heading === '' ? '' : `#${escapeHtml(anchor)}`}">${escapeHtml(
        heading === '' ? title : `${title}: ${heading}`,
      )}</a><p>${drawExcerpt(text, words)}</p></li>`,
  );
  const none =
    words.length === 0
      ? 'Type what you are looking for, for example <a href="/docs/search?q=approve">approve</a>.'
      : `Nothing matches ${escapeHtml(quoteWords(query, 200))}. Try fewer words, or pick a page from the menu.`;
  return drawFrame(entries, ' ', {
    title: words.length === 0 ? 'Search' : `Search: ${query}`,
    words: query,
    main: `<h1>Search</h1>${items.length === 0 ? `<p>${none}</p>` : `<ol class="found">${items.join('')}</ol>`}`,
  });
}
