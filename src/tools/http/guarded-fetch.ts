// A fetch for small responses from addresses that a server names.
import { Agent, fetch as fetchThrough } from 'undici';
import { readBody } from '#domain/bounded-body.ts';
import { CountersignError } from '#domain/errors.ts';
import type { AddressRules } from './addresses.ts';
import { createGuardedAgent, findRefusal } from './guarded-agent.ts';

export type GuardedFetch = (at: string | URL, init?: RequestInit) => Promise<Response>;

/** @param own the configured origin, may be private @param limits `timeoutMs` includes redirects */
export function createGuardedFetch(
  rules: AddressRules,
  own: string | null,
  { timeoutMs, maxBytes = 1_000_000 }: { timeoutMs: number; maxBytes?: number },
): GuardedFetch {
  const origin = own === null ? null : new URL(own).origin;
  return async (at, init) => {
    const guarded = createGuardedAgent(rules);
    const direct = new Agent();
    const dispatcher = guarded.compose(
      (dispatch) => (options, handler) =>
        String(options.origin) === origin
          ? direct.dispatch(options, handler)
          : dispatch(options, handler),
    );
    const request = new Request(at, init);
    const body = await request.text();
    try {
      const response = await fetchThrough(request.url, {
        method: request.method,
        headers: [...request.headers],
        body: body === '' ? null : body,
        dispatcher,
        signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const { bytes, isCut } = await readBody(response.body, maxBytes);
      if (isCut)
        throw new CountersignError(
          'limit_exceeded',
          `${new URL(request.url).host} answered more than ${maxBytes / 1e6} MB.`,
        );
      const { status, statusText } = response;
      const headers = [...response.headers].map(([name, value]): [string, string] => [name, value]);
      return new Response(bytes.length === 0 ? null : bytes, {
        status,
        statusText,
        headers,
      });
    } catch (error) {
      throw findRefusal(error) ?? error;
    } finally {
      await Promise.all([guarded.destroy(), direct.destroy()]);
    }
  };
}
