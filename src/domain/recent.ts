// A bounded cache, so that strangers can't fill the memory.
import type { Clock } from './clock.ts';

export type Recent<V> = {
  get(name: string): V | undefined;
  /** Evicts the oldest entry when full. */
  set(name: string, value: V): void;
  delete(name: string): void;
};

/** @param limits `keep`: entries; `forMs`: lifetime, default unlimited */
export function createRecent<V>({
  keep,
  forMs = Number.POSITIVE_INFINITY,
  clock,
}: {
  keep: number;
  forMs?: number;
  clock?: Clock;
}): Recent<V> {
  const known = new Map<string, { value: V; until: number }>();
  const now = () => clock?.now().getTime() ?? 0;
  return {
    get(name) {
      const found = known.get(name);
      return found !== undefined && found.until > now() ? found.value : undefined;
    },
    set(name, value) {
      known.delete(name);
      const [oldest] = known.keys();
      if (known.size >= keep && oldest !== undefined) known.delete(oldest);
      known.set(name, { value, until: now() + forMs });
    },
    delete(name) {
      known.delete(name);
    },
  };
}

/** Failures are not kept. */
export function shareByKey<K, T>(
  known: {
    get(key: K): Promise<T> | undefined;
    set(key: K, made: Promise<T>): unknown;
    delete(key: K): unknown;
  },
  key: K,
  make: () => Promise<T>,
): Promise<T> {
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
