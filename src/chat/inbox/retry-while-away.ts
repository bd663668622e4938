// Retries the inbox's own statements while the database is unreachable, so that a handled event is not handled again just because
// recording it failed.
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { InboxContext } from './inbox-context.ts';

/** @param stopping aborted: the next failure is thrown. @throws what does not pass */
export function retryWhileAway<T>(
  { warn }: InboxContext,
  work: () => Promise<T>,
  stopping: AbortSignal,
): Promise<T> {
  return retryUntilDatabaseAnswers(
    work,
    (error) => warn('The inbox waits for the database.', error),
    stopping,
  );
}
