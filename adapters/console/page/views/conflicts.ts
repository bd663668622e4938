// Schedule conflicts and buttons that resolve them.
import { showWhole } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { press } from '../live/press.ts';
import type { Card, State } from '../live/state.ts';

const maxShown = 5;

export function drawConflicts(
  state: State,
  { facts, view }: Card,
): TemplateResult | typeof nothing {
  const { conflicts, plan } = facts;
  if (conflicts.length === 0) return nothing;
  const moves = view.buttons.filter(({ press: one }) => one.action === 'reschedule');
  return html`<section class="conflicts" aria-label="Conflicts with other plans">
    <ul>
      ${conflicts.slice(0, maxShown).map((text) => html`<li><span aria-hidden="true">△</span> ${showWhole(text)}</li>`)}
      ${conflicts.length > maxShown ? html`<li class="muted">And ${countOf(conflicts.length - maxShown, 'more')}</li>` : nothing}
    </ul>
    ${
      moves.length === 0
        ? nothing
        : html`<div class="conflict-moves">
            ${moves.map(
              (button) => html`<button
                class="plain-button"
                ?disabled=${state.pressing.has(plan.id)}
                @click=${() => void press(button.press, {})}
              >
                ${button.label}
              </button>`,
            )}
            <span class="muted">You get a new version to approve.</span>
          </div>`
    }
  </section>`;
}
