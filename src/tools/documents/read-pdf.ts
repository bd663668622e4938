// Reads the text of PDF documents, in a thread.
import { getDocumentProxy } from 'unpdf';
import { CountersignError } from '#domain/errors.ts';

/** Characters. */
const maxText = 200_000;

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function readPage(document: Pdf, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map(({ str = '', hasEOL = false }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .trim();
}

async function readPages(document: Pdf): Promise<{ text: string; cut: boolean }> {
  const pages: string[] = [];
  let length = 0;
  let hasText = false;
  while (pages.length < document.numPages && length <= maxText) {
    const number = pages.length + 1;
    const text = await readPage(document, number);
    hasText ||= text !== '';
    length += text.length;
    pages.push(`Page ${number}\n${text}`.trimEnd());
  }
  if (!hasText)
    throw new CountersignError('tool_failed', 'This PDF can’t be read: it has no text.');
  const text = pages.join('\n\n');
  const cut = text.length > maxText || pages.length < document.numPages;
  return { text: text.slice(0, maxText).toWellFormed(), cut };
}

/** @throws `tool_failed` if damaged, encrypted or without text */
export async function readPdf(bytes: Uint8Array): Promise<{ text: string; cut: boolean }> {
  try {
    const document = await getDocumentProxy(bytes, { isEvalSupported: false, verbosity: 0 });
    return await readPages(document).finally(() => document.loadingTask.destroy());
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    const isLocked = cause instanceof Error && cause.name === 'PasswordException';
    const why = isLocked ? 'it needs a password' : 'it is damaged';
    throw new CountersignError('tool_failed', `This PDF can’t be read: ${why}.`, { cause });
  }
}
