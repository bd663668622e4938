// Rate limits per workspace and method, shared by all processes.
// Slack also limits messages per channel.
import { webApi } from '@slack/bolt';
import type { Rate, RateLimits } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from './explain-error.ts';

type Call = {
  team: string;
  /** `chat.update` */
  method: string;
  /** Null if the limit is per workspace. */
  channel: string | null;
  /** Completes "Slack cannot …". */
  action: string;
  /** Leaves most of the burst to other calls. */
  progress?: boolean;
};

/** https://docs.slack.dev/apis/web-api/rate-limits */
const rates: Partial<Record<string, Rate>> = {
  'chat.postMessage': { everyMs: 200, burst: 60 },
  'chat.update': { everyMs: 1200, burst: 20 },
  'agents.sessions.setStatus': { everyMs: 1200, burst: 40 },
  'views.publish': { everyMs: 600, burst: 20 },
  'conversations.replies': { everyMs: 1200, burst: 40 },
  'conversations.list': { everyMs: 3500, burst: 12 },
  'users.list': { everyMs: 3500, burst: 12 },
  // Leaves the rest to identities, which are looked up at once.
  'users.info': { everyMs: 1200, burst: 40 },
};
/** Calls of a burst; the rest is for decisions, questions and final states. */
const progressBurst = 8;
/** Slower than `chat.update` allows, to leave room for other changes. */
const progressEveryMs = 1500;

/** @returns milliseconds to wait */
export const queueProgress = (limits: RateLimits, team: string): Promise<number> =>
  limits.queue(`slack ${team} progress`, progressEveryMs);

/** @throws CountersignError */
export type Ask = <T>(call: Call, ask: () => Promise<T>) => Promise<T>;

export function createAsk(limits: RateLimits): Ask {
  return async ({ team, method, channel, action, progress = false }, ask) => {
    const key = `slack ${team} ${method} ${channel ?? ''}`;
    const full = rates[method] ?? null;
    const rate = full !== null && progress ? { ...full, burst: progressBurst } : full;
    const held = channel === null ? 0 : await limits.take(key, null);
    const wait = held > 0 ? held : await limits.take(`slack ${team} ${method} `, rate);
    if (wait > 0) {
      throw new CountersignError(
        'tool_unavailable',
        `Slack has too many requests to ${action} now.`,
        { passesAfterMs: wait, details: { slack: 'ratelimited', limited: true } },
      );
    }
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof webApi.WebAPIRateLimitedError) {
        await limits.hold(key, cause.retryAfter * 1000);
      }
      throw explainSlackError(cause, action);
    }
  };
}
