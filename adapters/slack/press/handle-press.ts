// Handles a stored press or form as the presser, once.
import { entryWords } from '#cards/chat-words.ts';
import { withFields } from '#cards/input-ids.ts';
import { asShared, viewPlan } from '#cards/view-model.ts';
import { decideInChat } from '#chat/talk.ts';
import type { CardPress } from '#domain/chat/card.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import { AnyPress, bare, type Press } from '#domain/chat/press.ts';
import { parseAs } from '#domain/json.ts';
import { type Actor, personInChat } from '#domain/people/actor.ts';
import { placeOfPress } from '../signals/name-signal.ts';
import type { PressSignal, SentSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';
import { type Held, readHeld } from './held.ts';
import { readFieldValues, readText, readTicked } from './read-entered.ts';
import { type Listener, tellAlone } from './send.ts';
import { isApproval, isPart } from './windows.ts';

type Event = Pick<InboxEvent, 'id' | 'received_at'>;

const markOf = ({ id, received_at: at }: Event) => ({ once: `slack:press:${id}`, at });

/** Only the presser sees a refusal. */
async function attempt(
  context: SlackContext,
  presser: Listener,
  event: Event,
  read: (actor: Actor) => Press | Promise<Press>,
): Promise<void> {
  const { people } = context;
  const { team, user, place } = presser;
  // Throws without an answer, for a retry.
  const who = await people.find(team, user);
  if (!who.acts) return;
  const actor = personInChat(who, 'slack');
  const press = await read(actor);
  const refusal = await decideInChat(context, place, press, actor, markOf(event));
  if (refusal === null) return;
  // The window has closed, so return the text.
  const { text } = press;
  const again = text === '' ? '' : `\n${entryWords.wrote({ text })}`;
  await tellAlone(context, presser, `${refusal}${again}`);
}

export async function decidePress(
  context: SlackContext,
  signal: PressSignal,
  event: Event,
): Promise<void> {
  const { team, pressed } = signal;
  const press = readButton(pressed.actions[0]?.value);
  if (press === null || opensWindow(press)) return;
  const place = placeOfPress(signal);
  // Lists and windows decide nothing by a button.
  if (place === null || pressed.container.is_ephemeral) return;
  const { user, response_url: answerAt } = pressed;
  await attempt(context, { team, user: user.id, place, answerAt }, event, () => bare(press));
}

async function readFields(
  { service, people }: SlackContext,
  { team, user, press }: Held,
  view: SentSignal['sent']['view'],
  actor: Actor,
): Promise<Press['fields']> {
  if (!('plan_id' in press) || !withFields.has(press.action)) return null;
  const { timezone } = await people.find(team, user);
  const facts = await service.card(press.plan_id, { user: actor.id, timezone });
  const { asks, buttons } = viewPlan(asShared(facts));
  // Positions may mean other options in another attempt.
  const ask = asks.find(({ buttons }) => buttons.some((one) => isSamePress(one.press, press)));
  const own = buttons.find((one) => isSamePress(one.press, press))?.form?.fields;
  return readFieldValues(view, ask?.fields ?? own ?? []);
}

/** A review opened from `details` approves the plan. */
function buttonOf({ press }: Held, view: SentSignal['sent']['view']): AnyPress {
  return isApproval(view) && 'plan_id' in press ? { ...press, action: 'approve' } : press;
}

/** Only from the person it was opened for. */
export async function decideSent(
  context: SlackContext,
  { team, sent }: SentSignal,
  event: Event,
): Promise<void> {
  const { view, user } = sent;
  const held = readHeld(view.private_metadata);
  if (held === null || held.team !== team || held.user !== user.id) return;
  const place: ChatPlace | null =
    held.place === null ? null : { platform: 'slack', tenant: team, ...held.place };
  await attempt(context, { team, user: user.id, place }, event, async (actor) => ({
    button: buttonOf(held, view),
    text: readText(view),
    fields: await readFields(context, held, view, actor),
    part: isPart(view) ? { places: readTicked(view) } : null,
  }));
}

/** Null for other buttons. */
export function readButton(value: string | null | undefined): AnyPress | null {
  return parseAs(AnyPress, value ?? '');
}

/** Rather than deciding. */
export function opensWindow(press: AnyPress): boolean {
  switch (press.action) {
    case 'details':
    case 'propose_changes':
    case 'reject':
    case 'retry_edited':
    case 'save_playbook':
    case 'human_done':
    case 'human_blocked':
      return true;
    case 'session_changes':
    case 'session_answer':
      return press.choice === undefined;
    default:
      return false;
  }
}

/** Older presses lack attempt and end; the rest decides. */
export function isSamePress(drawn: CardPress, pressed: CardPress): boolean {
  return (
    drawn.action === pressed.action &&
    drawn.step_id === pressed.step_id &&
    drawn.finding_id === pressed.finding_id &&
    (pressed.attempt ?? drawn.attempt) === drawn.attempt &&
    (pressed.stood ?? drawn.stood) === drawn.stood &&
    (pressed.ended_at ?? drawn.ended_at) === drawn.ended_at &&
    drawn.version === pressed.version &&
    drawn.digest === pressed.digest
  );
}
