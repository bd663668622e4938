// Renders a document as HTML with the site's addresses.
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { type DocsPage, isShown } from './pages.ts';

export type Heading = { level: number; id: string; text: string };

export type Rendered = { title: string; html: string; headings: Heading[] };

/** Raw HTML stays text. */
const markdown = new MarkdownIt({ html: false, linkify: false });
export const { escapeHtml } = markdown.utils;

/** GitHub's anchors, so links work in both places. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function toAddress(target: string, page: DocsPage, pages: DocsPage[]): string {
  if (/^[a-z]+:/i.test(target) || target.startsWith('#')) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.normalize(posix.join(posix.dirname(page.file), path));
  const found = pages.find((one) => one.file === file || one.file === `${file}/README.md`);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (found !== undefined) return `/docs${found.slug === '' ? '' : `/${found.slug}`}${hash}`;
  return isShown(file) ? `/docs/files/${file}` : target;
}

/** @param pages to resolve links */
export function render(source: string, page: DocsPage, pages: DocsPage[]): Rendered {
  const tokens = markdown.parse(source, {});
  const headings: Heading[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
      const heading = { level: Number(token.tag.slice(1)), id: toAnchor(text), text };
      const same = headings.filter(({ id }) => id === heading.id).length;
      if (same > 0) heading.id = `${heading.id}-${same}`;
      token.attrSet('id', heading.id);
      headings.push(heading);
    }
    if (token.type === 'fence' || token.type === 'code_block') token.attrSet('tabindex', '0');
    for (const inner of token.children ?? []) {
      const name = inner.type === 'image' ? 'src' : 'href';
      const target = inner.attrGet(name);
      if (target !== null) inner.attrSet(name, toAddress(String(target), page, pages));
    }
  }
  // Wide tables scroll in a frame of their own.
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title: headings.find(({ level }) => level === 1)?.text ?? page.slug, html, headings };
}
