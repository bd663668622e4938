// The address of the page: it names the conversation, the plan and the tab, and the open settings, so that a reload comes back to them.
import { state } from './store.ts';

export function writeAddress(push: boolean): void {
  const url = new URL(location.href);
  url.searchParams.set('c', state.conversation);
  if (state.plan === null) url.searchParams.delete('plan');
  else url.searchParams.set('plan', state.plan.id);
  if (state.plan === null || state.plan.tab === 'overview') url.searchParams.delete('tab');
  else url.searchParams.set('tab', state.plan.tab);
  if (state.settings === null) url.searchParams.delete('settings');
  else url.searchParams.set('settings', state.settings.section);
  if (url.href === location.href) return;
  if (push) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
}
