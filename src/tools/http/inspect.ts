// Reads a change's target by GET before approval and call (A12).
// Only at configured origins, since the URL may carry data.
import { hash } from 'node:crypto';
import { CountersignError } from '#domain/errors.ts';
import { isOpen } from '#domain/plan/arguments.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import { isObject, type JsonObject, makeStorableText } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { cutText } from '../limit-output.ts';
import type { WebAnswer, WebClient } from './send-request.ts';

const maxText = 500;
const changing = new Set(['PUT', 'PATCH', 'DELETE']);
const aboutChange = /^(content-.*|if-.*|prefer|idempotency-key|x-http-method.*)$/i;

type Target = { url: string; method: string; headers: Record<string, string> };

/** Null if unknown, at another origin, or neither replaced nor removed. */
function targetOf({ url, method, headers = {} }: JsonObject, origins: Set<string>): Target | null {
  if (typeof url !== 'string' || typeof method !== 'string' || !changing.has(method)) return null;
  if (!URL.canParse(url) || !origins.has(new URL(url).origin)) return null;
  if (isOpen(headers)) return null;
  if (!isObject(headers)) return null;
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value !== 'string' || aboutChange.test(name) ? [] : [[name, value]],
  );
  return { url, method, headers: Object.fromEntries(sent) };
}

function readTime(text: string | undefined): string | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function toState({ headers, text }: WebAnswer): SeenState | null {
  const mark = headers.etag ?? text ?? headers['last-modified'];
  if (mark === undefined) return null;
  const kind = headers.etag === undefined ? 'sha256' : 'etag';
  const shown = makeStorableText(text ?? '').trim();
  return {
    state: 'exists',
    fingerprint: `${kind}:${hash('sha256', mark)}`,
    size: text === null ? null : Buffer.byteLength(text),
    modified_at: readTime(headers['last-modified']),
    ...(shown === '' ? {} : { text: cut(shown) }),
  };
}

const cut = (text: string) => (text.length <= maxText ? text : `${cutText(text, maxText)}…`);

const absent = (state: 'new' | 'missing'): SeenState => ({
  state,
  fingerprint: null,
  size: null,
  modified_at: null,
});

export function inspectRequest(
  client: WebClient,
  origins: readonly string[],
): NonNullable<Operation['inspect']> {
  const declared = new Set(origins);
  return async (args, signal) => {
    const target = targetOf(args, declared);
    if (target === null) return null;
    const { method, ...read } = target;
    try {
      return toState(
        await client.send({ ...read, method: 'GET', body: null, signal, changesSomething: true }),
      );
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      const { code, message, details, passesAfterMs } = error;
      if (details.status === 404 || details.status === 410)
        return absent(method === 'PUT' ? 'new' : 'missing');
      // The call itself will report a permanent failure.
      if (passesAfterMs === null) return null;
      throw new CountersignError(code, message, { cause: error, passesAfterMs });
    }
  };
}
