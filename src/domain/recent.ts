// What is remembered of many by their names: the latest so many, so that no stranger fills the memory of a process.
import type { Clock } from './clock.ts';

export type Recent<V> = {
  get(name: string): V | undefined;
  /** Where there is no room, what was set longest ago is forgotten. */
  set(name: string, value: V): void;
  delete(name: string): void;
};

/** @param limits `keep`: how many; `forMs`: how long, by `clock`; left out: until there is no room */
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
