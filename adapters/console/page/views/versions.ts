// Two versions side by side, with changed words marked.
import { headlineOf } from '#cards/calls.ts';
import { nameField } from '#cards/version-words.ts';
import type { FieldChange, VersionDiff } from '#domain/plan/views.ts';
import { showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { formatTime } from '../plan/format.ts';
import { compareWords, type Piece } from '../plan/word-diff.ts';

type Side = 'before' | 'after';

function drawPieces(pieces: Piece[], side: Side): TemplateResult {
  return html`<pre class="side-value">${pieces.map(({ text, changed }) =>
    changed
      ? side === 'before'
        ? html`<del>${showText(text)}</del>`
        : html`<ins>${showText(text)}</ins>`
      : html`<span>${showText(text)}</span>`,
  )}</pre>`;
}

function drawField({ field, from, to }: FieldChange): TemplateResult {
  const shown = (value: string | null) =>
    value !== null && value !== '' && field === 'not_before' ? formatTime(value) : (value ?? '');
  const pieces = compareWords(shown(from), shown(to));
  const side = (value: string | null, which: Side) =>
    html`<div class="side-cell" data-side=${which}>
      <span class="side-name">${nameField(field)}</span>
      ${value === null || value === '' ? html`<span class="muted">nothing</span>` : drawPieces(pieces[which], which)}
    </div>`;
  return html`${side(from, 'before')} ${side(to, 'after')}`;
}

function drawChanged({
  call,
  changes,
  changes_total: total,
}: VersionDiff['changed'][number]): TemplateResult {
  const hidden = total - changes.length;
  return html`<li class="side-step" data-sign="~">
    <h4><span class="visually-hidden">Changed: </span>${headlineOf(call)}</h4>
    <div class="side-grid">${changes.map(drawField)}</div>
    ${hidden === 0 ? nothing : html`<p class="muted">and ${countOf(hidden, 'more field')}</p>`}
  </li>`;
}

function drawAlone({ call }: VersionDiff['added'][number], side: Side): TemplateResult {
  const words = side === 'after' ? 'Added' : 'Removed';
  const cell = html`<div class="side-cell" data-side=${side} data-whole="true">
    <span class="side-name">${words}</span>
    <strong>${headlineOf(call)}</strong>
    ${call.parts
      .filter(({ aid }) => aid !== true)
      .map(
        ({ label, text }) => html`<span class="side-name">${label}</span>
          <pre class="side-value">${showText(text)}</pre>`,
      )}
  </div>`;
  const empty = html`<div class="side-cell" data-empty="true"></div>`;
  return html`<li class="side-step" data-sign=${side === 'after' ? '+' : '−'}>
    <div class="side-grid">${side === 'after' ? [empty, cell] : [cell, empty]}</div>
  </li>`;
}

export function drawSideBySide(diff: VersionDiff): TemplateResult {
  const { from, to, added, removed, changed, counts, total } = diff;
  const same = total.to - counts.added - counts.changed;
  return html`<div class="side">
    <div class="side-grid side-head">
      <span>Version ${from}</span><span>Version ${to}</span>
    </div>
    <ol>
      ${changed.map(drawChanged)} ${removed.map((step) => drawAlone(step, 'before'))}
      ${added.map((step) => drawAlone(step, 'after'))}
    </ol>
    <p class="muted">${same <= 0 ? 'No step is the same.' : `${countOf(same, 'step')} the same in both.`}</p>
  </div>`;
}
