// Keyboard focus and arrow keys in the rail.
import { clearTicks, layRail } from '../live/inbox.ts';
import { state } from '../live/store.ts';

const entries = () => [...document.querySelectorAll<HTMLElement>('#rail-list .entry-main')];

const idOf = (entry: Element | undefined) => entry?.closest<HTMLElement>('.entry')?.dataset.plan;

function findFocused(): HTMLElement | undefined {
  return entries().find((entry) => entry === document.activeElement);
}

function focus(entry: HTMLElement | undefined): void {
  entry?.focus({ preventScroll: true });
  entry?.scrollIntoView({ block: 'nearest' });
}

/** Null: the entry in the tab order. */
export function focusEntry(id: string | null): void {
  const all = entries();
  focus(all.find((entry) => (id === null ? entry.tabIndex === 0 : idOf(entry) === id)));
}

/** From the focus, else from the selected or open plan. */
export function moveSelection(by: number): void {
  const all = entries();
  const focused = findFocused();
  if (focused !== undefined) {
    focus(all[Math.max(0, Math.min(all.length - 1, all.indexOf(focused) + by))]);
    return;
  }
  const { selected } = state.inbox;
  const wanted = [selected, state.plan?.id];
  const known = wanted.map((id) => all.find((entry) => id !== undefined && idOf(entry) === id));
  focus(known.find((entry) => entry !== undefined) ?? all[0]);
}

/** Call before drawing: refocuses a moved entry or its successor. */
export function keepFocus(): void {
  const focused = findFocused();
  if (focused === undefined) return;
  const before = entries();
  const at = before.indexOf(focused);
  queueMicrotask(() => {
    if (focused.isConnected || document.activeElement !== document.body) return;
    const following = before.slice(at + 1).find((entry) => entry.isConnected);
    const preceding = before.slice(0, at).findLast((entry) => entry.isConnected);
    focus(following ?? preceding ?? entries()[0]);
  });
}

const ends: Record<string, (all: HTMLElement[]) => HTMLElement | undefined> = {
  Home: (all) => all[0],
  End: (all) => all.at(-1),
};

/** Escape closes an overlaid rail, else clears ticks. */
export function onRailKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    if (state.inbox.over) {
      layRail(false);
      document.getElementById('rail-button')?.focus();
    } else if (state.inbox.ticked.size > 0) clearTicks();
    return;
  }
  if (findFocused() === undefined) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const end = ends[event.key];
  if (by === undefined && end === undefined) return;
  event.preventDefault();
  if (by !== undefined) moveSelection(by);
  else focus(end?.(entries()));
}
