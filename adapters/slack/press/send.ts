// Tells one person alone: in thread, answer or direct messages.
import { escapeMrkdwn } from '#cards/plain.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { SlackContext } from '../slack-context.ts';

export type Listener = {
  team: string;
  user: string;
  /** Null in a list or window. */
  place: ChatPlace | null;
  /** Valid for half an hour. */
  answerAt?: string | undefined;
};

type Teller = Pick<SlackContext, 'port' | 'respond' | 'clientOf' | 'warn'>;

/** @throws CountersignError */
async function send(
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

/** Permanent failures are logged. @throws transient errors */
export async function tellAlone(context: Teller, listener: Listener, text: string): Promise<void> {
  await send(context, listener, text).catch((cause: unknown) => {
    if (cause instanceof CountersignError && cause.passesAfterMs !== null) throw cause;
    // Not logging the text, which may hold their input.
    context.warn(
      `The outcome of a press could not be shown in Slack to a person in ${listener.team}.`,
      cause,
    );
  });
}
