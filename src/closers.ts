// Takes a process apart in the opposite order of its putting together.
import type { Logger } from 'pino';

export type Closers = {
  /** Remembers how to close `what`. */
  add(what: string, close: () => Promise<void>): void;
  /** Closes the last opened first, each whatever became of the others; a second call finds nothing to do. */
  closeAll(): Promise<void>;
};

export function createClosers(log: Logger): Closers {
  const closers: { what: string; close: () => Promise<void> }[] = [];
  return {
    add(what, close) {
      closers.push({ what, close });
    },
    async closeAll() {
      for (const { what, close } of closers.splice(0).reverse()) {
        await close().catch((err: unknown) => log.warn({ err }, `Closing ${what} failed.`));
      }
    },
  };
}
