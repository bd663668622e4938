// Socket Mode: the same signals over a connection that we open, so that no public address is needed. Bolt keeps it up.
import { SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import type { SlackLogger } from '../slack-logger.ts';
import type { Accept } from './accept.ts';

/** What the client hands over; its `ack` answers the envelope. */
const Arrived = z.looseObject({
  ack: z.custom<(answer?: Record<string, unknown>) => Promise<void>>(
    (value) => typeof value === 'function',
  ),
  body: z.looseObject({}),
});

/** Connects. @returns how to end it; what is not acknowledged by then, Slack sends to another connection */
export async function connectSocket(options: {
  appToken: string;
  apiUrl: string | undefined;
  accept: Accept;
  logger: SlackLogger;
  warn(message: string, error?: unknown): void;
}): Promise<() => Promise<void>> {
  const { appToken, apiUrl, accept, logger, warn } = options;
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    installerOptions: apiUrl === undefined ? {} : { clientOptions: { slackApiUrl: apiUrl } },
  });
  const under = new Set<Promise<void>>();

  async function take(arrived: unknown): Promise<void> {
    const parsed = Arrived.safeParse(arrived);
    if (!parsed.success) return;
    const { ack, body } = parsed.data;
    try {
      const answer = await accept(Buffer.from(JSON.stringify(body)));
      await (answer === null ? ack() : ack(answer));
    } catch (error) {
      // Without an acknowledgement Slack sends it again.
      warn('Something of Slack could not be stored; it is not acknowledged.', error);
    }
  }
  receiver.client.on('slack_event', (arrived: unknown) => {
    const work = take(arrived).finally(() => under.delete(work));
    under.add(work);
  });
  await receiver.start();
  return async () => {
    await Promise.all(under);
    await receiver.stop();
  };
}
