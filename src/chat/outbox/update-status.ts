// The status of a place: what a planner is doing there, until its answer comes. It is shown and taken away under the place's lease,
// as messages are posted, so that no status comes after the answer. What fails is logged and left.
import { noteStatus } from '#db/chat/places.ts';
import { readActivity } from '#db/planning/runs.ts';
import type { ShownStatus, StatusPort } from '#domain/chat/chat.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { settleWithin, type Visit } from './visit.ts';

/** Milliseconds for one call: an answer may wait behind it. */
const callWithinMs = 1500;

type Wanted = Pick<ShownStatus, 'turn' | 'asked' | 'activity'>;

/** What is being planned in the conversation; null: nothing. */
async function findWanted({ db }: DeliveryContext, conversation: string): Promise<Wanted | null> {
  const found = await readActivity(db.query, conversation);
  if (found === null) return null;
  const { asked, planning } = found;
  const { run_id, turn, activity } = planning;
  return { turn: `${run_id}:${turn}`, asked, activity };
}

/** Whether it stands there, and has not faded. */
function stands(wanted: Wanted, shown: ShownStatus | null, { fadesAfterMs }: StatusPort): boolean {
  if (shown === null || shown.turn !== wanted.turn) return false;
  if (JSON.stringify(shown.activity) !== JSON.stringify(wanted.activity)) return false;
  return Date.now() - Date.parse(shown.at) < fadesAfterMs;
}

/** Brings the status of a held place up to date. @returns what stands there now, as far as is known. Does not throw */
export async function updateStatus(
  context: DeliveryContext,
  { conversation, place, status: shown, port }: Visit,
): Promise<ShownStatus | null> {
  const { status: statuses } = port;
  if (statuses === undefined) return shown;
  const fail = (error: unknown) =>
    context.warn(`A status in ${place.platform} ${place.channel} was not shown.`, error);
  const wanted = await findWanted(context, conversation).catch(fail);
  if (wanted === undefined) return shown;
  if (wanted === null) {
    if (shown === null) return null;
    // It is not tried again: what stays fades by itself.
    await settleWithin(callWithinMs, (givenUp) => statuses.clear(place, shown, givenUp)).catch(
      fail,
    );
    return null;
  }
  if (stands(wanted, shown, statuses)) return shown;
  const at = new Date().toISOString();
  try {
    const own = await settleWithin(callWithinMs, (givenUp) =>
      statuses.show(place, wanted, shown, givenUp),
    );
    return { ...wanted, at, ...(own === undefined ? {} : { own }) };
  } catch (error) {
    // Said once a turn. It may have got through, so that it is taken away in the end.
    if (shown?.turn !== wanted.turn) fail(error);
    return { ...shown, ...wanted, at };
  }
}

/** The same at the end of a delivery, whose holder goes on. */
export async function keepStatus(context: DeliveryContext, visit: Visit): Promise<void> {
  const status = await updateStatus(context, visit);
  if (status === visit.status) return;
  visit.status = status;
  await noteStatus(context.db.query, visit.lease, status);
}

/**
 * The shown status that the message with `key`, an answer, replaces. It is stored before the message is posted, so that every try
 * replaces the same status.
 */
export async function handOverStatus(
  context: DeliveryContext,
  visit: Visit,
  key: string,
): Promise<ShownStatus | null> {
  const { status: shown, port, lease } = visit;
  const own = shown === null ? null : (port.status?.handOver?.(shown, key) ?? null);
  if (shown === null || own === null) return null;
  const wanted = await findWanted(context, visit.conversation);
  // While that turn goes on, the message is about something else.
  if (wanted?.turn === shown.turn) return null;
  visit.status = { ...shown, own };
  await noteStatus(context.db.query, lease, visit.status);
  return visit.status;
}
