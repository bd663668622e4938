// The drawer of plans that wait for a person's decision.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { PlanSummary } from '#contracts/service.ts';
import { openListed } from '../live/navigation.ts';
import type { State } from '../live/state.ts';
import { change } from '../live/store.ts';
import { countOf, formatAge } from '../plan/format.ts';
import { drawEmpty, drawIcon } from './parts.ts';

function closeDrawer(): void {
  change((s) => {
    s.drawer = false;
  });
  document.getElementById('pending-button')?.focus();
}

function closeOnEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') closeDrawer();
}

function drawRow(plan: PlanSummary): TemplateResult {
  const state = plan.status === 'needs_review' ? '◷ Needs a review' : '◷ Waiting for approval';
  return html`<li>
    <button class="pending-row" @click=${() => void openListed(plan)}>
      <span class="pending-title">${plan.title}</span>
      <span class="pending-facts"
        >${state} · ${countOf(plan.total_steps, 'step')} · ${plan.requester} ·
        ${formatAge(plan.created_at)}</span
      >
    </button>
  </li>`;
}

export function drawPending({
  drawer,
  pending,
  pendingMore,
}: State): TemplateResult | typeof nothing {
  if (!drawer) return nothing;
  const rows =
    pending.length === 0
      ? drawEmpty(
          'Nothing is waiting',
          'Ask for something on the left; a plan that needs you is listed here.',
        )
      : html`<ul class="pending-list">${pending.map(drawRow)}</ul>
          ${pendingMore ? html`<p class="pending-more">The newest ${pending.length} are shown. Decide about some to see older ones.</p>` : nothing}`;
  return html`<div class="drawer-shade" @click=${closeDrawer}></div>
    <aside class="drawer" id="pending" aria-label="Pending plans" @keydown=${closeOnEscape}>
      <header class="drawer-head">
        <h2>Waiting for a decision</h2>
        <button class="quiet icon-only" aria-label="Close" @click=${closeDrawer}>
          ${drawIcon('close')}
        </button>
      </header>
      ${rows}
    </aside>`;
}
