// Files that people attach to chat messages.
import { z } from 'zod';
import { showLine } from './shown-text.ts';
import { StorableText } from './text.ts';
import { describeBytes } from './words.ts';

/** `id`: the platform's; `bytes`: null if unknown. */
export const AttachedFile = z.object({
  id: z.string().max(200),
  name: StorableText.max(300),
  type: StorableText.max(100),
  bytes: z.number().int().min(0).nullable(),
});
export type AttachedFile = z.infer<typeof AttachedFile>;

/** Bytes. */
export const maxAttached = 20_000_000;

const quote = (name: string, max: number) => `"${showLine(name, max).replaceAll('"', "'")}"`;

/** `file "draft.docx" (docx, 24 kB, id F0123)`, for planners; a name can't close the quote. */
export function describeFile({ id, name, type, bytes }: AttachedFile): string {
  const facts = [
    showLine(type, 40),
    bytes === null ? '' : describeBytes(bytes),
    id === '' ? '' : `id ${showLine(id, 60)}`,
  ].filter((fact) => fact !== '');
  return `file ${quote(name, 120)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}
