// The leases this process holds: renewed in time, and their calls stopped when one is lost or its plan is cancelled.
import type { Database } from '#store/database.ts';
import { type Lease, renewLeases } from '#store/sql/leases.ts';

export type Leases = {
  /** Takes note of a lease; what is returned aborts when it is lost or its plan is cancelled, and may be aborted by its holder. */
  hold(lease: Lease): AbortController;
  release(lease: Lease): void;
  /** Stops every call of a plan. */
  abortPlan(planId: string, reason: Error): void;
  /** Stops every call. */
  abortAll(reason: Error): void;
  held(): number;
  stop(): void;
};

/** The key of one attempt: a later one of the same step is another lease. */
export const keyOfLease = ({ plan_id, position, attempt }: Lease): string =>
  `${plan_id}/${position}/${attempt}`;

/**
 * Renews the leases of `worker` three times within their length.
 * @param warn called when a renewal fails; it is tried again at the next turn
 */
export function keepLeases(
  db: Database,
  worker: string,
  leaseSeconds: number,
  warn: (message: string, error: unknown) => void,
): Leases {
  const held = new Map<string, { lease: Lease; abort: AbortController }>();
  let renewing = false;

  async function renew(): Promise<void> {
    if (held.size === 0 || renewing) return;
    renewing = true;
    const before = new Map(held);
    try {
      const leases = [...before.values()].map(({ lease }) => lease);
      const kept = new Set(
        (await renewLeases(db.query, worker, leases, leaseSeconds)).map(keyOfLease),
      );
      for (const [key, { abort }] of before) {
        if (!kept.has(key) && held.has(key)) abort.abort(new Error('its lease was lost'));
      }
    } catch (error) {
      warn('Leases could not be renewed; trying again.', error);
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
    abortPlan(planId, reason) {
      for (const { lease, abort } of held.values()) {
        if (lease.plan_id === planId) abort.abort(reason);
      }
    },
    abortAll(reason) {
      for (const { abort } of held.values()) abort.abort(reason);
    },
    held: () => held.size,
    stop: () => clearInterval(timer),
  };
}
