// Stored notes and approved subtypes, as data for planners.
import { z } from 'zod';
import { line } from '../text.ts';
import { onOneLine } from '../words.ts';
import { memoryLimits } from './memory-note.ts';

export const MemoryScope = z.enum(['person', 'conversation']);
export type MemoryScope = z.infer<typeof MemoryScope>;

/** Replaces a note with the same `name`. */
export const MemoryNote = z.strictObject({
  text: line(memoryLimits.text),
  name: line(memoryLimits.name).nullable().default(null),
});
export type MemoryNote = z.infer<typeof MemoryNote>;

/** `message`: null if unknown. */
export const MemorySource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('said'), message: z.int().nullable() }),
  z.object({ kind: z.literal('approved'), run: z.string() }),
  z.object({ kind: z.literal('set') }),
]);
export type MemorySource = z.infer<typeof MemorySource>;

export const MemoryEntry = z.object({
  id: z.int(),
  scope: MemoryScope,
  name: z.string().nullable(),
  text: z.string(),
  source: MemorySource,
  created_at: z.iso.datetime(),
});
export type MemoryEntry = z.infer<typeof MemoryEntry>;

export function tidyNote({ text, name }: MemoryNote): MemoryNote {
  return { text: onOneLine(text), name: name === null ? null : onOneLine(name) };
}

/** Ignores case, spacing and quotation mark style. */
export function fold(text: string): string {
  return onOneLine(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[‘’`]/g, "'")
    .replace(/[“”«»]/g, '"');
}

/** At the start of a line. */
const quoteBegins =
  /^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine)|begin forwarded message|_{8,}$|(?:from|von|de|da): \S|on .{4,200} wrote:$|am .{4,200} schrieb .{1,200}:$|le .{4,200} a écrit :?$|message from .{1,200}:$)/i;

/** `>` lines, and mail from its header on. */
export function leaveOutQuotes(text: string): string {
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const plain = line.trim();
    if (quoteBegins.test(plain)) break;
    if (!plain.startsWith('>')) kept.push(line);
  }
  return kept.join('\n');
}

/** Same name or, unnamed, same text. */
export function replaces(note: MemoryNote, entry: Pick<MemoryNote, 'text' | 'name'>): boolean {
  if (note.name === null || entry.name === null)
    return note.name === entry.name && fold(note.text) === fold(entry.text);
  return fold(note.name) === fold(entry.name);
}
