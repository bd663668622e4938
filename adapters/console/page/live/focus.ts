// The plan and tab in the right-hand column.
import { writeAddress } from './address.ts';
import { refreshPlan } from './plans.ts';
import { createPlanView, type Pane, type Tab } from './state.ts';
import { change, state } from './store.ts';

export function openPlan(id: string, tab?: Tab): void {
  const same = state.plan?.id === id;
  change((s) => {
    const view = same && s.plan !== null ? s.plan : createPlanView(id);
    s.plan = { ...view, tab: tab ?? view.tab };
  });
  writeAddress();
  if (same && tab === undefined) return;
  // Reviews start with the most dangerous steps.
  document.getElementById('tab-panel')?.scrollTo(0, 0);
  void refreshPlan();
}

export function openTab(tab: Tab): void {
  if (state.plan !== null) openPlan(state.plan.id, tab);
  // Tabs overflow on narrow screens.
  document.getElementById(`tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

export function showPane(pane: Pane): void {
  change((s) => {
    s.pane = pane;
  });
}
