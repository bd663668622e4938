// Changes: what differs between two versions of the plan.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { VersionDiff } from '#contracts/views.ts';
import { compareVersions } from '../live/plans.ts';
import type { Card, PlanView } from '../live/state.ts';
import { formatTime } from '../plan/format.ts';
import { drawEmpty, drawLoading, drawSection } from './parts.ts';

function drawChange(sign: string, words: string, description: string, note = ''): TemplateResult {
  return html`<li data-sign=${sign}>
    <span class="sign" aria-hidden="true">${sign}</span>
    <span><span class="visually-hidden">${words}: </span>${description} ${note === '' ? nothing : html`<span class="muted">${note}</span>`}</span>
  </li>`;
}

function drawDiff(diff: VersionDiff): TemplateResult {
  const { added, removed, changed, operations_added, operations_removed, title_changed } = diff;
  const items = [
    ...added.map(({ description }) => drawChange('+', 'Added', description)),
    ...removed.map(({ description }) => drawChange('−', 'Removed', description)),
    ...changed.map(({ description, fields }) =>
      drawChange('~', 'Changed', description, fields.join(', ')),
    ),
    ...operations_added.map((name) => drawChange('+', 'New operation', name, 'new operation')),
    ...operations_removed.map((name) => drawChange('−', 'Operation gone', name, 'no longer used')),
    ...(title_changed ? [drawChange('~', 'Changed', 'Title')] : []),
  ];
  if (items.length === 0) return drawEmpty('No difference', 'These versions say the same.');
  return html`<ul class="diff">${items}</ul>`;
}

function drawChoice(
  { a, b }: { a: number; b: number },
  latest: number,
): TemplateResult | typeof nothing {
  if (latest < 3) return nothing;
  const pairs = Array.from({ length: latest - 1 }, (_, index) => [index + 1, index + 2] as const);
  const all = [...pairs, [1, latest] as const];
  return html`<div class="chips" role="group" aria-label="Which versions">
    ${all.map(
      ([
        from,
        to,
      ]) => html`<button class="chip" aria-pressed=${a === from && b === to} @click=${() => void compareVersions(from, to)}>
        ${from} → ${to}
      </button>`,
    )}
  </div>`;
}

function drawFeedback({ facts }: Card): TemplateResult | typeof nothing {
  const { rejection_history: history } = facts.plan;
  if (history.length === 0) return nothing;
  return drawSection(
    'What was said',
    html`<ul class="feedback">
      ${history.map(
        ({ version, by, at, feedback }) => html`<li>
          <p>${feedback ?? 'Rejected without a reason.'}</p>
          <span class="muted">${by} to version ${version}, ${formatTime(at)}</span>
        </li>`,
      )}
    </ul>`,
  );
}

export function drawChanges(view: PlanView, card: Card): TemplateResult {
  const { version } = card.facts.plan;
  if (version < 2) {
    return html`${drawEmpty('One version so far', 'Propose changes, and what differs is shown here step by step.')}
    ${drawFeedback(card)}`;
  }
  if (view.versions === null) return drawLoading();
  const { a, b, diff } = view.versions;
  return html`${drawChoice(view.versions, version)}
  ${drawSection(`From version ${a} to ${b}`, drawDiff(diff))} ${drawFeedback(card)}`;
}
