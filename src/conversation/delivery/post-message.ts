// Posting one message, once: its key is stored before the platform is asked, so whoever asks again asks for the same post.
// A platform that finds no message by its key, or a call that gets through after the look for it, may post it twice all the
// same: the one that is noted last is the message, and the card of any other says that it is further down.
import type { Posted } from '#contracts/chat.ts';
import { renewPlace } from '#store/chat-places.ts';
import { noteStray, type PostRow, type Shown, settlePosted } from '#store/chat-posts.ts';
import { passCrashPoint } from './crash-points.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { drawMessage } from './draw-message.ts';
import { type Outcome, settleFailure, settleWithin, type Visit } from './visit.ts';

/** Notes what was posted: as the message, where it is whole, or as a second one of it. */
async function settle(
  { db, enqueue }: DeliveryContext,
  conversation: string,
  row: PostRow,
  { unfinished, ...shown }: Shown & { unfinished: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!unfinished && (await settlePosted(tx, conversation, row, shown))) return;
    if (!(await noteStray(tx, conversation, row, shown.post))) return;
    await enqueue(tx, 'deliver', { conversation }, { key: conversation });
  });
}

/** Posts what `row`, which is stored, says. @param tried whether somebody may have tried before */
export async function postMessage(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  tried: boolean,
): Promise<Outcome> {
  const { db, rule, warn } = context;
  const { conversation, place, port, lease } = visit;
  let shown: Shown & { unfinished: boolean };
  try {
    const { content, ...drawn } = await drawMessage(context, visit, row);
    if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
    passCrashPoint('begun');
    const began = performance.now();
    const note = ({ sent_at, unfinished, ...post }: Posted) => ({
      ...drawn,
      post,
      unfinished: unfinished === true,
      sent_at: sent_at ?? null,
      took_ms: performance.now() - began,
    });
    const late = (post?: Posted) => {
      if (post === undefined) return;
      void settle(context, conversation, row, note(post)).catch((error: unknown) =>
        warn('A message that was posted late could not be noted.', error),
      );
    };
    const since = tried ? new Date(row.said_at) : null;
    const post = await settleWithin(
      rule.callWithinMs,
      (givenUp) => port.post(place, content, row.key, since, givenUp),
      late,
    );
    shown = note(post);
  } catch (error) {
    return settleFailure(context, visit, row, error);
  }
  passCrashPoint('sent');
  await settle(context, conversation, row, shown);
  passCrashPoint('settled');
  return 'done';
}
