// The rail of plans by need, and earlier conversations.
import { repeat } from 'lit-html/directives/repeat.js';
import { recurringWords } from '#cards/recurring-words.ts';
import { groupTitles } from '#cards/words.ts';
import type { InboxPage } from '#domain/plan/inbox.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countRest } from '#domain/words.ts';
import { type InboxState, isFolded } from '../inbox/inbox.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { showPane } from '../live/focus.ts';
import { layRail, listShown, loadMore, searchInbox, showView, toggleGroup } from '../live/inbox.ts';
import { openRecurring } from '../live/open.ts';
import type { State } from '../live/state.ts';
import { afterDrawing } from '../live/store.ts';
import { fillComposer } from './composer.ts';
import { drawConversations } from './conversations.ts';
import { drawEntry } from './inbox-entry.ts';
import { focusEntry, keepFocus, onRailKey } from './inbox-focus.ts';
import { drawIcon, drawLoading } from './parts.ts';
import { drawTriageBar } from './triage.ts';

const example = 'Write "Standup at 9:30" to notes/standup.md';

function tryExample(): void {
  layRail(false);
  showPane('conversation');
  afterDrawing(() => fillComposer(example));
}

async function showMore(page: InboxPage): Promise<void> {
  const first = await loadMore(page.group);
  if (first !== null) afterDrawing(() => focusEntry(first));
}

function drawMore(page: InboxPage): TemplateResult | typeof nothing {
  if (page.next_cursor === null) return nothing;
  const rest = countRest(page, page.plans.length);
  return html`<button class="quiet more" data-group=${page.group} @click=${() => void showMore(page)}>
    Show more${rest === '' ? nothing : html` <span class="muted">${rest}</span>`}
  </button>`;
}

function drawGroup(
  state: State,
  page: InboxPage,
  at: string | null,
): TemplateResult | typeof nothing {
  const { inbox } = state;
  const searching = inbox.searched !== '';
  const { group, total, plans } = page;
  if (total === 0 && (searching || group !== 'needs_you')) return nothing;
  const folded = isFolded(page, inbox.folded, searching);
  const empty = html`<p class="group-empty">Nothing waits for you.</p>`;
  const open = state.plan?.id ?? null;
  const list = html`<ul>
      ${repeat(
        plans,
        ({ id }) => id,
        (plan) => drawEntry(plan, inbox, open, at),
      )}
    </ul>
    ${drawMore(page)}`;
  return html`<section class="group" data-group=${group} aria-labelledby=${`group-${group}`}>
    <h2 id=${`group-${group}`}>
      <button aria-expanded=${!folded} ?disabled=${total === 0} @click=${() => toggleGroup(page)}>
        ${groupTitles[group]}<span class="chevron">${drawIcon('chevron')}</span>
        <span class="group-total">${countRest(page, 0) || '0'}</span>
      </button>
    </h2>
    ${folded ? nothing : total === 0 ? empty : list}
  </section>`;
}

function drawNothingFound({ searched }: InboxState): TemplateResult {
  return html`<div class="empty">
    <p class="empty-title">No plan matches ${quoteWords(searched, 200)}</p>
    <p>Search by title, summary or ID. Filter with <code>from:me</code>, <code>tool:http</code> or <code>status:done</code>.</p>
    <button class="quiet" @click=${clearSearch}>Clear the search</button>
  </div>`;
}

function drawNoPlans(): TemplateResult {
  return html`<div class="empty">
    <p class="empty-title">No plans yet</p>
    <p>Ask for something. Plans that need you are at the top of this list.</p>
    <button class="example" @click=${tryExample}>
      <span class="example-text">${example}</span>
      <span class="example-shows">Use this example</span>
    </button>
  </div>`;
}

function drawGroups(state: State): TemplateResult {
  const { groups, searched, selected, problem } = state.inbox;
  if (groups === null) return problem === null ? drawLoading() : html``;
  if (groups.every(({ total }) => total === 0)) {
    return searched === '' ? drawNoPlans() : drawNothingFound(state.inbox);
  }
  const shown = listShown(state.inbox);
  const at = shown.some(({ id }) => id === selected) ? selected : (shown[0]?.id ?? null);
  return html`${groups.map((page) => drawGroup(state, page, at))}`;
}

function getSearch(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('#inbox-search');
}

function clearSearch(): void {
  searchInbox('');
  getSearch()?.focus();
}

function onSearch({ target }: InputEvent): void {
  if (target instanceof HTMLInputElement) searchInbox(target.value);
}

/** Escape empties the field, then leaves it; Down goes to the results. */
function onSearchKey(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const field = getSearch();
  if (event.key === 'Escape' && field !== null) {
    event.stopPropagation();
    event.preventDefault();
    if (field.value === '') field.blur();
    else clearSearch();
  }
  if (event.key === 'ArrowDown' || event.key === 'Enter') {
    event.preventDefault();
    focusEntry(null);
  }
}

function drawSearch({ search }: InboxState): TemplateResult {
  return html`<div class="rail-search" role="search">
    ${drawIcon('search')}
    <input
      id="inbox-search"
      type="text"
      inputmode="search"
      autocomplete="off"
      spellcheck="false"
      aria-label="Search the plans"
      placeholder="Search, or from:me"
      maxlength="200"
      .value=${search}
      @input=${onSearch}
      @keydown=${onSearchKey}
    />
    ${search === '' ? html`<kbd aria-hidden="true">/</kbd>` : html`<button class="clear" aria-label="Clear the search" @click=${clearSearch}>${drawIcon('close')}</button>`}
  </div>`;
}

function drawViews({ view }: InboxState): TemplateResult {
  const option = (name: InboxState['view'], words: string) => html`<button
    aria-pressed=${view === name}
    @click=${() => showView(name)}
  >
    ${words}
  </button>`;
  return html`<div class="rail-views" role="group" aria-label="What the list shows">
    ${option('plans', 'Plans')} ${option('conversations', 'Conversations')}
  </div>`;
}

export function drawRail(state: State): TemplateResult {
  const { inbox } = state;
  const isPlans = inbox.view === 'plans';
  keepFocus();
  return html`<nav class="rail" id="rail" aria-label="Inbox" data-over=${inbox.over} @keydown=${onRailKey}>
    <header class="rail-head">
      ${drawViews(inbox)}
      <button class="quiet icon-only rail-close" aria-label="Close the inbox" @click=${() => layRail(false)}>${drawIcon('close')}</button>
    </header>
    ${isPlans ? drawSearch(inbox) : nothing}
    ${inbox.problem === null ? nothing : html`<p class="rail-problem" role="status">↻ ${inbox.problem} Trying again…</p>`}
    <div class="rail-list" id="rail-list">${isPlans ? drawGroups(state) : drawConversations(state)}</div>
    ${isPlans ? drawTriageBar(inbox) : nothing}
    <p class="rail-foot"><button class="link" id="recurring-button" aria-haspopup="dialog" @click=${() => void openRecurring()}>${recurringWords.title}</button></p>
    <p class="visually-hidden" role="status">${inbox.announcement}</p>
  </nav>`;
}
