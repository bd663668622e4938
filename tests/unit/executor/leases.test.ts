import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#db/database.ts';
import { systemClock } from '#domain/clock.ts';
import { keepLeases } from '#executor/leases.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('leases of short steps are not renewed, those of longer ones are, well before they run out', async () => {
  const lease = (position: number) => ({ plan_id: 'PLAN-1', position, attempt: 1 });
  let held = [lease(1)];
  const rows = vi.fn(async () => held.map((one) => ({ ...one, plan_status: 'executing' })));
  const db = { query: { rows } } as unknown as Database;
  const settings = { lease_seconds: 15 };
  const leases = keepLeases({ db, clock: systemClock, settings, warn: () => {} }, 'worker');
  leases.hold(lease(1), 'read');
  await vi.advanceTimersByTimeAsync(5000);
  expect(rows).toHaveBeenCalledTimes(1);
  leases.release(lease(1));
  await vi.advanceTimersByTimeAsync(4000);
  held = [lease(2)];
  leases.hold(lease(2), 'read');
  await vi.advanceTimersByTimeAsync(1000);
  expect(rows).toHaveBeenCalledTimes(1);
  // A message may have been missed, so all are asked about.
  leases.renew();
  await vi.advanceTimersByTimeAsync(0);
  expect(rows).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(rows).toHaveBeenCalledTimes(3);
  leases.stop();
});
