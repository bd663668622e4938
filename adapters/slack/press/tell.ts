// Tells one person something that nobody else sees: in the thread where they pressed, else as an answer to their press, else in
// their direct messages.
import { escapeMrkdwn } from '#cards/plain.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { SlackContext } from '../slack-context.ts';

export type Listener = {
  team: string;
  user: string;
  /** Where they pressed; null: in a list or a window, which stand in no thread. */
  place: ChatPlace | null;
  /** Where Slack takes an answer to what they pressed, for half an hour. */
  answerAt?: string | undefined;
};

type Teller = Pick<SlackContext, 'port' | 'respond' | 'clientOf' | 'warn'>;

/** @throws CountersignError */
async function tell(
  { port, respond, clientOf }: Teller,
  { team, user, place, answerAt }: Listener,
  text: string,
): Promise<void> {
  const escaped = escapeMrkdwn(text);
  if (place !== null) return port.whisper(place, user, { text: escaped, card: null });
  if (answerAt !== undefined && (await respond(answerAt, { text: escaped }))) return;
  const client = await clientOf(team);
  try {
    await client.chat.postMessage({ channel: user, text: escaped, parse: 'none' });
  } catch (error) {
    throw explainSlackError(error, 'tell somebody');
  }
}

/** Who cannot be told keeps nothing from going on. @throws what passes by itself, so that it is tried again */
export async function tellAlone(context: Teller, listener: Listener, text: string): Promise<void> {
  await tell(context, listener, text).catch((cause: unknown) => {
    if (cause instanceof CountersignError && cause.passesAfterMs !== null) throw cause;
    // Somebody who cannot be told has been refused all the same. What they are told may hold what they wrote.
    context.warn(
      `The outcome of a press could not be shown in Slack to a person in ${listener.team}.`,
      cause,
    );
  });
}
