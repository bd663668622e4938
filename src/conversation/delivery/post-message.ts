// Posting one message, once: its key is stored before the platform is asked, so whoever asks again asks for the same post.
import { renewPlace } from '#store/chat-places.ts';
import { type PostRow, type Shown, settlePosted } from '#store/chat-posts.ts';
import { passCrashPoint } from './crash-points.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { drawMessage } from './draw-message.ts';
import { type Outcome, settleFailure, settleWithin, type Visit } from './visit.ts';

/** Posts what `row`, which is stored, says. @param tried whether somebody may have tried before */
export async function postMessage(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  tried: boolean,
): Promise<Outcome> {
  const { db, rule } = context;
  const { conversation, place, port, lease } = visit;
  let shown: Shown;
  try {
    const { content, digest, rests } = await drawMessage(context, visit, row);
    if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
    passCrashPoint('begun');
    const since = tried ? new Date(row.said_at) : null;
    const post = await settleWithin(
      rule.callWithinMs,
      port.post(place, content, row.key, since),
    );
    shown = { post, digest, rests };
  } catch (error) {
    return settleFailure(context, visit, row, error);
  }
  passCrashPoint('sent');
  await db.transaction((tx) => settlePosted(tx, conversation, row, shown));
  passCrashPoint('settled');
  return 'done';
}
