// One stay at a place: what is done there, under which lease, and what becomes of a call that failed.

import type { ChatPort } from '#contracts/chat.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import { breakPlace, type HeldPlace, type PlaceLease, postponePlace } from '#store/chat-places.ts';
import { countFailure, type PostRow, setPostAside } from '#store/chat-posts.ts';
import { decideNextTry } from '../inbox/retry.ts';
import type { DeliveryContext } from './delivery-context.ts';

export type Visit = HeldPlace & { port: ChatPort; lease: PlaceLease };

/** `left`: the place was let go of, and what is to be done there waits. */
export type Outcome = 'done' | 'left';

/**
 * What `call` comes to, unless `ms` are over before; it may get through all the same.
 * @param onLate called when a call that was given up has come to an end
 */
export function settleWithin<T>(
  ms: number,
  call: Promise<T>,
  onLate: () => void = () => {},
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    const text = `The chat platform did not answer within ${ms} ms.`;
    reject(new CountersignError('timed_out', text, { passesAfterMs: 0 }));
  }, ms);
  void call.then(resolve, reject).finally(() => {
    clearTimeout(timer);
    if (late) onLate();
  });
  return promise;
}

/** The message or its channel is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'not_found';
}

function needsOperator(error: unknown): boolean {
  return isGone(error) || (error instanceof CountersignError && error.code === 'not_allowed');
}

/** Lets the place go for a while; its job comes again then. */
export async function postpone(
  { db, enqueue }: DeliveryContext,
  { lease, conversation }: Pick<Visit, 'lease' | 'conversation'>,
  inMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const until = await postponePlace(tx, lease, inMs);
    if (until === null) return;
    // The text of a moment ends at the millisecond; a job that is early finds nothing to do.
    const startAfter = new Date(until.getTime() + 1);
    await enqueue(tx, 'deliver', { conversation }, { key: `${conversation}@retry`, startAfter });
  });
}

/**
 * What becomes of a call that failed. What passes is waited for, with all that comes after it; what an operator has to mend
 * breaks the place; what is refused again and again is set aside, so that the conversation goes on.
 */
export async function settleFailure(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  error: unknown,
): Promise<Outcome> {
  const { db, random, rule, warn } = context;
  const { conversation, place, lease, tries } = visit;
  const where = `${place.platform} ${place.tenant}, ${place.channel}`;
  if (needsOperator(error)) {
    const why = errorMessage(error);
    if (await breakPlace(db.query, lease, why)) {
      warn(
        `Nothing can be posted to ${where}: ${why} It is tried again when something comes from there.`,
      );
    }
    return 'left';
  }
  const failures = row.failures + 1;
  const attempt = tries + 1;
  const decided = decideNextTry(error, { attempt, failures, ageMs: 0 }, rule, random);
  if (decided.next === 'set_aside') {
    await db.transaction((tx) => setPostAside(tx, conversation, row, errorMessage(error)));
    warn(`Message ${row.message_id} could not be shown at ${where}; others follow.`, error);
    return 'done';
  }
  if (decided.counts) await countFailure(db.query, row);
  const seconds = Math.ceil(decided.inMs / 1000);
  warn(`Posting to ${where} failed and is tried again in ${seconds} s.`, error);
  await postpone(context, visit, decided.inMs);
  return 'left';
}
