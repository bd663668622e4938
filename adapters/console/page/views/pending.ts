// The drawer of plans that wait for a person's decision.
import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { cleanLine } from '#cards/plain.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import { openListed } from '../live/navigation.ts';
import { loadOlderPending } from '../live/pending.ts';
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

const rowsShown = () => [...document.querySelectorAll<HTMLElement>('#pending .pending-row')];

/** Where the arrows and the ends of the list lead from row `at` of `count`. */
const steps: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

function moveInList(event: KeyboardEvent): void {
  const step = steps[event.key];
  const rows = rowsShown();
  const at = rows.findIndex((row) => row.matches(':focus'));
  if (step === undefined || at < 0) return;
  event.preventDefault();
  rows[step(at, rows.length)]?.focus();
}

/** The focus goes on to the first of what was added: the button may be gone. */
async function showOlder(): Promise<void> {
  const first = await loadOlderPending();
  if (first === null) return;
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      rowsShown()
        .find((row) => row.dataset.plan === first)
        ?.focus(),
    ),
  );
}

function drawRow(plan: PlanSummary): TemplateResult {
  const state = plan.status === 'needs_review' ? '◷ Needs a review' : '◷ Waiting for approval';
  return html`<li>
    <button class="pending-row" data-plan=${plan.id} @click=${() => void openListed(plan)}>
      <span class="pending-title">${cleanLine(plan.title)}</span>
      <span class="pending-facts"
        >${state} · ${countOf(plan.total_steps, 'step')} ·
        <bdi>${plan.asked_by ?? plan.requester}</bdi> · ${formatAge(plan.created_at)}</span
      >
    </button>
  </li>`;
}

function drawOlder({ pendingNext: next, pendingProblem: problem }: State): TemplateResult {
  return html`${problem === null ? nothing : html`<p class="notice" role="alert">${problem}</p>`}
  ${next === null ? nothing : html`<button class="quiet more" id="older-pending" @click=${() => void showOlder()}>Show older</button>`}`;
}

export function drawPending(state: State): TemplateResult | typeof nothing {
  const { drawer, pending } = state;
  if (!drawer) return nothing;
  const rows =
    pending.length === 0
      ? drawEmpty(
          'Nothing is waiting',
          'Ask for something on the left; a plan that needs you is listed here.',
        )
      : html`<ul class="pending-list" @keydown=${moveInList}>
            ${repeat(pending, ({ id }) => id, drawRow)}
          </ul>
          ${drawOlder(state)}`;
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
