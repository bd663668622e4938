// Calls that Slack wants to be left alone with: what it refused for coming too often is not asked for again before it said, by
// anybody in this process. Limits are per method and workspace, of messages per channel.
import { webApi } from '@slack/bolt';
import type { Clock } from '#contracts/clock.ts';
import { CountersignError } from '#contracts/errors.ts';
import { createRecent } from '../recent.ts';
import { explainSlackError } from './explain-error.ts';

type Call = {
  team: string;
  /** `chat.update` */
  method: string;
  /** Of a message that is posted; null: the limit is the workspace's. */
  channel: string | null;
  /** Completes "Slack cannot …". */
  deed: string;
};

/** Asks Slack, unless it wants to be left alone. @throws CountersignError */
export type Ask = <T>(call: Call, ask: () => Promise<T>) => Promise<T>;

const remembered = 5000;

export function createAsk(clock: Clock): Ask {
  const until = createRecent<number>(remembered);
  return async ({ team, method, channel, deed }, ask) => {
    const key = `${team} ${method} ${channel ?? ''}`;
    const now = clock.now().getTime();
    const held = until.get(key) ?? 0;
    if (held > now) {
      throw new CountersignError(
        'tool_unavailable',
        `Slack has too many requests to ${deed} now.`,
        {
          passesAfterMs: held - now,
          details: { slack: 'ratelimited' },
        },
      );
    }
    until.delete(key);
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof webApi.WebAPIRateLimitedError) {
        until.set(key, clock.now().getTime() + cause.retryAfter * 1000);
      }
      throw explainSlackError(cause, deed);
    }
  };
}
