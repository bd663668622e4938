// A bounded cache by name, so that strangers can't fill the memory.
import type { Clock } from './clock.ts';

export type Recent<V> = {
  get(name: string): V | undefined;
  /** Evicts the entry set longest ago when full. */
  set(name: string, value: V): void;
  delete(name: string): void;
};

/** @param limits `keep`: entries; `forMs`: lifetime by `clock`, default unlimited */
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
