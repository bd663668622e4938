// Handles a stored press: once, in the conversation of its card, as the person who pressed. A refusal is shown to them alone.
import { entryWords, pressWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { carryOutPressIn } from '#conversation/press.ts';
import type { Pressed } from '#domain/chat/card.ts';
import { conversationAt } from '#domain/chat/chat.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { personInChat } from '#domain/people/actor.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { PressSignal, Scene } from '../transport/read-activity.ts';
import { type Decision, readDecision, readLook } from './read-press.ts';
import { type Reply, tellPerson, toldElsewhereAfterMs } from './reply.ts';
import { drawLook } from './show.ts';

/** @returns why nothing was decided; null: it was */
async function attempt(
  { service, people }: TeamsContext,
  decision: Decision,
  scene: Scene,
  pressed: Pressed,
): Promise<string | null> {
  // Throws where Teams doesn't say who pressed, so that the event is tried again.
  const { id, zone, guest } = await people.find(scene);
  const actor = personInChat({ id, timezone: zone, guest }, 'teams');
  if (decision.kind === 'settings') {
    const change = { policy: decision.policy, keep: true, pressed };
    return sayRefusal(() => service.setPolicy(actor.id, change, actor));
  }
  const { press } = decision;
  if (press.part !== null && 'places' in press.part && press.part.places.length === 0)
    return entryWords.noneTicked;
  const conversation = conversationAt(scene.place);
  const elsewhere = pressWords.elsewhere;
  const refusal = await carryOutPressIn(service, conversation, press, actor, pressed, elsewhere);
  return refusal?.message ?? null;
}

/** @returns what `act` was refused with; null: it was not. @throws what passes by itself */
async function sayRefusal(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    return error.message;
  }
}

/** A client that cannot show a card in the place of another gets it as a message of its own. */
async function showApart(context: TeamsContext, { verb, data, scene }: PressSignal): Promise<void> {
  const look = readLook(verb, data);
  if (look === null) return;
  const refusal = await sayRefusal(async () => {
    const card = await drawLook(context, look, scene);
    await context.port.whisper(scene.place, scene.from.id, { text: pressWords.details, card });
  });
  if (refusal !== null) await tellPerson(context, scene, refusal);
}

export async function handlePress(
  context: TeamsContext,
  signal: PressSignal,
  { id, received_at }: Pick<InboxEvent, 'id' | 'received_at'>,
  eventAttempt: Pick<EventAttempt, 'reply' | 'age'>,
): Promise<void> {
  const { verb, data, scene, asks } = signal;
  const decision = readDecision(verb, data);
  if (decision === null) return showApart(context, signal);
  const note = await attempt(context, decision, scene, {
    once: `teams:press:${id}`,
    at: received_at,
  });
  if (note === null) return;
  const reply: Reply = { note };
  if (asks && eventAttempt.age() < toldElsewhereAfterMs) eventAttempt.reply(reply);
  else await tellPerson(context, scene, note);
}
