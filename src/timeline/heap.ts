// A binary min-heap.

export type Heap<T> = { size(): number; push(item: T): void; pop(): T | undefined };

/** `compare` as for sorting. Push and pop take logarithmic time. */
export function createHeap<T>(compare: (a: T, b: T) => number): Heap<T> {
  const items: T[] = [];
  const isBefore = (a: number, b: number) => {
    const [one, other] = [items[a], items[b]];
    return one !== undefined && other !== undefined && compare(one, other) < 0;
  };
  const swap = (a: number, b: number) => {
    const [one, other] = [items[a], items[b]];
    if (one === undefined || other === undefined) return;
    items[a] = other;
    items[b] = one;
  };
  return {
    size: () => items.length,
    push(item) {
      items.push(item);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      swap(0, items.length - 1);
      const first = items.pop();
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const child = isBefore(left + 1, left) ? left + 1 : left;
        if (!isBefore(child, at)) return first;
        swap(at, child);
        at = child;
      }
    },
  };
}
