// What has to happen within the three seconds of a trigger: a window opens at once and says that it is loading; what stands in
// it follows. Nothing is decided here, so what is lost here is pressed again.
import { setTimeout as pause } from 'node:timers/promises';
import type { types } from '@slack/bolt';
import { pressWords, windowWords } from '#cards/chat-words.ts';
import { keepPages } from '#cards/details-view.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import { placeOfPress } from '../signals/name-signal.ts';
import type { PressSignal, Signal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import { fillWindow } from './fill-window.ts';
import { opensWindow, readButton } from './handle-press.ts';
import { type Held, readHeld } from './held.ts';
import { openPlanThis } from './plan-this.ts';
import { tellAlone } from './tell.ts';
import { isApproval, noticeWindow } from './windows.ts';

/** Windows that are filled at once: a person who opens many keeps nobody else from the database. The others say that they load. */
const filledAtOnce = 4;

type Showing = SlackContext & { inTurn: InTurn };

/** What to do where Slack opened no window, as when it was asked too late. */
function describeNoWindow({ action }: AnyPress): string {
  if (action === 'propose_changes' || action === 'session_changes')
    return pressWords.notInTimeFor({ reply: 'propose changes: …' });
  return action === 'reject' ? pressWords.notInTimeFor({ reply: 'reject' }) : pressWords.notInTime;
}

/**
 * The window, or in the same place why there is none.
 * @param refused an approval was sent from it that is not carried out
 */
async function fill(context: SlackContext, held: Held, refused = false): Promise<types.ModalView> {
  const { service, plansFor, people, warn } = context;
  const { team, user, place, press } = held;
  try {
    if (place !== null) {
      const conversation = conversationAt({ platform: 'slack', tenant: team, ...place });
      if (!(await service.isAbout(conversation, press))) return noticeWindow(windowWords.elsewhere);
    }
    const { id, timezone } = await people.find(team, user);
    // What a list shows belongs to no conversation that could be compared.
    const plans = place === null ? plansFor(team, id) : service;
    const viewer = { user: id, timezone };
    return await fillWindow({ ...plans, runCard: service.runCard }, held, viewer, refused);
  } catch (error) {
    if (error instanceof CountersignError)
      return noticeWindow({ title: windowWords.refused, text: error.message });
    warn('A window of Slack could not be filled.', error);
    return noticeWindow(windowWords.failed);
  }
}

/** Slack's words for a window that is not there any more, or was changed meanwhile: the person has moved on. */
const goneOn = new Set(['not_found', 'view_not_found', 'hash_conflict']);

/** Puts `view` into an open window; where Slack does not take it, at least that it did not work. */
async function put(
  { clientOf, warn }: SlackContext,
  team: string,
  { id, hash }: { id: string; hash?: string },
  view: types.ModalView,
): Promise<void> {
  const client = await clientOf(team);
  const known = hash === undefined ? {} : { hash };
  try {
    await client.views.update({ view_id: id, ...known, view });
  } catch (cause) {
    const error = explainSlackError(cause, 'fill a window');
    if (goneOn.has(String(error.details.slack))) return;
    warn('A window of Slack could not be filled.', error);
    // It would say that it is loading for ever.
    const sorry = noticeWindow(windowWords.failed);
    await client.views.update({ view_id: id, view: sorry });
  }
}

async function open(context: Showing, signal: PressSignal, press: AnyPress): Promise<void> {
  const { team, pressed } = signal;
  const place = pressed.container.is_ephemeral ? null : placeOfPress(signal);
  // A list of ours shows plans; it decides nothing.
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
  await put(context, team, { id }, await context.inTurn(() => fill(context, held)));
}

/** Another page of the window that is open. */
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
  await put(context, team, view, await context.inTurn(() => fill(context, { ...held, pages })));
}

/** Does not throw: the press is stored, and its window can be asked for again. */
export function createShow(given: SlackContext): (signal: Signal) => Promise<void> {
  const context: Showing = { ...given, inTurn: createTurns(filledAtOnce) };
  return async (signal) => {
    if (signal.kind === 'shortcut') {
      await openPlanThis(context, signal).catch((error: unknown) =>
        context.warn('Slack did not open a window.', error),
      );
      return;
    }
    if (signal.kind !== 'press') return;
    const { view, actions } = signal.pressed;
    const [action] = actions;
    try {
      if (view !== undefined && action?.action_id.startsWith('countersign:page:') === true)
        return await turn(context, signal);
      const press = readButton(action?.value);
      if (press !== null && opensWindow(press)) await open(context, signal, press);
    } catch (error) {
      context.warn('A window of Slack could not be shown.', error);
    }
  };
}

// An approval from a window whose plan has changed since: the window answers with the plan as it is now, and nothing is decided.

/** Slack waits three seconds for the answer to a form, which has to be stored within them as well. */
const answersWithinMs = 1500;

async function look(context: SlackContext, signal: Signal): Promise<Acknowledgement> {
  if (signal.kind !== 'sent') return null;
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

/**
 * What a form is answered with in place of being decided about; null: it is decided about. Does not throw: what cannot be said in
 * time is found out when it is decided about, which refuses the approval of another version.
 */
export function createRecheck(
  context: SlackContext,
  withinMs = answersWithinMs,
): (signal: Signal) => Promise<Acknowledgement> {
  return async (signal) => {
    try {
      return await Promise.race([look(context, signal), pause(withinMs, null, { ref: false })]);
    } catch (error) {
      context.warn('A window of Slack could not be compared with its plan.', error);
      return null;
    }
  };
}

// Work that waits for its turn: so much of it at once, the rest in the order it came.

/** Does the work when it is its turn. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): InTurn {
  let under = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    // The turn is handed over at the end, so that nobody comes in between.
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
