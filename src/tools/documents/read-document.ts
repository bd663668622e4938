// Reads the text of a file of any kind.
import { extname } from 'node:path';
import { decodeText } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';
import { openThreads } from '../threads.ts';
import type { OfficeKind } from './read-office.ts';

export type ReadDocument = (
  file: { name: string; content: Buffer },
  signal: AbortSignal,
) => Promise<{ text: string; cut: boolean }>;

export type DocumentKind = OfficeKind | 'pdf';

/** Bytes. */
const maxText = 500_000;

const kinds: Record<string, DocumentKind> = {
  '.docx': 'docx',
  '.xlsx': 'xlsx',
  '.pptx': 'pptx',
  '.pdf': 'pdf',
};

/** Text, PDF, Word, Excel and PowerPoint; throws `tool_failed` for others. */
export function openDocuments(): { read: ReadDocument; close(): Promise<void> } {
  const threads = openThreads<
    { bytes: Uint8Array; kind: DocumentKind },
    { text: string; cut: boolean }
  >(new URL('./thread.ts', import.meta.url), {
    timeoutMs: 15_000,
    maxThreads: 2,
    maxMegabytes: 400,
    refusal: 'The document takes too much time or memory to read.',
  });
  return {
    close: threads.close,
    async read({ name, content }, signal) {
      // A PDF begins like text.
      const isPdf = content.subarray(0, 5).toString('latin1') === '%PDF-';
      const kind = isPdf ? 'pdf' : kinds[extname(name).toLowerCase()];
      if (kind !== undefined) return threads.ask({ bytes: content, kind }, signal);
      const cut = content.length > maxText;
      const decoded = decodeText(content.subarray(0, maxText), { cut });
      if (decoded !== null) return { text: decoded.text, cut };
      throw new CountersignError(
        'tool_failed',
        'Files of this kind can’t be read: only text, CSV, PDF, Word, Excel and PowerPoint. It can be copied into the workspace.',
      );
    },
  };
}
