// The thread module that reads Office documents.
import { parentPort } from 'node:worker_threads';
import { CountersignError } from '#domain/errors.ts';
import type { ThreadAnswer } from '../threads.ts';
import { type OfficeKind, readOffice } from './read-office.ts';

type Work = { bytes: Uint8Array; kind: OfficeKind };

function answer({ bytes, kind }: Work): ThreadAnswer<ReturnType<typeof readOffice>> {
  try {
    return { ok: true, answer: readOffice(bytes, kind) };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

parentPort?.on('message', (work: Work) => parentPort?.postMessage(answer(work)));
