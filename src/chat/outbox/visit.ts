// One visit to a place, and its failed calls.
import { breakPlace, type HeldPlace, type PlaceLease, postponePlace } from '#db/chat/places.ts';
import { forgetFailing, noteFailure, type PostRow, setPostAside } from '#db/chat/posts.ts';
import type { ChatPort } from '#domain/chat/chat.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { decideNextTry, passesAfter } from '../inbox/retry.ts';
import type { DeliveryContext } from './delivery-context.ts';

export type Visit = HeldPlace & { port: ChatPort; lease: PlaceLease };

/** `left`: released with work waiting. */
export type Outcome = 'done' | 'left';

/** Aborted calls may still take effect. @param onLate when one ends */
export function settleWithin<T>(
  ms: number,
  call: (givenUp: AbortSignal) => Promise<T>,
  onLate: (value?: T) => void = () => {},
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giving = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    const text = `The chat platform did not answer within ${ms} ms.`;
    const error = new CountersignError('timed_out', text, { passesAfterMs: 0 });
    reject(error);
    giving.abort(error);
  }, ms);
  void call(giving.signal).then(
    (value) => {
      clearTimeout(timer);
      if (late) onLate(value);
      else resolve(value);
    },
    (error: unknown) => {
      clearTimeout(timer);
      if (late) onLate();
      else reject(error);
    },
  );
  return promise;
}

export function isGone(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'not_found';
}

/** Milliseconds; null unless rate limited. */
export function limitedFor(error: unknown): number | null {
  const limited = error instanceof CountersignError && error.details.limited === true;
  return limited ? error.passesAfterMs : null;
}

function needsOperator(error: unknown): boolean {
  return isGone(error) || (error instanceof CountersignError && error.code === 'not_allowed');
}

/** Until its job returns. */
export async function postpone(
  { db, enqueue }: DeliveryContext,
  { lease, conversation }: Pick<Visit, 'lease' | 'conversation'>,
  inMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const until = await postponePlace(tx, lease, inMs);
    if (until === null) return;
    // Timestamps are truncated, and an early job finds nothing.
    const startAfter = new Date(until.getTime() + 1);
    await enqueue(tx, 'deliver', { conversation }, { key: `${conversation}@retry`, startAfter });
  });
}

/**
 * Transient failures block the place for a day, then break it; an operator's break it at once. Repeated refusals are set aside.
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
  const failures = row.failures + 1;
  const attempt = tries + 1;
  const ageMs = row.failing_ms;
  const decided = decideNextTry(error, { attempt, failures, ageMs }, rule, random);
  const gaveUp = decided.next === 'set_aside' && row.post === null && passesAfter(error) !== null;
  if (needsOperator(error) || gaveUp) {
    const why = gaveUp
      ? `For a day nothing could be posted there: ${errorMessage(error)}`
      : errorMessage(error);
    if (gaveUp) await forgetFailing(db.query, row);
    if (await breakPlace(db.query, lease, why)) {
      warn(
        `Nothing can be posted to ${where}: ${why} It is tried again when something comes from there.`,
      );
    }
    return 'left';
  }
  if (decided.next === 'set_aside') {
    await db.transaction((tx) => setPostAside(tx, conversation, row, errorMessage(error)));
    warn(`Could not show message ${row.message_id} at ${where}; continuing with the next.`, error);
    return 'done';
  }
  await noteFailure(db.query, row, decided.counts);
  const seconds = Math.ceil(decided.inMs / 1000);
  warn(`Posting to ${where} failed; retrying in ${seconds} s.`, error);
  await postpone(context, visit, decided.inMs);
  return 'left';
}
