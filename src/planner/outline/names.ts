// Names nodes in sentences, and builds violations.
import type { OutlineNode } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf, shorten } from '#domain/words.ts';

/** `“Write the report” (2a)` */
export function nameNode({ title, id }: Pick<OutlineNode, 'title' | 'id'>): string {
  return `${quoteWords(title, 60)} (${shorten(id, 40)})`;
}

/** Adds the number left out. */
export function nameSome(names: string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => shorten(name, 60));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : listOf(shown);
}

export function violate(
  code: string,
  node: string | null,
  text: string,
  blocking = true,
): Violation {
  return { code, node, text: shorten(text, 1000), blocking };
}
