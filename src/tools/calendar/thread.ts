// Thread module for ICS files.
import { parentPort } from 'node:worker_threads';
import { CountersignError } from '#domain/errors.ts';
import type { ThreadAnswer } from '../threads.ts';
import { addEvent } from './add-event.ts';
import type { Work, WorkDone } from './ics-work.ts';
import { readEvents } from './read-events.ts';

function carryOut(work: Work): WorkDone {
  if (work.kind === 'read') {
    const read = readEvents(Buffer.from(work.bytes), work.calendar, work.range);
    return { kind: 'read', read };
  }
  const stored = work.bytes === null ? null : Buffer.from(work.bytes);
  return { kind: 'add', changed: addEvent(stored, work.calendar, work.event, work.now) };
}

function answer(work: Work): ThreadAnswer<WorkDone> {
  try {
    return { ok: true, answer: carryOut(work) };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

parentPort?.on('message', (work: Work) => parentPort?.postMessage(answer(work)));
