// Delivers a conversation's messages and cards under one lease.
import {
  enterPlace,
  type HeldPlace,
  leavePlace,
  type PlaceLease,
  postponePlace,
  renewPlace,
} from '#db/chat/places.ts';
import {
  beginPost,
  dropStray,
  noteFailure,
  noteStray,
  type PostRow,
  postponeCard,
  readEndedSession,
  readNextUnposted,
  readPause,
  readRepost,
  readStaleCard,
  readStray,
  type ShownPost,
  settlePosted,
} from '#db/chat/posts.ts';
import { readRunCause } from '#db/planning/runs.ts';
import { readPlanCause } from '#db/plans/plans.ts';
import { isTransient } from '#db/transient.ts';
import type { ChatPost, Posted, Reached } from '#domain/chat/chat.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { errorMessage } from '#domain/errors.ts';
import { isTraced, measure, span } from '#domain/telemetry.ts';
import { decideNextTry } from '../inbox/retry.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { drawMessage } from './draw-message.ts';
import { tellAsked } from './tell-asked.ts';
import { handOverStatus, keepStatus, updateCard } from './update-card.ts';
import { type Outcome, postpone, settleFailure, settleWithin, type Visit } from './visit.ts';

/** Before others have a turn. */
const callsATurn = 50;

type Work = { row: PostRow; run(): Promise<Outcome> };

async function findNext(context: DeliveryContext, visit: Visit): Promise<Work | null> {
  const { db, rule, random } = context;
  const { conversation } = visit;
  const post = (row: PostRow, how: { tried: boolean; again: boolean }): Work => ({
    row,
    run: () => traceCard(context, visit, row, 'post', () => postMessage(context, visit, row, how)),
  });
  const repost = await readRepost(db.query, conversation);
  if (repost !== null) return post(repost, { tried: true, again: true });
  const message = await readNextUnposted(db.query, conversation);
  if (message !== null) {
    const { row, tried } = await beginPost(db.query, conversation, message, random.hex(16));
    return post(row, { tried, again: false });
  }
  const twice = await readStray(db.query, conversation);
  if (twice !== null) {
    const { row, stray } = twice;
    return { row, run: () => retireStray(context, visit, row, stray) };
  }
  const card =
    (await readEndedSession(db.query, conversation)) ??
    (await readStaleCard(db.query, conversation, rule.paceMs));
  const { post: shown } = card ?? {};
  if (card === null || shown == null) return null;
  const update = () => updateCard(context, visit, { ...card, post: shown });
  return {
    row: card,
    run: async () =>
      (await waitsItsTurn(context, visit, card, shown))
        ? 'done'
        : traceCard(context, visit, card, 'update', update),
  };
}

/** A dead holder counts as a failure. */
async function doNext(context: DeliveryContext, visit: Visit): Promise<Outcome | null> {
  const next = await findNext(context, visit);
  if (next === null) return null;
  if (!visit.died) return next.run();
  visit.died = false;
  const { row } = next;
  if (row.failures + 1 >= context.rule.tries)
    return settleFailure(
      context,
      visit,
      row,
      new Error('The process ended each time it handled this message.'),
    );
  await noteFailure(context.db.query, row, true);
  return next.run();
}

/** Only progress waits. */
async function waitsItsTurn(
  { db }: DeliveryContext,
  { port }: Visit,
  card: PostRow,
  shown: ChatPost,
): Promise<boolean> {
  if (!card.progress || card.queued || card.redraw) return false;
  const turnInMs = (await port.queueProgress?.(shown)) ?? 0;
  if (turnInMs > 0) await postponeCard(db.query, card, turnInMs);
  return turnInMs > 0;
}

/** @returns whether there is more to do now */
async function leave(
  { db, enqueue, rule }: DeliveryContext,
  { conversation, asked, lease }: Visit,
): Promise<boolean> {
  const dueInMs = await readPause(db.query, conversation, rule.paceMs);
  return db.transaction(async (tx) => {
    const { more, due } = await leavePlace(tx, lease, { asked, dueInMs });
    if (due !== null) {
      const startAfter = new Date(due.getTime() + 1);
      // A later job must not hide one due soon.
      const key = `${conversation}@${dueInMs !== null && dueInMs > 2 * rule.paceMs ? 'turn' : 'pace'}`;
      await enqueue(tx, 'deliver', { conversation }, { key, startAfter });
    }
    return more;
  });
}

/** @returns whether more was requested meanwhile */
async function stay(
  context: DeliveryContext,
  held: HeldPlace,
  lease: PlaceLease,
  stopping: AbortSignal,
): Promise<boolean> {
  const port = context.ports[held.place.platform];
  if (port === undefined) {
    // Left to the process that serves it.
    await postponePlace(context.db.query, lease, 0);
    return false;
  }
  const visit: Visit = { ...held, port, lease };
  for (let calls = 0; calls < callsATurn && !stopping.aborted; calls++) {
    const outcome = await doNext(context, visit);
    if (outcome === 'left') return false;
    if (outcome === null) {
      await keepStatus(context, visit);
      return leave(context, visit);
    }
    visit.tries = 0;
  }
  await postpone(context, visit, 0);
  return false;
}

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

/** As superseded. */
async function retireStray(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  stray: ChatPost,
): Promise<Outcome> {
  const { db, rule, random, warn } = context;
  try {
    const replaced = { ...row, run_id: null, superseded: true };
    const { content } = await drawMessage(context, visit, replaced);
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
    warn(`A duplicate message keeps its buttons: ${errorMessage(error)}`);
  }
  await dropStray(db.query, row);
  return 'done';
}

// The key is stored first, so a retry finds the post. Duplicates stay possible; they point to the last recorded.

type Noted = ShownPost & { unfinished: boolean; reached: Reached[]; link: string | null };

/** Incomplete posts count as duplicates. */
async function settle(
  context: DeliveryContext,
  { conversation, timezone }: Pick<Visit, 'conversation' | 'timezone'>,
  row: PostRow,
  { unfinished, reached, link, ...shown }: Noted,
): Promise<void> {
  const { db, enqueue, warn } = context;
  const notified = tellAsked(context, { conversation, alone: timezone !== null }, row, {
    reached,
    link,
  });
  await notified.catch((error: unknown) => {
    if (isTransient(error)) throw error;
    warn('Could not send a direct message to the people a card asks.', error);
  });
  passCrashPoint('delivery_told');
  await db.transaction(async (tx) => {
    if (!unfinished && (await settlePosted(tx, conversation, row, shown))) return;
    if (!(await noteStray(tx, conversation, row, shown.post))) return;
    await enqueue(tx, 'deliver', { conversation }, { key: conversation });
  });
}

/** @param how.tried an earlier attempt is possible @param how.again reposted after deletion */
async function postMessage(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
  { tried, again }: { tried: boolean; again: boolean },
): Promise<Outcome> {
  const { db, rule, warn } = context;
  const { place, port, lease } = visit;
  let shown: Noted;
  try {
    const { content: whole, ...drawn } = await drawMessage(context, visit, row);
    const { mention, ...rest } = whole;
    const content = again || mention === undefined ? rest : whole;
    if (!(await renewPlace(db.query, lease, rule.leaseSeconds))) return 'left';
    const status = await handOverStatus(context, visit, row.key);
    passCrashPoint('delivery_begun');
    const began = performance.now();
    const isCard = row.plan_id !== null || row.run_id !== null;
    const older = { digest: null, rests: false, follows: true };
    const note = ({
      sent_at,
      unfinished,
      found,
      reached = [],
      link = null,
      ...post
    }: Posted): Noted => ({
      ...drawn,
      // It shows the state of its time.
      ...(found === true && isCard ? older : {}),
      post,
      reached,
      link,
      unfinished: unfinished === true,
      sent_at: sent_at ?? null,
      took_ms: performance.now() - began,
    });
    const late = (post?: Posted) => {
      if (post === undefined) return;
      void settle(context, visit, row, note(post)).catch((error: unknown) =>
        warn('Could not record a message that was posted late.', error),
      );
    };
    const since = tried ? new Date(row.said_at) : null;
    const post = await settleWithin(
      rule.callWithinMs,
      (givenUp) => port.post(place, content, row.key, since, givenUp, status),
      late,
    );
    shown = note(post);
  } catch (error) {
    return settleFailure(context, visit, row, error);
  }
  passCrashPoint('delivery_sent');
  if (!again) {
    const age = (Date.now() - Date.parse(row.said_at)) / 1000;
    measure('card_age', age, { 'countersign.platform': place.platform });
  }
  await settle(context, visit, row, shown);
  passCrashPoint('delivery_settled');
  return 'done';
}

async function readCause({ db }: DeliveryContext, { plan_id, run_id }: PostRow) {
  if (plan_id !== null) return readPlanCause(db.query, plan_id);
  return run_id === null ? null : readRunCause(db.query, run_id);
}

/** Under the planning turn, or the plan's last change. */
async function traceCard(
  context: DeliveryContext,
  { place: { platform } }: Visit,
  row: PostRow,
  what: 'post' | 'update',
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const attributes = {
    'countersign.platform': platform,
    'countersign.card': what,
    'countersign.message.id': row.message_id,
    'countersign.plan.id': row.plan_id ?? undefined,
    'countersign.run.id': row.run_id ?? undefined,
  };
  const parent = isTraced() ? await readCause(context, row) : null;
  const log = {
    message_id: row.message_id,
    ...(row.plan_id === null ? {} : { plan_id: row.plan_id }),
  };
  const around = { kind: 'client', parent, attributes, log } as const;
  return span('card', `${what} card ${platform}`, around, async (card) => {
    const outcome = await send();
    card.set({ 'countersign.outcome': outcome });
    return outcome;
  });
}
