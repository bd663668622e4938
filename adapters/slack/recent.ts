// What is remembered of many by their names: the latest so many, so that no stranger fills the memory of a process.

export type Recent<V> = {
  get(name: string): V | undefined;
  /** Where there is no room, what was set longest ago is forgotten. */
  set(name: string, value: V): void;
  delete(name: string): void;
};

export function createRecent<V>(atMost: number): Recent<V> {
  const known = new Map<string, V>();
  return {
    get: (name) => known.get(name),
    set(name, value) {
      known.delete(name);
      const [oldest] = known.keys();
      if (known.size >= atMost && oldest !== undefined) known.delete(oldest);
      known.set(name, value);
    },
    delete(name) {
      known.delete(name);
    },
  };
}
