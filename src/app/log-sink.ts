// Writes log lines; after failures, reports how many were dropped.
import { openSync, write, writeSync } from 'node:fs';
import { errorMessage } from '#domain/errors.ts';

/** Bytes waiting; further lines are dropped. */
const maxWaiting = 1024 * 1024;
/** Before a full pipe is retried. */
const againAfterMs = 100;

export type LogSink = { write(line: string): void };

let lost = 0;

export const droppedLines = (): number => lost;

const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EAGAIN' || error.code === 'EBUSY';

/** Whole lines in batches, without waiting; once more at exit. @param to file descriptor or file */
export function openLogSink(to: number | string): LogSink {
  const fd = typeof to === 'number' ? to : openSync(to, 'a');
  let waiting: string[] = [];
  let waitingBytes = 0;
  let writing = false;
  let missing = 0;
  let reason = '';

  function drop(lines: number, why: string): void {
    lost += lines;
    missing += lines;
    reason = why;
  }

  function take(): { bytes: Buffer; lines: number; dropped: number } {
    const dropped = missing;
    const text = waiting.join('');
    const lines = waiting.length;
    waiting = [];
    waitingBytes = 0;
    if (dropped === 0) return { bytes: Buffer.from(text), lines, dropped };
    const msg = `${dropped} lines of this log could not be written and are missing here (${reason}).`;
    const notice = { level: 40, time: Date.now(), pid: process.pid, msg };
    return { bytes: Buffer.from(`${JSON.stringify(notice)}\n${text}`), lines, dropped };
  }

  function begin(): void {
    if (writing || waiting.length === 0) return;
    writing = true;
    const { bytes, lines, dropped } = take();
    writeFrom(bytes, 0, (error) => {
      writing = false;
      if (error === null) missing -= dropped;
      else drop(lines, errorMessage(error));
      if (error === null) begin();
    });
  }

  function writeFrom(bytes: Buffer, from: number, done: (error: Error | null) => void): void {
    write(fd, bytes, from, bytes.length - from, null, (error, n) => {
      if (error !== null && isBusy(error))
        setTimeout(() => writeFrom(bytes, from, done), againAfterMs).unref();
      else if (error !== null) done(error);
      else if (from + n < bytes.length) writeFrom(bytes, from + n, done);
      else done(null);
    });
  }

  process.on('exit', () => {
    if (waiting.length === 0) return;
    const { bytes } = take();
    try {
      writeSync(fd, bytes);
    } catch {
      // Nowhere to report it.
    }
  });

  return {
    write(line) {
      if (waitingBytes + line.length > maxWaiting)
        return drop(1, 'they came faster than they could be written');
      waiting.push(line);
      waitingBytes += line.length;
      begin();
    },
  };
}
