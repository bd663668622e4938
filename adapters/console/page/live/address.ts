// The page's address names conversation, plan, tab and settings.
import type { Pane } from './state.ts';
import { state } from './store.ts';

/** Call before showing something else, so that Back returns here. */
export function leaveHere(next: Pane): void {
  history.replaceState({ pane: state.pane }, '');
  history.pushState({ pane: next }, '');
}

export function writeAddress(push = false): void {
  const url = new URL(location.href);
  url.searchParams.set('c', state.conversation);
  if (state.plan === null) url.searchParams.delete('plan');
  else url.searchParams.set('plan', state.plan.id);
  if (state.plan === null || state.plan.tab === 'overview') url.searchParams.delete('tab');
  else url.searchParams.set('tab', state.plan.tab);
  if (state.settings === null) url.searchParams.delete('settings');
  else url.searchParams.set('settings', state.settings.section);
  if (url.href === location.href) return;
  if (push) history.pushState(history.state, '', url);
  else history.replaceState(history.state, '', url);
}
