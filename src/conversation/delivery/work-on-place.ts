// Working off a conversation: what the bot said and nobody has posted, in order, and the cards whose plans have changed
// or whose sessions have gone on.
//
// Who else can be at it: any number of processes with a job for the same conversation. One of them gets the place; the
// others go. What is asked for meanwhile counts `asked` up, and whoever lets the place go sees that in the same statement.
// What if it dies: the place runs free, and the round (`look-after.ts`) sends another job. A message that was about to be
// posted has a row with its key; the next one asks the platform with that key, which finds what got through.
import {
  enterPlace,
  type HeldPlace,
  leavePlace,
  type PlaceLease,
  postponePlace,
} from '#store/chat-places.ts';
import {
  beginPost,
  readEndedSession,
  readNextUnsaid,
  readPause,
  readRepost,
  readStaleCard,
  readStray,
} from '#store/chat-posts.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { postMessage } from './post-message.ts';
import { retireStray } from './retire-stray.ts';
import { updateCard } from './update-card.ts';
import { type Outcome, postpone, type Visit } from './visit.ts';

/** Calls at one place before others have a turn. */
const callsATurn = 50;

/** Does the next thing there is to do; null: there is none now. */
async function doNext(context: DeliveryContext, visit: Visit): Promise<Outcome | null> {
  const { db, rule, random } = context;
  const { conversation } = visit;
  const repost = await readRepost(db.query, conversation);
  if (repost !== null) return postMessage(context, visit, repost, true);
  const message = await readNextUnsaid(db.query, conversation);
  if (message !== null) {
    const { row, tried } = await beginPost(db.query, conversation, message, random.hex(16));
    return postMessage(context, visit, row, tried);
  }
  const twice = await readStray(db.query, conversation);
  if (twice !== null) return retireStray(context, visit, twice.row, twice.stray);
  const card =
    (await readEndedSession(db.query, conversation)) ??
    (await readStaleCard(db.query, conversation, rule.paceMs));
  const { post } = card ?? {};
  if (card === null || post == null) return null;
  return updateCard(context, visit, { ...card, post });
}

/** @returns whether the place was let go of with more to do right now */
async function leave(
  { db, enqueue, rule }: DeliveryContext,
  { conversation, asked, lease }: Visit,
): Promise<boolean> {
  const dueInMs = await readPause(db.query, conversation, rule.paceMs);
  return db.transaction(async (tx) => {
    const { more, due } = await leavePlace(tx, lease, { asked, dueInMs });
    if (due !== null) {
      const startAfter = new Date(due.getTime() + 1);
      await enqueue(tx, 'deliver', { conversation }, { key: `${conversation}@pace`, startAfter });
    }
    return more;
  });
}

/** @returns whether more was asked for meanwhile */
async function stay(
  context: DeliveryContext,
  held: HeldPlace,
  lease: PlaceLease,
  stopping: AbortSignal,
): Promise<boolean> {
  const port = context.ports[held.place.platform];
  if (port === undefined) {
    // Another process serves it; its round finds what waits here.
    await postponePlace(context.db.query, lease, 0);
    return false;
  }
  const visit: Visit = { ...held, port, lease };
  for (let calls = 0; calls < callsATurn && !stopping.aborted; calls++) {
    const outcome = await doNext(context, visit);
    if (outcome === 'left') return false;
    if (outcome === null) return leave(context, visit);
    visit.tries = 0;
  }
  await postpone(context, visit, 0);
  return false;
}

/** Works until nothing is to be done at the conversation's place now, or somebody else is at it. */
export async function workOnPlace(
  context: DeliveryContext,
  conversation: string,
  stopping: AbortSignal,
): Promise<void> {
  const { db, random, rule } = context;
  const lease = { conversation, holder: random.hex(16) };
  for (let more = true; more; ) {
    const held = await enterPlace(db.query, lease, rule.leaseSeconds);
    more = held !== null && (await stay(context, held, lease, stopping));
  }
}
