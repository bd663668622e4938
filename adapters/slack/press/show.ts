// Shows first statuses and windows within Slack's three seconds. Decides nothing.
import { setTimeout as pause } from 'node:timers/promises';
import type { types } from '@slack/bolt';
import { pressWords, windowWords } from '#cards/chat-words.ts';
import { keepPages } from '#cards/details-view.ts';
import { buildActions } from '#cards/slack-build.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import { nameMessage, placeOf, placeOfPress } from '../signals/name-signal.ts';
import type { MessageSignal, PressSignal, SentSignal, Signal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import { editStep, fillEdit, openBuild, pressBuild, submitBuild } from './build.ts';
import { isBuild } from './build-windows.ts';
import { fillWindow } from './fill-window.ts';
import { opensWindow, readButton } from './handle-press.ts';
import { type Held, readHeld } from './held.ts';
import { openPlanThis } from './plan-this.ts';
import { putView } from './put-view.ts';
import { openRecurring, recurringPrefix } from './recurring.ts';
import { tellAlone } from './send.ts';
import { isApproval, noticeWindow } from './windows.ts';

/** Windows filled at once, so that nobody blocks the database. */
const filledAtOnce = 4;

type Showing = SlackContext & { inTurn: InTurn };

/** Such as for an expired trigger. */
function describeNoWindow({ action }: AnyPress): string {
  if (action === 'propose_changes' || action === 'session_changes')
    return pressWords.notInTimeFor({ reply: 'propose changes: …' });
  return action === 'reject' ? pressWords.notInTimeFor({ reply: 'reject' }) : pressWords.notInTime;
}

/** @param refused an approval from it */
async function fill(context: SlackContext, held: Held, refused = false): Promise<types.ModalView> {
  const { service, plansFor, people, warn } = context;
  const { team, user, place, press } = held;
  try {
    if (place !== null) {
      const conversation = conversationAt({ platform: 'slack', tenant: team, ...place });
      if (!(await service.isAbout(conversation, press))) return noticeWindow(windowWords.elsewhere);
    }
    if (press.action === 'retry_edited') return await fillEdit(context, held, press);
    const { id, timezone } = await people.find(team, user);
    // Lists have no conversation to compare.
    const plans = place === null ? plansFor(team, id) : service;
    const viewer = { user: id, timezone };
    return await fillWindow({ ...plans, runCard: service.runCard }, held, viewer, refused);
  } catch (error) {
    if (error instanceof CountersignError)
      return noticeWindow({ title: windowWords.refused, text: error.message });
    warn('Could not fill a Slack window.', error);
    return noticeWindow(windowWords.failed);
  }
}

async function open(context: Showing, signal: PressSignal, press: AnyPress): Promise<void> {
  const { team, pressed } = signal;
  const place = pressed.container.is_ephemeral ? null : placeOfPress(signal);
  // Lists decide nothing.
  if (place === null && press.action !== 'details') return;
  const client = await context.clientOf(team);
  let id: string | undefined;
  try {
    const { view } = await client.views.open({
      trigger_id: pressed.trigger_id,
      view: noticeWindow(windowWords.loading),
    });
    id = view?.id;
  } catch (cause) {
    const error = explainSlackError(cause, 'open a window');
    context.warn('Slack did not open a window.', error);
    const listener = { team, user: pressed.user.id, place, answerAt: pressed.response_url };
    await tellAlone(context, listener, describeNoWindow(press));
    return;
  }
  if (id === undefined) return;
  const held: Held = {
    team,
    user: pressed.user.id,
    place: place === null ? null : { channel: place.channel, thread: place.thread },
    press,
    missing: null,
    fields: [],
    pages: [''],
  };
  await putView(context, team, { id }, await context.inTurn(() => fill(context, held)));
}

async function turn(context: Showing, { team, pressed }: PressSignal): Promise<void> {
  const { view, actions, user } = pressed;
  const [action] = actions;
  const held = readHeld(view?.private_metadata ?? '');
  if (view === undefined || action === undefined || held === null) return;
  if (typeof action.value !== 'string') return;
  if (held.user !== user.id || held.team !== team) return;
  const pages = action.action_id.endsWith(':back')
    ? held.pages.slice(0, Math.max(1, held.pages.length - 1))
    : keepPages([...held.pages, action.value]);
  await putView(context, team, view, await context.inTurn(() => fill(context, { ...held, pages })));
}

/** Never throws. */
export function createFirstStatus({ port, warn }: SlackContext) {
  return async ({ team, message }: MessageSignal, sent: () => void): Promise<void> => {
    const { channel, ts, thread_ts } = message;
    const place = placeOf(team, channel, thread_ts ?? ts);
    await port.status
      ?.showFirst(place, nameMessage(team, channel, ts), sent)
      .catch((error: unknown) => warn('Could not show the first status in Slack.', error));
  };
}

/** Never throws: a stored press can be repeated. */
export function createShow(given: SlackContext): (signal: Signal) => Promise<void> {
  const context: Showing = { ...given, inTurn: createTurns(filledAtOnce) };
  return async (signal) => {
    if (signal.kind === 'shortcut') {
      await openPlanThis(context, signal).catch((error: unknown) =>
        context.warn('Slack did not open a window.', error),
      );
      return;
    }
    if (signal.kind !== 'press' && signal.kind !== 'start') return;
    try {
      if (signal.kind === 'start') return await openBuild(context, signal);
      const { view, actions } = signal.pressed;
      const [action] = actions;
      if (view !== undefined && isBuild(view)) return await pressBuild(context, signal);
      if (view !== undefined && action?.action_id.startsWith('countersign:page:') === true)
        return await turn(context, signal);
      if (action?.action_id.startsWith(buildActions.edit) === true)
        return await editStep(context, signal);
      if (action?.action_id.startsWith(recurringPrefix) === true)
        return await openRecurring(context, signal);
      const press = readButton(action?.value);
      if (press !== null && opensWindow(press)) await open(context, signal, press);
    } catch (error) {
      context.warn('Could not show a Slack window.', error);
    }
  };
}

// The window shows a plan that changed; nothing is decided.

/** Slack's three seconds include storing. */
const answersWithinMs = 1500;

async function look(context: SlackContext, signal: SentSignal): Promise<Acknowledgement> {
  const { view, user } = signal.sent;
  const held = readHeld(view.private_metadata);
  if (!isApproval(view) || held === null || held.team !== signal.team || held.user !== user.id)
    return null;
  const { press } = held;
  if (!('plan_id' in press)) return null;
  const { version, digest } = await context.service.getPlan(press.plan_id);
  if (version === press.version && digest === press.digest) return null;
  return { response_action: 'update', view: await fill(context, held, true) };
}

/** Null to decide. Never throws; a slow check is repeated on deciding. */
export function createRecheck(
  context: SlackContext,
  withinMs = answersWithinMs,
): (signal: Signal) => Promise<Acknowledgement> {
  return async (signal) => {
    if (signal.kind !== 'sent') return null;
    if (isBuild(signal.sent.view)) return submitBuild(context, signal);
    try {
      return await Promise.race([look(context, signal), pause(withinMs, null, { ref: false })]);
    } catch (error) {
      context.warn('Could not compare a Slack window with its plan.', error);
      return null;
    }
  };
}

// Limits concurrency, in order.

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): InTurn {
  let under = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    // Hands the turn over, so nothing else takes it.
    if (under >= atOnce) await new Promise<void>((go) => waiting.push(go));
    else under += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) under -= 1;
      else next();
    }
  };
}
