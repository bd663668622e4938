// What has to happen within the three seconds of a trigger: a window opens at once and says that it is loading; what stands in
// it follows. Nothing is decided here, so what is lost here is pressed again.
import { CountersignError } from '#contracts/errors.ts';
import { concerns } from '#conversation/press/concerns.ts';
import { conversationOf } from '../place.ts';
import type { SlackContext } from '../slack-context.ts';
import { placeOfPress } from '../transport/name-signal.ts';
import type { PressSignal, Signal } from '../transport/read-signal.ts';
import { fillWindow } from './fill-window.ts';
import { type Held, readHeld } from './held.ts';
import { opensWindow, readButton } from './read-button.ts';
import { noticeWindow } from './windows.ts';

const elsewhere = 'This card belongs to another conversation. Nothing was decided.';

/** The window, or in the same place why there is none. */
async function fill(context: SlackContext, held: Held) {
  const { service, people, warn } = context;
  const { team, user, place, press } = held;
  try {
    if (place !== null) {
      const conversation = conversationOf({ platform: 'slack', tenant: team, ...place });
      if (!(await concerns(service, conversation, press)))
        return noticeWindow('Not here', elsewhere);
    }
    const { id, timezone } = await people.find(team, user);
    return await fillWindow(service, held, { user: id, timezone });
  } catch (error) {
    if (error instanceof CountersignError) return noticeWindow('Not possible', error.message);
    warn('A window of Slack could not be filled.', error);
    return noticeWindow('Not now', 'That did not work. Close this window and press again.');
  }
}

async function open(context: SlackContext, signal: PressSignal): Promise<void> {
  const { team, pressed } = signal;
  const press = readButton(pressed.actions[0]?.value);
  if (press === null || !opensWindow(press)) return;
  const place = pressed.container.is_ephemeral ? null : placeOfPress(signal);
  // A list of ours shows plans; it decides nothing.
  if (place === null && press.action !== 'details') return;
  const client = await context.clientOf(team);
  const { view } = await client.views.open({
    trigger_id: pressed.trigger_id,
    view: noticeWindow('One moment', 'Loading …'),
  });
  if (view?.id === undefined) return;
  const held: Held = {
    team,
    user: pressed.user.id,
    place: place === null ? null : { channel: place.channel, thread: place.thread },
    press,
    missing: null,
    pages: [''],
  };
  await client.views.update({ view_id: view.id, view: await fill(context, held) });
}

/** Another page of the window that is open. */
async function turn(context: SlackContext, { team, pressed }: PressSignal): Promise<void> {
  const { view, actions, user } = pressed;
  const [action] = actions;
  const held = readHeld(view?.private_metadata ?? '');
  if (view === undefined || action === undefined || held === null) return;
  if (typeof action.value !== 'string') return;
  if (held.user !== user.id || held.team !== team) return;
  const pages = action.action_id.endsWith(':back')
    ? held.pages.slice(0, Math.max(1, held.pages.length - 1))
    : [...held.pages, action.value].slice(-20);
  const client = await context.clientOf(team);
  await client.views.update({
    view_id: view.id,
    hash: view.hash,
    view: await fill(context, { ...held, pages }),
  });
}

/** Does not throw: the press is stored, and its window can be asked for again. */
export function createShow(context: SlackContext): (signal: Signal) => Promise<void> {
  return async (signal) => {
    if (signal.kind !== 'press') return;
    try {
      const { view, actions } = signal.pressed;
      const turns = view !== undefined && actions[0]?.action_id.startsWith('countersign:page:');
      await (turns === true ? turn(context, signal) : open(context, signal));
    } catch (error) {
      context.warn('Slack did not open a window.', error);
    }
  };
}
