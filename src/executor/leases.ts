// The leases of this process: renewed in time; a call is stopped when its lease is lost or its plan is cancelled.
import type { Database } from '#db/database.ts';
import { type Lease, type RenewedLease, renewLeases } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { isTerminal } from '#plans/lifecycle/lifecycle-table.ts';

export type Leases = {
  /** Takes note of a lease; what is returned aborts when it is lost or its plan is cancelled, and may be aborted by its holder. */
  hold(lease: Lease): AbortController;
  release(lease: Lease): void;
  /** Stops every call of a plan. */
  abortPlan(planId: string, reason: Error): void;
  /** Asks at once how the leases and their plans stand: something may have been missed. */
  renew(): void;
  /** Stops every call. */
  abortAll(reason: Error): void;
  held(): number;
  /** Milliseconds since the leases that are held were renewed, or the first of them taken; 0: none is held. */
  quietMs(): number;
  stop(): void;
};

/** Why the calls of a plan stop that somebody ended. */
export const cancelledByPerson = () => new Error('a person cancelled the plan');

/** The key of one attempt: a later one of the same step is another lease. */
export const keyOfLease = ({ plan_id, position, attempt }: Lease): string =>
  `${plan_id}/${position}/${attempt}`;

/**
 * Renews the leases of `worker` three times within their length. Renewing returns how the plans stand, so that a word
 * that was not heard is obeyed all the same.
 * @param warn called when a renewal fails; where that passes it is tried again soon, else at the next turn
 */
export function keepLeases(
  db: Database,
  worker: string,
  leaseSeconds: number,
  warn: (message: string, error: unknown) => void,
): Leases {
  const held = new Map<string, { lease: Lease; abort: AbortController }>();
  const stopping = new AbortController();
  let renewing = false;
  let renewedAt = performance.now();
  let again = false;

  function abortPlan(planId: string, reason: Error): void {
    for (const { lease, abort } of held.values()) {
      if (lease.plan_id === planId) abort.abort(reason);
    }
  }

  /** Obeys what the answer says of leases that were asked for. */
  function heed(asked: Map<string, { abort: AbortController }>, renewed: RenewedLease[]): void {
    const kept = new Set(renewed.map(keyOfLease));
    for (const [key, { abort }] of asked) {
      if (!kept.has(key) && held.has(key)) abort.abort(new Error('its lease was lost'));
    }
    const over = new Set<string>();
    for (const { plan_id, plan_status } of renewed) {
      if (isTerminal(plan_status)) over.add(plan_id);
    }
    for (const planId of over) abortPlan(planId, cancelledByPerson());
  }

  async function renew(): Promise<void> {
    if (renewing) {
      again = true;
      return;
    }
    renewing = true;
    try {
      do {
        again = false;
        const asked = new Map(held);
        if (asked.size === 0) {
          renewedAt = performance.now();
          return;
        }
        const leases = [...asked.values()].map(({ lease }) => lease);
        const renewed = await retryUntilDatabaseAnswers(
          () => renewLeases(db.query, worker, leases, leaseSeconds),
          (error) => warn('Leases could not be renewed; trying again.', error),
          stopping.signal,
        );
        renewedAt = performance.now();
        heed(asked, renewed);
      } while (again);
    } catch (error) {
      if (!stopping.signal.aborted) warn('Leases could not be renewed.', error);
    } finally {
      renewing = false;
    }
  }

  const timer = setInterval(() => void renew(), (leaseSeconds * 1000) / 3);
  return {
    hold(lease) {
      const abort = new AbortController();
      held.set(keyOfLease(lease), { lease, abort });
      return abort;
    },
    release: (lease) => void held.delete(keyOfLease(lease)),
    abortPlan,
    renew: () => void renew(),
    abortAll(reason) {
      for (const { abort } of held.values()) abort.abort(reason);
    },
    held: () => held.size,
    quietMs: () => (held.size === 0 ? 0 : performance.now() - renewedAt),
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
