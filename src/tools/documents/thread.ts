// Thread module for PDF and Office documents.
import { parentPort } from 'node:worker_threads';
import { CountersignError } from '#domain/errors.ts';
import type { ThreadAnswer } from '../threads.ts';
import type { DocumentKind } from './read-document.ts';
import { readOffice } from './read-office.ts';

type Work = { bytes: Uint8Array; kind: DocumentKind };

async function read({ bytes, kind }: Work): Promise<ReturnType<typeof readOffice>> {
  if (kind !== 'pdf') return readOffice(bytes, kind);
  // Large; loaded with the first PDF.
  const { readPdf } = await import('./read-pdf.ts');
  return readPdf(bytes);
}

async function answer(work: Work): Promise<ThreadAnswer<ReturnType<typeof readOffice>>> {
  try {
    return { ok: true, answer: await read(work) };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

parentPort?.on('message', async (work: Work) => parentPort?.postMessage(await answer(work)));
