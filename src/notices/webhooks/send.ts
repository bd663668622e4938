// Calls an endpoint, signed as in Standard Webhooks (standardwebhooks.com).
import { Webhook } from 'standardwebhooks';
import { type Dispatcher, fetch } from 'undici';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import { readRetryAfter } from '#domain/retry-after.ts';
import type { Json } from '#domain/text.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSettings } from '#domain/webhook.ts';
import { type AddressRules, findUrlProblem } from '#tools/http/addresses.ts';

type Way = { agent: Dispatcher; rules: AddressRules; timeoutMs: number; clock: Clock };

/** JSON: receivers reject large payloads. */
const maxCharacters = 60_000;
const maxText = 4000;

/** Receivers find the rest at the plan. */
function cutTexts(value: Json): Json {
  if (typeof value === 'string')
    return value.length > maxText ? `${value.slice(0, maxText)}…` : value;
  if (Array.isArray(value)) return value.map(cutTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutTexts(one)]));
}

function write({ id, type, at, data }: WebhookMessage): string {
  const head = { id, type, version: 1, timestamp: at.toISOString() };
  const body = JSON.stringify({ ...head, data: cutTexts(data) });
  return body.length <= maxCharacters
    ? body
    : JSON.stringify({
        ...head,
        data: { plan: data.plan ?? null, links: data.links ?? null, cut: true },
      });
}

function sign(secret: string, id: string, at: Date, body: string): string {
  const key = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(secret, { format: 'raw' });
  return key.sign(id, at, body);
}

const longestWaitSeconds = 3600;

/** Never throws; describes failures without quoting the endpoint. */
export async function send(
  { agent, rules, timeoutMs, clock }: Way,
  { url, secret, headers = {} }: WebhookSettings,
  message: WebhookMessage,
  stopping?: AbortSignal,
): Promise<WebhookAnswer> {
  const failed = (error: string): WebhookAnswer => ({ error, gone: false, retryAfterSeconds: 0 });
  const problem = findUrlProblem(url, rules);
  if (problem !== null) return failed(problem.message);
  const now = clock.now();
  const body = write(message);
  const signatures = [secret].flat().map((one) => sign(one, message.id, now, body));
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'Countersign',
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      },
      body,
      redirect: 'manual',
      dispatcher: agent,
      signal: stopping === undefined ? limit : AbortSignal.any([limit, stopping]),
    });
    await response.body?.cancel();
    if (response.ok) return { error: null, gone: false, retryAfterSeconds: 0 };
    const redirected = response.status >= 300 && response.status < 400;
    return {
      error: `It answered ${response.status}${redirected ? ', and redirects are not followed' : ''}.`,
      gone: response.status === 410,
      retryAfterSeconds: Math.min(
        Math.ceil((readRetryAfter(response.headers.get('retry-after'), now.getTime()) ?? 0) / 1000),
        longestWaitSeconds,
      ),
    };
  } catch (error) {
    if (limit.aborted) return failed(`It did not answer within ${timeoutMs / 1000} s.`);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return failed(errorMessage(cause));
  }
}
