// A press on a card in a chat decides once. What it does and its name are stored together, so whoever tries it again, after a
// process died or because its presser could not be told, learns what became of it and changes nothing.
import type { Clock } from '#contracts/clock.ts';
import { CountersignError, type ErrorCode } from '#contracts/errors.ts';
import type { Pressed } from '#contracts/pressed.ts';
import { type Database, joinedSilentMs, joinTransaction } from '#store/database.ts';
import { keepPress, type PressRow, refusePress } from '#store/presses.ts';
import { requireRecentPress } from './still-meant.ts';

/** What came of a press: what it did, or why nothing. */
type Outcome<T> = { kind: 'done'; value: T } | { kind: 'refused'; why: CountersignError } | null;

/** What became of a press before. @throws what it was refused with */
function repeat({ refused }: PressRow): void {
  if (refused === null) return;
  // Codes are written by this file, from errors of ours.
  throw new CountersignError(refused.code as ErrorCode, refused.message);
}

/**
 * Does what a press asks for, and once: tried again it does nothing, and is refused as it was the first time.
 * @param pressed undefined: it has no name of its own, and is done
 * @param before what is answered when it was done before
 * @throws what `act` throws; of that, what does not pass by itself is remembered
 */
export async function actOnce<C extends { db: Database; clock: Clock }, T>(
  context: C,
  pressed: Pressed | undefined,
  act: (joined: C) => Promise<T>,
  before: () => Promise<T>,
): Promise<T> {
  if (pressed === undefined) return act(context);
  const { db, clock } = context;
  const { once, at } = pressed;
  const outcome = await db.transaction(
    async (tx): Promise<Outcome<T>> => {
      // Its name first: whoever waits for that holds nothing that the first one needs.
      const known = await keepPress(tx, once);
      if (known !== null) {
        repeat(known);
        return null;
      }
      try {
        requireRecentPress(at, clock.now());
        return { kind: 'done', value: await act({ ...context, db: joinTransaction(db, tx) }) };
      } catch (error) {
        if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
        // What was refused has undone itself; that it was is kept, so that its presser can be told later.
        await refusePress(tx, once, { code: error.code, message: error.message });
        return { kind: 'refused', why: error };
      }
    },
    { silentMs: joinedSilentMs },
  );
  if (outcome === null) return before();
  if (outcome.kind === 'refused') throw outcome.why;
  return outcome.value;
}
