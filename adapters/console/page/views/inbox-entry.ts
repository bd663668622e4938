// One plan in the rail.
import { titleListed } from '#cards/times.ts';
import type { InboxPlan } from '#domain/plan/inbox.ts';
import { type InboxState, isUnread, mayTick } from '../inbox/inbox.ts';
import { describeEntry, type EntryProgress, progressOf, sinceWhen } from '../inbox/words.ts';
import { html, nothing, svg, type TemplateResult } from '../lit.ts';
import { select, toggleTick } from '../live/inbox.ts';
import { openListed } from '../live/navigation.ts';
import { formatAge } from '../plan/format.ts';
import { callRequester } from '../plan/people.ts';
import { drawIcon } from './parts.ts';

function drawBar({ ended, total }: EntryProgress): TemplateResult {
  const width = `${(ended / total) * 100}%`;
  const part = svg`<rect width=${width} height="4" rx="2" />`;
  return html`<svg class="entry-bar" aria-hidden="true">${part}</svg>`;
}

function drawTick(
  plan: InboxPlan,
  inbox: InboxState,
  tab: number,
): TemplateResult | typeof nothing {
  if (!mayTick(plan)) return nothing;
  return html`<label class="entry-tick">
    <input
      type="checkbox"
      tabindex=${tab}
      aria-label=${`Select ${titleListed(plan)}`}
      .checked=${inbox.ticked.has(plan.id)}
      @change=${() => toggleTick(plan.id)}
    />
  </label>`;
}

/** @param at the entry in the tab order */
export function drawEntry(
  plan: InboxPlan,
  inbox: InboxState,
  open: string | null,
  at: string | null,
): TemplateResult {
  const { symbol, words, tone } = describeEntry(plan);
  const progress = progressOf(plan);
  const tab = plan.id === at ? 0 : -1;
  const since = sinceWhen(plan);
  const unread = isUnread(plan, inbox.seen);
  return html`<li class="entry" data-plan=${plan.id} data-status=${plan.status} data-open=${plan.id === open} data-unread=${unread}>
    <button
      class="entry-main"
      tabindex=${tab}
      aria-current=${plan.id === open ? 'true' : nothing}
      @click=${() => void openListed(plan)}
      @focus=${() => select(plan.id)}
    >
      <span class="entry-symbol" data-tone=${tone} aria-hidden="true">${symbol}</span>
      <span class="entry-title">${titleListed(plan)}</span>
      ${
        plan.guarded_operations.length === 0
          ? nothing
          : html`<span class="entry-shield" title="Has guarded steps"
              >${drawIcon('shield')}<span class="visually-hidden">has guarded steps</span></span
            >`
      }
      <span class="entry-facts">
        ${unread ? html`<span class="visually-hidden">Unread</span>` : nothing}
        <span class="entry-state" data-tone=${tone}>${words}</span>
        ${progress === null ? nothing : html`<span>${progress.ended.toLocaleString('en-US')} of ${progress.total.toLocaleString('en-US')}</span>`}
        <bdi class="entry-who">${callRequester(plan)}</bdi>
        <time datetime=${since}>${formatAge(since).replace(' ago', '')}</time>
      </span>
      ${progress === null ? nothing : drawBar(progress)}
    </button>
    ${drawTick(plan, inbox, tab)}
  </li>`;
}
