// Requests to the threads that process ICS files.
import { openThreads } from '../threads.ts';
import type { NewEvent } from './add-event.ts';
import type { Range, ReadEvents } from './read-events.ts';

export type Work =
  | { kind: 'read'; bytes: Uint8Array; calendar: string; range: Range }
  | { kind: 'add'; bytes: Uint8Array | null; calendar: string; event: NewEvent; now: Date };

export type WorkDone =
  | { kind: 'read'; read: ReadEvents }
  | { kind: 'add'; changed: Uint8Array | null };

export type IcsWork = {
  read(bytes: Buffer, calendar: string, range: Range, signal: AbortSignal): Promise<ReadEvents>;
  add(
    bytes: Buffer | null,
    calendar: string,
    event: NewEvent,
    now: Date,
    signal: AbortSignal,
  ): Promise<Buffer | null>;
  close(): Promise<void>;
};

const maxThreads = 4;

export function openIcsWork(timeoutMs = 10_000): IcsWork {
  const threads = openThreads<Work, WorkDone>(new URL('./thread.ts', import.meta.url), {
    timeoutMs,
    maxThreads,
    maxMegabytes: 512,
    refusal:
      'The calendar takes too much time or memory to read. Make its file smaller, or remove old events.',
  });
  return {
    async read(bytes, calendar, range, signal) {
      const done = await threads.ask({ kind: 'read', bytes, calendar, range }, signal);
      if (done.kind !== 'read') throw new Error(`the thread answered ${done.kind}`);
      return done.read;
    },
    async add(bytes, calendar, event, now, signal) {
      const done = await threads.ask({ kind: 'add', bytes, calendar, event, now }, signal);
      if (done.kind !== 'add') throw new Error(`the thread answered ${done.kind}`);
      return done.changed === null ? null : Buffer.from(done.changed);
    },
    close: threads.close,
  };
}
