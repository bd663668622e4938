// The keyboard in the rail: which entry has the focus, where it goes when that entry moves to another group, and the arrows.
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

/** The entry of plan `id`; null: the entry in the tab order. */
export function focusEntry(id: string | null): void {
  const all = entries();
  focus(all.find((entry) => (id === null ? entry.tabIndex === 0 : idOf(entry) === id)));
}

/** One further or back from where the keyboard is; where it is elsewhere, to the selected plan, or the open one. */
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

/** An entry that had the focus may be drawn elsewhere or not at all: then what takes its place has it. Call before drawing. */
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

/** Arrows and the ends of the list; Escape closes a rail that lies over the page, and takes ticks away elsewhere. */
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
