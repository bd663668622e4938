// A file before and after a step.
import type { StepPreview } from '#domain/plan/preview.ts';
import { showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import type { State } from '../live/state.ts';
import { change } from '../live/store.ts';
import {
  countDiff,
  type DiffPart,
  type DiffRow,
  toDiffParts,
  toNewRows,
} from '../plan/diff-rows.ts';

/** Lines drawn at once. */
const maxShown = 300;

const signWords: Record<DiffRow['sign'], string> = {
  '+': 'added',
  '-': 'removed',
  ' ': '',
  '\\': '',
};

function drawRow({ sign, text, old, now }: DiffRow): TemplateResult {
  const words = signWords[sign];
  return html`<div class="diff-row" data-sign=${sign}>
    <span class="diff-number" aria-hidden="true">${old ?? ''}</span><span class="diff-number" aria-hidden="true">${now ?? ''}</span
    ><span class="diff-sign" aria-hidden="true">${sign === '-' ? '−' : sign === '+' ? '+' : ''}</span
    ><span class="diff-text">${words === '' ? nothing : html`<span class="visually-hidden">${words}: </span>`}${showText(text)}</span>
  </div>`;
}

/** A press draws the rest. */
function drawRows(state: State, key: string, rows: DiffRow[]): TemplateResult {
  const hidden = state.whole.has(key) ? 0 : Math.max(0, rows.length - maxShown);
  const show = () =>
    change((s) => {
      s.whole.add(key);
    });
  return html`${rows.slice(0, rows.length - hidden).map(drawRow)}
  ${hidden === 0 ? nothing : html`<button class="diff-more" @click=${show}>Show ${countOf(hidden, 'more line')}</button>`}`;
}

function drawPart(state: State, key: string, part: DiffPart, index: number): TemplateResult {
  switch (part.kind) {
    case 'rows':
      return drawRows(state, `${key} ${index}`, part.rows);
    case 'fold':
      return html`<details class="diff-fold">
        <summary>${countOf(part.rows.length, 'unchanged line')}</summary>
        ${part.rows.map(drawRow)}
      </details>`;
    case 'gap':
      return html`<p class="diff-gap">${countOf(part.lines, 'unchanged line')}</p>`;
    default:
      return part satisfies never;
  }
}

function drawFrame(label: string, note: string, body: unknown): TemplateResult {
  return html`<figure class="diff-file" aria-label=${label}>
    <figcaption>${label}${note === '' ? nothing : html` <span class="muted">${note}</span>`}</figcaption>
    <div class="diff-lines" tabindex="0">${body}</div>
  </figure>`;
}

const changedNote = html`<p class="diff-changed">
  △ This file has changed since the plan was proposed. The difference is from the file as it is now.
</p>`;

/** A diff, or all of a new text. */
export function drawWrite(
  state: State,
  key: string,
  content: string,
  preview: StepPreview | undefined,
): TemplateResult {
  const changed = preview?.changed === true ? changedNote : nothing;
  const hunks = preview?.file.hunks ?? null;
  if (hunks !== null) {
    const { added, removed } = countDiff(hunks);
    if (added + removed === 0)
      return html`${changed}<p class="muted">The file has exactly this content already.</p>`;
    const parts = toDiffParts(hunks);
    return html`${changed}${drawFrame(
      'Changes in the file',
      `+${added.toLocaleString()} −${removed.toLocaleString()}`,
      parts.map((part, index) => drawPart(state, key, part, index)),
    )}`;
  }
  const rows = toNewRows(content);
  const isNew = preview?.file.found === 'nothing';
  const label = isNew ? 'New file' : 'New contents';
  const body = content === '' ? html`<p class="diff-gap">Empty</p>` : drawRows(state, key, rows);
  return html`${changed}${drawFrame(label, countOf(rows.length, 'line'), body)}`;
}

/** The beginning of a deleted or moved file. */
export function drawLeaving(
  preview: StepPreview | undefined,
  label: string,
): TemplateResult | typeof nothing {
  if (preview === undefined) return nothing;
  const { text, size, cut } = preview.file;
  if (text === null || text === '') return preview.changed ? changedNote : nothing;
  const rows = toNewRows(text).map((row): DiffRow => ({ ...row, sign: ' ', old: null }));
  const note = size === null ? '' : `${countOf(size, 'byte')}${cut ? ', its beginning' : ''}`;
  return html`${preview.changed ? changedNote : nothing}${drawFrame(label, note, rows.map(drawRow))}`;
}
