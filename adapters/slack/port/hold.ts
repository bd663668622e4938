// Calls that Slack wants to be left alone with: what it refused for coming too often is not asked for again before it said, by
// any process. Limits are per method and workspace, of messages per channel.
import { webApi } from '@slack/bolt';
import type { RateLimits } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
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

export function createAsk(limits: RateLimits): Ask {
  return async ({ team, method, channel, deed }, ask) => {
    const key = `slack ${team} ${method} ${channel ?? ''}`;
    const wait = await limits.waitMs(key);
    if (wait > 0) {
      throw new CountersignError(
        'tool_unavailable',
        `Slack has too many requests to ${deed} now.`,
        { passesAfterMs: wait, details: { slack: 'ratelimited' } },
      );
    }
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof webApi.WebAPIRateLimitedError) {
        await limits.hold(key, cause.retryAfter * 1000);
      }
      throw explainSlackError(cause, deed);
    }
  };
}
