// What a stored press does: once, in the conversation of its card, as whoever pressed; and why not, said to them alone.
import { entryWords, pressWords } from '#cards/chat-words.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { conversationAt } from '#chat/outbox/open-conversation.ts';
import { belongsToConversation } from '#chat/presses/belongs-to-conversation.ts';
import { carryOut } from '#chat/presses/carry-out.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { Pressed } from '#domain/chat/pressed.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { drawNote } from '../lists/answer-command.ts';
import type { TeamsContext } from '../teams-context.ts';
import type { PressSignal, Scene } from '../transport/read-activity.ts';
import { type Decision, readDecision, readLook } from './read-press.ts';
import { drawLook, type Reply } from './show.ts';

/**
 * After this long whoever waits for the answer may be gone before they could read it. What they do not read all the same
 * is handled once more, and told then.
 */
const toldElsewhereAfterMs = 6000;

/** Who pressed, and the press they made. */
type By = { actor: Actor; pressed: Pressed };

async function approvePart(
  { service }: TeamsContext,
  { press, ticked }: Extract<Decision, { kind: 'part' }>,
  { actor, pressed }: By,
): Promise<void> {
  const { plan_id, version, digest } = press;
  if (ticked.length === 0) throw new CountersignError('invalid_request', entryWords.noneTicked);
  const { plan, steps } = await service.card(plan_id, { user: actor.id, timezone: 'UTC' });
  // The approval names version and digest; places of steps of another one decide nothing.
  const chosen = ticked.flatMap((index) => steps[index]?.id ?? []);
  const all = chosen.length === plan.total_steps;
  const part = all ? {} : { steps: chosen };
  await service.approve(plan_id, { version, digest, ...part, pressed }, actor);
}

async function act(context: TeamsContext, decision: Decision, scene: Scene, by: By): Promise<void> {
  const { service } = context;
  const { actor, pressed } = by;
  if (decision.kind === 'settings') {
    await service.setPolicy(actor.id, { policy: decision.policy, keep: true, pressed }, actor);
    return;
  }
  if (!(await belongsToConversation(service, conversationAt(scene.place), decision.press)))
    throw new CountersignError('not_allowed', pressWords.elsewhere);
  if (decision.kind === 'part') await approvePart(context, decision, by);
  else await carryOut(service, decision.press, decision.entered, actor, pressed);
}

/** @returns why nothing was decided; null: it was */
async function attempt(
  context: TeamsContext,
  decision: Decision,
  scene: Scene,
  pressed: Pressed,
): Promise<string | null> {
  // Whose press it is has to be known; that nobody says so is no refusal of theirs.
  const { id, zone } = await context.people.find(scene);
  try {
    await act(context, decision, scene, { actor: person(id, 'teams', zone), pressed });
    return null;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    return error.message;
  }
}

/** Tells one person in their chat with the bot. */
async function tell(context: TeamsContext, scene: Scene, text: string): Promise<void> {
  try {
    await context.port.whisper(scene.place, scene.from.id, drawNote(text));
  } catch (cause) {
    if (cause instanceof CountersignError && cause.passesAfterMs !== null) throw cause;
    // Somebody who cannot be told has been refused all the same.
    context.warn('Somebody could not be told in Teams why nothing came of their press.', cause);
  }
}

/** A client that cannot show a card in the place of another gets it as a message of its own. */
async function showApart(context: TeamsContext, { verb, data, scene }: PressSignal): Promise<void> {
  const look = readLook(verb, data);
  if (look === null) return;
  try {
    const card = await drawLook(context, look, scene);
    await context.port.whisper(scene.place, scene.from.id, { text: pressWords.details, card });
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    await tell(context, scene, error.message);
  }
}

export async function decide(
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
  else await tell(context, scene, note);
}
