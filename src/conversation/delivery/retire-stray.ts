// A second post of a message, which got through after its call was given up: its buttons go, since nothing follows it.
import type { ChatPost } from '#contracts/chat.ts';
import { errorMessage } from '#contracts/errors.ts';
import { dropStray, noteFailure, type PostRow } from '#store/chat-posts.ts';
import { decideNextTry } from '../inbox/retry.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { drawMessage } from './draw-message.ts';
import { type Outcome, postpone, settleWithin, type Visit } from './visit.ts';

/** Draws the stray as superseded by the message that is known; of a session's card only the words are left. */
export async function retireStray(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  stray: ChatPost,
): Promise<Outcome> {
  const { db, rule, random, warn } = context;
  try {
    const said = { ...row, run_id: null, superseded: true };
    const { content } = await drawMessage(context, visit, said);
    const change = (givenUp: AbortSignal) => visit.port.update(stray, content, givenUp);
    await settleWithin(rule.callWithinMs, change);
  } catch (error) {
    const tried = { attempt: visit.tries + 1, failures: rule.tries, ageMs: row.failing_ms };
    const decided = decideNextTry(error, tried, rule, random);
    if (decided.next === 'retry') {
      await noteFailure(db.query, row, false);
      await postpone(context, visit, decided.inMs);
      return 'left';
    }
    warn(`A message that stands twice keeps its buttons: ${errorMessage(error)}`);
  }
  await dropStray(db.query, row);
  return 'done';
}
