// How often one address may come back from Slack: each time Slack is asked and a row is kept, and anybody can come.
import type { Clock } from '#contracts/clock.ts';
import { createRecent } from '../recent.ts';

const perMinute = 30;
const addresses = 1000;

/** @returns whether an address may come once more */
export function createLimit(clock: Clock): (address: string) => boolean {
  const seen = createRecent<{ until: number; left: number }>(addresses);
  return (address) => {
    const now = clock.now().getTime();
    const one = seen.get(address);
    if (one === undefined || one.until <= now) {
      seen.set(address, { until: now + 60_000, left: perMinute - 1 });
      return true;
    }
    if (one.left === 0) return false;
    one.left -= 1;
    return true;
  };
}
