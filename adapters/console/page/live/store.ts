// Holds the state and redraws at most once a frame after it changed.
import { createState, type State } from './state.ts';

const draw: { now: () => void; due: boolean } = { now: () => {}, due: false };

export const state: State = createState('');

/** Who draws the page. Called once, at start. */
export function onChange(drawNow: () => void): void {
  draw.now = drawNow;
}

/** Changes the state and asks for a redraw. */
export function change(apply: (state: State) => void): void {
  apply(state);
  if (draw.due) return;
  draw.due = true;
  requestAnimationFrame(() => {
    draw.due = false;
    draw.now();
  });
}

/** Changes the state and draws at once, so that the caller can move the focus into the result. */
export function changeNow(apply: (state: State) => void): void {
  apply(state);
  draw.now();
}

/** Does `act` once what was changed is on the page: drawing was asked for before, so it comes first in the same frame. */
export function afterDrawing(act: () => void): void {
  requestAnimationFrame(act);
}
