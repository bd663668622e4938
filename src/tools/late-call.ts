// Refuses calls of a process suspended beyond their lease, right before they leave.
// Another worker may have the step, or a person may have looked and found nothing.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Dispatcher, fetch as fetchThrough, getGlobalDispatcher } from 'undici';
import { CountersignError } from '#domain/errors.ts';
import { nothingDone } from './failures.ts';

const lateness = new AsyncLocalStorage<() => boolean>();

export function refuseOnceLate<T>(isLate: () => boolean, call: () => T): T {
  return lateness.run(isLate, call);
}

function refuseIf(isLate: (() => boolean) | undefined, details = {}): void {
  if (isLate?.() !== true) return;
  const message = 'This worker stood still, and its lease ran out.';
  throw new CountersignError('cancelled', message, { details });
}

/** For the last moment before anything is done. @throws `cancelled`, marked `nothingDone` */
export const throwIfLate = (): void => refuseIf(lateness.getStore(), nothingDone);

/** A request may have waited for its connection; `onRequestStart` precedes its first bytes. */
export const refuseLateRequests: Dispatcher.DispatcherComposeInterceptor =
  (dispatch) => (options, handler) => {
    const isLate = lateness.getStore();
    if (isLate === undefined) return dispatch(options, handler);
    return dispatch(options, {
      onRequestStart(...start) {
        refuseIf(isLate);
        handler.onRequestStart?.(...start);
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
  };

/** Only calls: what keeps a connection alive outlasts the call that opened it. */
export const fetchCallsInTime: typeof fetch = (address, init) => {
  if (!String(init?.body).includes('"method":"tools/call"')) return fetch(address, init);
  const dispatcher = getGlobalDispatcher().compose(refuseLateRequests);
  // Node's own fetch is of another version, and so are its types.
  return fetchThrough(address as string, { ...init, dispatcher } as object) as Promise<never>;
};
