// The use of shared pools over time.

/** `used[i]` holds from `times[i]` on. */
type Profile = { capacity: number; times: number[]; used: number[] };

export type Demands = ReadonlyMap<string, number>;

export class PoolTime {
  readonly #profiles: Map<string, Profile>;

  constructor(capacity: Demands) {
    this.#profiles = new Map(
      [...capacity].map(([pool, most]) => [
        pool,
        { capacity: most, times: [Number.NEGATIVE_INFINITY], used: [0] },
      ]),
    );
  }

  /** Null if a demand exceeds its pool. */
  findRoom(demands: Demands, from: number, length: number): number | null {
    let at = from;
    for (let moved = true; moved; ) {
      moved = false;
      for (const [pool, amount] of demands) {
        const profile = this.#profiles.get(pool);
        if (profile === undefined) continue;
        const room = findRoomIn(profile, amount, at, length);
        if (room === null) return null;
        moved ||= room > at;
        at = room;
      }
    }
    return at;
  }

  take(demands: Demands, from: number, to: number): void {
    if (to <= from) return;
    for (const [pool, amount] of demands) {
      const profile = this.#profiles.get(pool);
      if (profile === undefined) continue;
      const [first, last] = [split(profile, from), split(profile, to)];
      for (let i = first; i < last; i += 1) profile.used[i] = (profile.used[i] ?? 0) + amount;
    }
  }
}

/** Decimal amounts are summed as doubles. */
const rounding = 1e-9;

function findRoomIn(
  { capacity, times, used }: Profile,
  amount: number,
  from: number,
  length: number,
): number | null {
  if (amount > capacity + rounding) return null;
  let at = from;
  for (let i = indexAt(times, from); i < times.length; i += 1) {
    if (length > 0 && (times[i] ?? 0) >= at + length) break;
    if ((used[i] ?? 0) + amount > capacity + rounding) at = times[i + 1] ?? at;
  }
  return at;
}

function indexAt(times: number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}

function split({ times, used }: Profile, at: number): number {
  const index = indexAt(times, at);
  if (times[index] === at) return index;
  times.splice(index + 1, 0, at);
  used.splice(index + 1, 0, used[index] ?? 0);
  return index + 1;
}
