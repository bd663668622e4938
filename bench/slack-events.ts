// Requests as Slack sends them.
import { createHmac } from 'node:crypto';

export const signingSecret = 'bench-signing-secret';

export type SlackRequest = { body: string; headers: Record<string, string> };

/** Duplicates share `message`. */
export type Sending = { message: number; body: string; retry: number };

const threads = 400;
/** Deliveries until the duplicate. */
const later = 20;

function envelope(message: number, event: string, run: string): string {
  const thread = message % threads;
  return JSON.stringify({
    token: 'verification',
    team_id: 'T1',
    api_app_id: 'A1',
    event: {
      type: 'message',
      user: `U${message % 97}`,
      text: `Message ${message}: is anybody looking at the build? It has been red since this morning, and the release waits.`,
      ts: `${1_777_800_000 + message}.${run}`,
      thread_ts: `${1_777_000_000 + thread}.000100`,
      channel: `C${thread % 20}`,
      channel_type: 'channel',
      event_ts: `${1_777_800_000 + message}.${run}`,
    },
    type: 'event_callback',
    event_id: event,
    event_time: 1_777_800_000 + message,
    authorizations: [
      {
        enterprise_id: null,
        team_id: 'T1',
        user_id: 'UBOT',
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
  });
}

/**
 * Every tenth repeats under another event ID, every twentieth is a retry.
 * @param run six digits, distinct between runs
 */
export function drawSendings(count: number, run: string): Sending[] {
  const sendings: Sending[] = [];
  let messages = 0;
  for (let at = 0; at < count; at++) {
    const before = sendings[at - later];
    const place = at % 20;
    if (before !== undefined && before.retry === 0 && (place === 3 || place === 13)) {
      const { message } = before;
      sendings.push({ message, body: envelope(message, `Ev${run}again${message}`, run), retry: 0 });
    } else if (before !== undefined && place === 7) {
      sendings.push({ ...before, retry: before.retry + 1 });
    } else {
      const message = messages++;
      sendings.push({ message, body: envelope(message, `Ev${run}${message}`, run), retry: 0 });
    }
  }
  return sendings;
}

export function sign({ body, retry }: Sending, now: Date): SlackRequest {
  const time = String(Math.floor(now.getTime() / 1000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${digest}`,
      ...(retry === 0
        ? {}
        : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' }),
    },
  };
}
