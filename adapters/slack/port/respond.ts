// Answers at response addresses; only Slack's, since requests can be forged.
import type { types } from '@slack/bolt';
import { CountersignError } from '#domain/errors.ts';

/** `replace_original`: replaces the pressed message. */
type Reply = {
  text: string;
  blocks?: types.KnownBlock[];
  /** If Slack refuses `blocks`. */
  plain?: types.KnownBlock[];
  replace_original?: boolean;
};

/** @returns false if the address is not Slack's or has expired */
export type Respond = (url: string, reply: Reply) => Promise<boolean>;

const hosts = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
const withinMs = 10_000;

/** @param apiUrl replaces Slack's server; Slack's own stay valid */
export function isSlackAddress(url: string, apiUrl: string | undefined): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false;
  if (parsed.protocol === 'https:' && parsed.port === '' && hosts.has(parsed.hostname)) return true;
  return apiUrl !== undefined && parsed.origin === URL.parse(apiUrl)?.origin;
}

export function createRespond(options: {
  apiUrl: string | undefined;
  warn(message: string, error?: unknown): void;
}): Respond {
  const { apiUrl, warn } = options;
  return async function answer(url, { plain, ...reply }): Promise<boolean> {
    if (!isSlackAddress(url, apiUrl)) {
      warn('A response URL does not belong to Slack. Nothing was sent.');
      return false;
    }
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...reply }),
      signal: AbortSignal.timeout(withinMs),
    }).catch((cause: unknown) => {
      const text = 'Could not reach Slack to answer a person.';
      throw new CountersignError('tool_unavailable', text, { cause, passesAfterMs: 0 });
    });
    // Unread, the body would hold the connection.
    await response.body?.cancel().catch(() => {});
    if (response.ok) return true;
    if (response.status === 429 || response.status >= 500) {
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      throw new CountersignError('tool_unavailable', 'Slack takes no answer now.', {
        passesAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0,
      });
    }
    if (plain !== undefined) return answer(url, { ...reply, blocks: plain });
    // Expires after half an hour; the person has asked again.
    warn(`Slack rejected an answer to one person: ${response.status}.`);
    return false;
  };
}
