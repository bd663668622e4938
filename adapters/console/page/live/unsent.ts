// Unsent comments and edits by plan, kept with their version.
import { recall, remember } from './remembered.ts';
import type { Card, State } from './state.ts';
import { change, state } from './store.ts';

type Unsent = { step: string; label: string; digest: string; version: number };

type UnsentItems<T extends Unsent> = {
  allOf(plan: string): T[];
  split(card: Card): { current: T[]; older: T[] };
  keep(plan: string, items: T[]): void;
  /** Null removes it. */
  replace(plan: string, place: Pick<Unsent, 'step' | 'digest'>, item: T | null): void;
  remove(plan: string, item: T): void;
};

/** @param isOne type guard for stored items */
export function keepUnsent<T extends Unsent>(
  name: string,
  itemsOf: (state: State) => Map<string, T[]>,
  isOne: (value: Partial<T>) => boolean,
): UnsentItems<T> {
  const keyOf = (plan: string) => `${name}.${plan}`;
  const isItem = (value: unknown): value is T => {
    if (typeof value !== 'object' || value === null) return false;
    const item = value as Partial<T>;
    const texts = [item.step, item.label, item.digest];
    const isKnown = texts.every((one) => typeof one === 'string');
    return isKnown && typeof item.version === 'number' && isOne(item);
  };

  function allOf(plan: string): T[] {
    const known = itemsOf(state).get(plan);
    if (known !== undefined) return known;
    const stored = recall(keyOf(plan));
    const items = Array.isArray(stored) ? stored.filter(isItem) : [];
    itemsOf(state).set(plan, items);
    return items;
  }

  function keep(plan: string, items: T[]): void {
    change((s) => itemsOf(s).set(plan, items));
    remember(keyOf(plan), items.length === 0 ? null : items);
  }

  return {
    allOf,
    keep,
    split: ({ facts: { plan } }) => ({
      current: allOf(plan.id).filter(({ digest }) => digest === plan.digest),
      older: allOf(plan.id).filter(({ digest }) => digest !== plan.digest),
    }),
    replace(plan, { step, digest }, item) {
      const others = allOf(plan).filter((one) => one.step !== step || one.digest !== digest);
      keep(plan, item === null ? others : [...others, item]);
    },
    remove(plan, item) {
      keep(
        plan,
        allOf(plan).filter((one) => one !== item),
      );
    },
  };
}
