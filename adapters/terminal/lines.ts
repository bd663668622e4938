// Reads what a person types, line by line. On a TTY each question has its own reader, so that the terminal
// is the shell's own between questions; a pipe is read once, and nothing in it is lost between questions.
import { createInterface, type Interface } from 'node:readline';
import type { TerminalIo } from './screen.ts';

export type LineReader = {
  /** The next line; null when the input has ended or nobody answered in time. */
  ask(prompt: string): Promise<string | null>;
  close(): void;
};

function askTty(
  { input, output }: TerminalIo,
  prompt: string,
  interrupt: () => void,
  signal: AbortSignal,
): Promise<string | null> {
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    const stop = () => reader.close();
    let answer: string | null = null;
    signal.addEventListener('abort', stop, { once: true });
    reader.on('SIGINT', interrupt);
    reader.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
    });
    reader.question(prompt, (line) => {
      answer = line;
      reader.close();
    });
  });
}

/** Lines of a pipe in the order they come. */
function createQueue(input: TerminalIo['input']) {
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  const reader: Interface = createInterface({ input, terminal: false });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  reader.on('close', () => {
    ended = true;
    wake();
  });
  return {
    close: () => reader.close(),
    /** The next line; null at the end, after `timeout_ms`, or when `signal` aborts. */
    async take(timeout_ms: number, signal: AbortSignal): Promise<string | null> {
      const timer = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]);
      while (lines.length === 0 && !ended && !timer.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return lines.shift() ?? null;
    },
  };
}

/** A reader for `io`. `timeout_ms` bounds the wait on a pipe, where perhaps nobody will ever answer. */
export function createLineReader(
  io: TerminalIo,
  options: { interrupt: () => void; signal: AbortSignal; timeout_ms: number; silent: boolean },
): LineReader {
  const { interrupt, signal, timeout_ms, silent } = options;
  let queue: ReturnType<typeof createQueue> | null = null;
  return {
    async ask(prompt) {
      if (signal.aborted) return null;
      if (io.input.isTTY === true && !silent) return askTty(io, prompt, interrupt, signal);
      queue ??= createQueue(io.input);
      if (!silent) io.output.write(prompt);
      const line = await queue.take(timeout_ms, signal);
      if (!silent) io.output.write(`${line ?? ''}\n`);
      return line;
    },
    close: () => queue?.close(),
  };
}
