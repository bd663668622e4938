// What a stored press or a form that was sent does: once, in the conversation of its card, as whoever pressed; and why not, said to
// them alone.
import { entryWords, pressWords } from '#cards/chat-words.ts';
import { viewPlan } from '#cards/view-model.ts';
import { conversationAt } from '#chat/outbox/open-conversation.ts';
import { belongsToConversation } from '#chat/presses/belongs-to-conversation.ts';
import { carryOut } from '#chat/presses/carry-out.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { Pressed } from '#domain/chat/pressed.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import type { SlackContext } from '../slack-context.ts';
import { placeOfPress } from '../transport/name-signal.ts';
import type { PressSignal, SentSignal } from '../transport/read-signal.ts';
import { type Held, readHeld } from './held.ts';
import { isSamePress } from './is-same-press.ts';
import { opensWindow, readButton } from './read-button.ts';
import { readFieldValues, readText, readTicked } from './read-entered.ts';
import { type Listener, tellAlone } from './tell.ts';
import { isApproval, isPart } from './windows.ts';

/** What is known of the event beside its signal. */
type Event = Pick<InboxEvent, 'id' | 'received_at'>;

async function attempt(
  context: SlackContext,
  presser: Listener,
  { press, wrote }: { press: AnyPress; wrote: string },
  act: (actor: Actor) => Promise<void>,
): Promise<void> {
  const { service, people } = context;
  const { team, user, place } = presser;
  // Whose press it is has to be known; that Slack does not say so is no refusal of theirs.
  const { id, timezone } = await people.find(team, user);
  try {
    // What stands in a list, in Home or in a window opened from there decides nothing.
    if (place === null || !(await belongsToConversation(service, conversationAt(place), press)))
      throw new CountersignError('not_allowed', pressWords.elsewhere);
    await act(person(id, 'slack', timezone));
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    // The window is closed: what they wrote would be gone.
    const again = wrote === '' ? '' : `\n${entryWords.wrote({ text: wrote })}`;
    await tellAlone(context, presser, `${error.message}${again}`);
  }
}

/** A button that decides by itself. */
export async function decidePress(
  context: SlackContext,
  signal: PressSignal,
  { id, received_at: at }: Event,
): Promise<void> {
  const { team, pressed } = signal;
  const press = readButton(pressed.actions[0]?.value);
  if (press === null || opensWindow(press)) return;
  const place = placeOfPress(signal);
  // Lists and windows of ours show plans; they decide nothing by a button.
  if (place === null || pressed.container.is_ephemeral) return;
  const nothing = { text: '', fields: null };
  const { user, response_url: answerAt } = pressed;
  const mark = { once: `slack:press:${id}`, at };
  const presser = { team, user: user.id, place, answerAt };
  await attempt(context, presser, { press, wrote: '' }, (actor) =>
    carryOut(context.service, press, nothing, actor, mark),
  );
}

/** Approves what a window showed. @param ticked places of the steps to approve; null: all of them */
async function approve(
  { service }: SlackContext,
  { press }: Held,
  ticked: number[] | null,
  actor: Actor,
  pressed: Pressed,
): Promise<void> {
  if (!('plan_id' in press)) return;
  const { plan_id, version, digest } = press;
  if (ticked === null) {
    await service.approve(plan_id, { version, digest, pressed }, actor);
    return;
  }
  const { plan, steps } = await service.card(plan_id, { user: actor.id, timezone: 'UTC' });
  // The approval names version and digest; places of steps of another one decide nothing.
  const chosen = ticked.flatMap((index) => steps[index]?.id ?? []);
  const all = chosen.length === plan.total_steps;
  const part = all ? {} : { steps: chosen };
  await service.approve(plan_id, { version, digest, ...part, pressed }, actor);
}

async function sendForm(
  { service, people }: SlackContext,
  { team, user, press }: Held,
  view: SentSignal['sent']['view'],
  actor: Actor,
  pressed: Pressed,
): Promise<void> {
  const text = readText(view);
  let fields = null;
  if ('plan_id' in press && press.action === 'human_done') {
    const { timezone } = await people.find(team, user);
    const { asks } = viewPlan(await service.card(press.plan_id, { user: actor.id, timezone }));
    // A choice is named by its place, which another attempt's form may give to something else.
    const ask = asks.find(({ buttons }) => buttons.some((one) => isSamePress(one.press, press)));
    fields = readFieldValues(view, ask?.fields ?? []);
  }
  await carryOut(service, press, { text, fields }, actor, pressed);
}

/** A form that was sent: only by whom it was opened for. */
export async function decideSent(
  context: SlackContext,
  { team, sent }: SentSignal,
  { id, received_at: at }: Event,
): Promise<void> {
  const { view, user } = sent;
  const held = readHeld(view.private_metadata);
  if (held === null || held.team !== team || held.user !== user.id) return;
  const place: ChatPlace | null =
    held.place === null ? null : { platform: 'slack', tenant: team, ...held.place };
  const sending = { press: held.press, wrote: readText(view) };
  const pressed = { once: `slack:press:${id}`, at };
  await attempt(context, { team, user: user.id, place }, sending, (actor) =>
    isApproval(view)
      ? approve(context, held, isPart(view) ? readTicked(view) : null, actor, pressed)
      : sendForm(context, held, view, actor, pressed),
  );
}
