// This process's leases: renewed in time; calls end with them.
import type { Database } from '#db/database.ts';
import { type Lease, type RenewedLease, renewLeases } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import type { Effect } from '#domain/tool.ts';
import { isTerminal } from '#plans/lifecycle/lifecycle-table.ts';

export type Leases = {
  /** Aborts when the lease is lost or the plan cancelled; the holder may abort it too. */
  hold(lease: Lease, effect: Effect): AbortController;
  release(lease: Lease): void;
  sinceRenewedMs(lease: Lease): number;
  abortPlan(planId: string, reason: Error): void;
  renew(): void;
  /** @param mustEnd including calls that must not be repeated */
  abortAll(reason: Error, mustEnd: boolean): void;
  held(): number;
  /** Since renewal, or since the first lease; 0 if none are held. */
  quietMs(): number;
  stop(): void;
};

export const cancelledByPerson = () => new Error('a person cancelled the plan');

type LeaseContext = {
  db: Database;
  clock: Clock;
  settings: { lease_seconds: number };
  warn(message: string, error: unknown): void;
};

export const keyOfLease = ({ plan_id, position, attempt }: Lease): string =>
  `${plan_id}/${position}/${attempt}`;

/** Counts suspension: the monotonic clock stops then, and the wall clock can be set back, so the greater counts. */
export function startStopwatch(clock: Clock): () => number {
  const since = performance.now();
  const at = clock.now().getTime();
  return () => Math.max(performance.now() - since, clock.now().getTime() - at);
}

/** Three times per lease length. Renewals return plan states, in case a notification was missed. */
export function keepLeases(
  { db, clock, warn, settings: { lease_seconds: leaseSeconds } }: LeaseContext,
  worker: string,
): Leases {
  type Held = {
    lease: Lease;
    effect: Effect;
    abort: AbortController;
    since: number;
    renewed?: () => number;
  };
  const held = new Map<string, Held>();
  const stopping = new AbortController();
  let renewing = false;
  let renewedAt = performance.now();
  let again: number | null = null;
  const leaseMs = leaseSeconds * 1000;

  function abortPlan(planId: string, reason: Error): void {
    for (const { lease, abort } of held.values()) {
      if (lease.plan_id === planId) abort.abort(reason);
    }
  }

  function heed(asked: Map<string, Held>, renewed: RenewedLease[], passedMs: () => number): void {
    const kept = new Set(renewed.map(keyOfLease));
    for (const [key, one] of asked) {
      if (kept.has(key)) {
        one.renewed = passedMs;
        one.since = performance.now() - passedMs();
      } else if (held.has(key)) one.abort.abort(new Error('its lease was lost'));
    }
    const over = new Set<string>();
    for (const { plan_id, plan_status } of renewed) {
      if (isTerminal(plan_status)) over.add(plan_id);
    }
    for (const planId of over) abortPlan(planId, cancelledByPerson());
  }

  /** @param fromMs spares younger leases: short steps end sooner, and renewing would contend with settling */
  async function renew(fromMs: number): Promise<void> {
    again = Math.min(again ?? fromMs, fromMs);
    if (renewing) return;
    renewing = true;
    try {
      while (again !== null) {
        const oldest = performance.now() - again;
        again = null;
        const asked = new Map([...held].filter(([, { since }]) => since <= oldest));
        if (asked.size === 0) {
          renewedAt = performance.now();
          return;
        }
        const leases = [...asked.values()].map(({ lease }) => lease);
        let passedMs = startStopwatch(clock);
        const renewed = await retryUntilDatabaseAnswers(
          () => {
            passedMs = startStopwatch(clock);
            return renewLeases(db.query, worker, leases, leaseSeconds);
          },
          (error) => warn('Could not renew leases; retrying.', error),
          stopping.signal,
        );
        renewedAt = performance.now();
        heed(asked, renewed, passedMs);
      }
    } catch (error) {
      if (!stopping.signal.aborted) warn('Could not renew leases.', error);
    } finally {
      renewing = false;
    }
  }

  const timer = setInterval(() => void renew(leaseMs / 6), leaseMs / 3);
  return {
    hold(lease, effect) {
      const abort = new AbortController();
      held.set(keyOfLease(lease), { lease, effect, abort, since: performance.now() });
      return abort;
    },
    release: (lease) => void held.delete(keyOfLease(lease)),
    sinceRenewedMs: (lease) => held.get(keyOfLease(lease))?.renewed?.() ?? Number.POSITIVE_INFINITY,
    abortPlan,
    renew: () => void renew(0),
    abortAll(reason, mustEnd) {
      for (const { effect, abort } of held.values())
        if (mustEnd || effect !== 'write') abort.abort(reason);
    },
    held: () => held.size,
    quietMs: () => (held.size === 0 ? 0 : performance.now() - renewedAt),
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
