// Search among a plan's steps.
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { searchSteps, typeWords } from '../live/search.ts';
import type { PlanView, StepList } from '../live/state.ts';

function onInput({ target }: Event): void {
  if (target instanceof HTMLInputElement) typeWords(target.value);
}

/** Enter and Down go to the first match, Escape back to all. */
function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLInputElement)) return;
  if (event.key === 'Escape' && target.value !== '') {
    event.preventDefault();
    target.value = '';
    void searchSteps('');
  }
  if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  void searchSteps(target.value).then(() => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>('.steps .step-head')?.focus(),
      ),
    );
  });
}

function drawFound({ search }: PlanView, list: StepList): TemplateResult {
  const found = search?.found ?? null;
  const words =
    search === null || search.words.trim() === ''
      ? ''
      : found === null
        ? 'Searching…'
        : found.total === 0
          ? `No step matches ${quoteWords(search.words.trim(), 200)}. Every word must be in its name, operation, partition or arguments.`
          : `${countOf(found.total, 'step')} found`;
  const partitions = found?.partitions.filter(({ name }) => name !== '') ?? [];
  const more = (found?.partitions_total ?? 0) - (found?.partitions.length ?? 0);
  return html`<p class="found" role="status">${words}${partitions.length > 1 ? ' in' : nothing}</p>
    ${
      partitions.length < 2
        ? nothing
        : html`<div class="chips" role="group" aria-label="Only those found in">
            ${partitions.map(
              ({ name, steps }) => html`<button
                class="chip"
                aria-pressed=${list.partition === name}
                @click=${() => void searchSteps(list.words, list.partition === name ? null : name)}
              >
                ${quoteName(name, 200)} <span class="chip-count">${steps.toLocaleString()}</span>
              </button>`,
            )}
            ${more > 0 ? html`<span class="chips-label muted">and ${countOf(more, 'more partition')}</span>` : nothing}
          </div>`
    }`;
}

/** Plans on the page whole need none. */
export function drawSearch(view: PlanView, list: StepList): TemplateResult | typeof nothing {
  const isWhole = list.next_cursor === null && list.words === '' && list.partition === null;
  if (isWhole && list.status === null && view.search === null) return nothing;
  return html`<div class="search-bar">
    <input
      class="search"
      type="search"
      aria-label="Search the steps"
      placeholder="Search the steps by name, path, text or number"
      maxlength="200"
      .value=${view.search?.words ?? list.words}
      @input=${onInput}
      @keydown=${onKey}
    />
    ${drawFound(view, list)}
  </div>`;
}
