// Updates a card or status; abandoned calls may land late.
import { noteStatus, renewPlace } from '#db/chat/places.ts';
import {
  askForCard,
  beginUpdate,
  loseCard,
  type PostRow,
  postponeCard,
  settleCard,
} from '#db/chat/posts.ts';
import { readActivity, readRestingState } from '#db/planning/runs.ts';
import type { ChatPost, ShownStatus, StatusPort } from '#domain/chat/chat.ts';
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
      warn('Could not request a card again.', error),
    );
  try {
    const change = (givenUp: AbortSignal) =>
      port.update(row.post, content, givenUp, row.progress && !rests);
    await settleWithin(rule.callWithinMs, change, () => void again());
  } catch (error) {
    const limitedMs = limitedFor(error);
    if (limitedMs !== null) {
      // Posts have a separate limit.
      await postponeCard(db.query, row, limitedMs);
      return 'done';
    }
    if (!isGone(error)) return settleFailure(context, visit, row, error);
    if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
    // Deleted; reposted only if people are asked.
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

/** An answer may wait behind the call. */
const callWithinMs = 1500;

type Wanted = Pick<ShownStatus, 'turn' | 'asked' | 'activity'> & { title: string };

async function findWanted({ db }: DeliveryContext, conversation: string): Promise<Wanted | null> {
  const found = await readActivity(db.query, conversation);
  if (found === null) return null;
  const { asked, planning, request: title } = found;
  const { run_id, turn, activity } = planning;
  return { turn: `${run_id}:${turn}`, asked, activity, title };
}

function isCurrent(
  wanted: Wanted,
  shown: ShownStatus | null,
  { fadesAfterMs }: StatusPort,
): boolean {
  if (shown === null || shown.turn !== wanted.turn) return false;
  if (JSON.stringify(shown.activity) !== JSON.stringify(wanted.activity)) return false;
  return Date.now() - Date.parse(shown.at) < fadesAfterMs;
}

/** Never throws. @returns what is shown, as far as known */
export async function updateStatus(
  context: DeliveryContext,
  { conversation, place, status: shown, port }: Visit,
): Promise<ShownStatus | null> {
  const { status: statuses } = port;
  if (statuses === undefined) return shown;
  const fail = (error: unknown) =>
    context.warn(`Could not show a status in ${place.platform} ${place.channel}.`, error);
  const wanted = await findWanted(context, conversation).catch(fail);
  if (wanted === undefined) return shown;
  if (wanted === null) {
    // Not retried: it fades.
    if (shown !== null)
      await settleWithin(callWithinMs, (givenUp) => statuses.clear(place, shown, givenUp)).catch(
        fail,
      );
    const readState = () => readRestingState(context.db.query, conversation);
    await settleWithin(callWithinMs, async (givenUp) =>
      statuses.rest?.(place, shown, readState, givenUp),
    ).catch(fail);
    return null;
  }
  if (isCurrent(wanted, shown, statuses)) return shown;
  const at = new Date().toISOString();
  const { title: _, ...kept } = wanted;
  try {
    const own = await settleWithin(callWithinMs, (givenUp) =>
      statuses.show(place, wanted, shown, givenUp),
    );
    return { ...kept, at, ...(own === undefined ? {} : { own }) };
  } catch (error) {
    // Logged once per turn.
    if (shown?.turn !== wanted.turn) fail(error);
    return { ...shown, ...kept, at };
  }
}

export async function keepStatus(context: DeliveryContext, visit: Visit): Promise<void> {
  const status = await updateStatus(context, visit);
  if (status === visit.status) return;
  visit.status = status;
  await noteStatus(context.db.query, visit.lease, status);
}

/** Stored before posting, so that every attempt replaces the same status. */
export async function handOverStatus(
  context: DeliveryContext,
  visit: Visit,
  key: string,
): Promise<ShownStatus | null> {
  const { status: shown, port, lease } = visit;
  const own = shown === null ? null : (port.status?.handOver?.(shown, key) ?? null);
  if (shown === null || own === null) return null;
  const wanted = await findWanted(context, visit.conversation);
  // The message is about something else.
  if (wanted?.turn === shown.turn) return null;
  visit.status = { ...shown, own };
  await noteStatus(context.db.query, lease, visit.status);
  return visit.status;
}
