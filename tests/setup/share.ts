// Tests share an instance: opening one costs more than most tests.
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import type { TestDatabase } from './database.ts';

type Closable = {
  /** May be called twice. */
  close(): Promise<void>;
};

/** Reuses the previous test's instance if it passed with equal options. */
export function createSharing<Options extends { own?: boolean }, T extends Closable>(
  open: (url: string, options: Options) => Promise<T>,
  forget: (opened: T) => Promise<void>,
): (database: TestDatabase, options: Options) => Promise<T> {
  const shared = new WeakMap<TestDatabase, { options: Options; opened: T }>();

  function endAfterFailure(database: TestDatabase, opened: T): void {
    onTestFinished(async ({ task }) => {
      if (task.result?.state !== 'fail') return;
      shared.delete(database);
      await opened.close();
    });
  }

  return async (database, options) => {
    const known = shared.get(database);
    if (known !== undefined && isDeepStrictEqual(known.options, options)) {
      await forget(known.opened);
      endAfterFailure(database, known.opened);
      return known.opened;
    }
    shared.delete(database);
    await known?.opened.close();
    const opened = await open(database.url, options);
    if (options.own === true) {
      onTestFinished(() => opened.close());
      return opened;
    }
    shared.set(database, { options, opened });
    database.onEnd(() => opened.close());
    endAfterFailure(database, opened);
    return opened;
  };
}
