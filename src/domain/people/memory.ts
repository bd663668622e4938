// What people asked to keep, and subtypes they approved. It is data for planners and decides nothing.
import { z } from 'zod';
import { line } from '../text.ts';
import { onOneLine } from '../words.ts';
import { memoryLimits } from './memory-note.ts';

/** A person's own, or that of a chat or channel and everybody in it. */
export const MemoryScope = z.enum(['person', 'conversation']);
export type MemoryScope = z.infer<typeof MemoryScope>;

/** What is kept; `name`: what it is filed under, so that a new address takes the place of the old one. */
export const MemoryNote = z.strictObject({
  text: line(memoryLimits.text),
  name: line(memoryLimits.name).nullable().default(null),
});
export type MemoryNote = z.infer<typeof MemoryNote>;

/** Where it came from; `message`: null where the message is not known. */
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

/** The note as it is stored: each part on one line. */
export function tidyNote({ text, name }: MemoryNote): MemoryNote {
  return { text: onOneLine(text), name: name === null ? null : onOneLine(name) };
}

/** Texts that differ only in case, spacing or the form of their quotation marks become the same. */
export function fold(text: string): string {
  return onOneLine(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[‘’`]/g, "'")
    .replace(/[“”«»]/g, '"');
}

/** How mail programs begin what they quote, each at the beginning of a line. */
const quoteBegins =
  /^(?:-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine)|begin forwarded message|_{8,}$|(?:from|von|de|da): \S|on .{4,200} wrote:$|am .{4,200} schrieb .{1,200}:$|le .{4,200} a écrit :?$|message from .{1,200}:$)/i;

/** The text without what it quotes of others: lines after `>`, and mail from its header on. */
export function leaveOutQuotes(text: string): string {
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const plain = line.trim();
    if (quoteBegins.test(plain)) break;
    if (!plain.startsWith('>')) kept.push(line);
  }
  return kept.join('\n');
}

/** Whether `note` takes the place of `entry`: it has the same name or, without names, the same text. */
export function replaces(note: MemoryNote, entry: Pick<MemoryNote, 'text' | 'name'>): boolean {
  if (note.name === null || entry.name === null)
    return note.name === entry.name && fold(note.text) === fold(entry.text);
  return fold(note.name) === fold(entry.name);
}
