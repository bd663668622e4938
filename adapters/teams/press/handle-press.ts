// Handles a stored press as the presser, once.
import { entryWords, pressWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { decideInChat, sayRefusal } from '#chat/talk.ts';
import type { Pressed } from '#domain/chat/card.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import { speakerIn } from '../people.ts';
import type { PressSignal, Scene } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';
import { type Decision, readDecision, readLook } from './read-press.ts';
import { tellPerson, tellPresser } from './reply.ts';
import { drawLook } from './show.ts';

/** @returns why nothing was decided, or null */
async function attempt(
  context: TeamsContext,
  decision: Decision,
  scene: Scene,
  pressed: Pressed,
): Promise<string | null> {
  // Throws without an answer, for a retry.
  const { actor } = speakerIn(scene, await context.people.find(scene));
  if (decision.kind === 'settings') {
    const { policy, calendar } = decision;
    const change = { policy, keep: true, pressed, ...(calendar === undefined ? {} : { calendar }) };
    const within = { ...actor, tenant: chatTenant('teams', scene.tenant) };
    return sayRefusal(() => context.service.setPolicy(actor.id, change, within));
  }
  if (decision.kind === 'recurring') {
    const { id, change } = decision;
    const plans = context.plansFor(scene.tenant, actor.id);
    return sayRefusal(() => plans.changeRecurring(id, change, { user: actor.id }, actor));
  }
  const { press } = decision;
  if (press.part !== null && 'places' in press.part && press.part.places.length === 0)
    return entryWords.noneTicked;
  return decideInChat(context, scene.place, press, actor, pressed);
}

/** For clients that can't replace a card. */
async function postSeparately(
  context: TeamsContext,
  { verb, data, scene }: PressSignal,
): Promise<void> {
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
  eventAttempt: Pick<EventAttempt, 'reply' | 'age' | 'forget'>,
): Promise<void> {
  const { verb, data, scene, asks } = signal;
  const decision = readDecision(verb, data);
  if (decision === null) return postSeparately(context, signal);
  // May hold a calendar's secret address.
  if (decision.kind === 'settings') eventAttempt.forget();
  const note = await attempt(context, decision, scene, {
    once: `teams:press:${id}`,
    at: received_at,
  });
  if (note !== null) await tellPresser(context, scene, note, asks, eventAttempt);
}
