// Holds the state; redraws at most once a frame.
import { createState, type State } from './state.ts';

const draw: { now: () => void; due: boolean } = { now: () => {}, due: false };

export const state: State = createState('');

export function onChange(drawNow: () => void): void {
  draw.now = drawNow;
}

export function change(apply: (state: State) => void): void {
  apply(state);
  if (draw.due) return;
  draw.due = true;
  requestAnimationFrame(() => {
    draw.due = false;
    draw.now();
  });
}

/** Draws at once, for the focus. */
export function changeNow(apply: (state: State) => void): void {
  apply(state);
  draw.now();
}

/** After the pending drawing, in the same frame. */
export function afterDrawing(act: () => void): void {
  requestAnimationFrame(act);
}
