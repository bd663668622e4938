// Updates one card to the current state. A call that was given up can still arrive late, so a card's content counts as unknown
// from before each call until the answer is stored, and such a card is drawn again.
import { renewPlace } from '#db/chat/places.ts';
import {
  askForCard,
  beginUpdate,
  loseCard,
  type PostRow,
  postponeCard,
  settleCard,
} from '#db/chat/posts.ts';
import type { ChatPost } from '#domain/chat/chat.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { type Drawing, drawMessage } from './draw-message.ts';
import {
  isGone,
  limitedFor,
  type Outcome,
  settleFailure,
  settleWithin,
  type Visit,
} from './visit.ts';

async function drawAgain(
  { db, enqueue }: DeliveryContext,
  { conversation }: Visit,
  row: PostRow,
): Promise<void> {
  await db.transaction(async (tx) => {
    await askForCard(tx, conversation, row);
    await enqueue(tx, 'deliver', { conversation }, { key: conversation });
  });
}

export async function updateCard(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow & { post: ChatPost },
): Promise<Outcome> {
  const { db, rule, random, warn } = context;
  const { conversation, port, lease } = visit;
  let drawing: Drawing;
  try {
    drawing = await drawMessage(context, visit, row);
  } catch (error) {
    return settleFailure(context, visit, row, error);
  }
  const { content, digest, version, rests, needed } = drawing;
  if (digest === row.shown && !row.redraw) {
    await db.transaction((tx) =>
      settleCard(tx, conversation, row, { digest, version, rests, sent: false }),
    );
    return 'done';
  }
  if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
  await beginUpdate(db.query, row);
  passCrashPoint('delivery_changing');
  const again = () =>
    drawAgain(context, visit, row).catch((error: unknown) =>
      warn('A card could not be asked for again.', error),
    );
  try {
    const change = (givenUp: AbortSignal) =>
      port.update(row.post, content, givenUp, row.progress && !rests);
    await settleWithin(rule.callWithinMs, change, () => void again());
  } catch (error) {
    const limitedMs = limitedFor(error);
    if (limitedMs !== null) {
      // Nothing was sent. Only this card waits: posts have a limit of their own.
      await postponeCard(db.query, row, limitedMs);
      return 'done';
    }
    if (!isGone(error)) return settleFailure(context, visit, row, error);
    if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
    // Somebody deleted it. Whom the plan waits for needs it all the same; anybody else has said that they do not.
    await loseCard(db.query, row, needed ? random.hex(16) : null);
    return 'done';
  }
  passCrashPoint('delivery_changed');
  if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) {
    await again();
    return 'left';
  }
  const redrawInMs = row.shown === null ? rule.redrawAfterMs : row.redraw ? null : undefined;
  const settled = { digest, version, rests, sent: true, redrawInMs };
  await db.transaction((tx) => settleCard(tx, conversation, row, settled));
  return 'done';
}
