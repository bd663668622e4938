// Reading a refused body to its end and throwing it away, within limits, so that the client gets to read the answer.
import type { Readable } from 'node:stream';

const mostBytes = 256 * 1_048_576;
const mostMilliseconds = 5000;

/** Resolves when the body is over, was given up, or was too much. Never throws, keeps nothing. */
export function drain(body: Readable): Promise<void> {
  if (body.readableEnded || body.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let seen = 0;
    const stop = (): void => {
      clearTimeout(timer);
      body.off('data', count).off('end', stop).off('close', stop).off('error', stop);
      resolve();
    };
    const count = (chunk: Buffer): void => {
      seen += chunk.length;
      if (seen > mostBytes) stop();
    };
    const timer = setTimeout(stop, mostMilliseconds);
    body.on('data', count).once('end', stop).once('close', stop).once('error', stop);
    body.resume();
  });
}
