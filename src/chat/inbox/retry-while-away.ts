// What the inbox asks the database for again while that is away: an event that was handled must not be handled once more
// only because nobody could write it down.
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
