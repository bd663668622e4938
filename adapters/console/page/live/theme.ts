// Light, dark or as the system, per browser.
import { recall, remember } from './remembered.ts';
import { change } from './store.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const preferred = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export const readTheme = (): Theme => themes.find((one) => one === recall('theme')) ?? 'system';

export function isDark(): boolean {
  const theme = readTheme();
  return theme === 'system' ? preferred.matches : theme === 'dark';
}

/** @returns stops it */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function apply(): void {
  document.documentElement.dataset.theme = readTheme();
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? null : theme);
  apply();
  change(() => {});
}

preferred.addEventListener('change', apply);
// Another window chose.
addEventListener('storage', apply);
apply();
