// A call's arguments as nested tables.
import { readsLikeJson, showExact, showString, showText } from '#domain/shown-text.ts';
import type { Json } from '#domain/text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import { readArgument } from '../plan/argument.ts';
import type { StepLabels } from '../plan/step-labels.ts';

const maxInline = 80;
/** Deeper values are JSON. */
const deepest = 4;

function drawLater(words: string): TemplateResult {
  return html`<span class="later"><span aria-hidden="true">⟲</span> ${words}</span>`;
}

function nameSource(step: string, path: string, names: StepLabels): string {
  return `${path === '' ? 'result' : showExact(path.slice(1))} of step ${showExact(names.get(step) ?? step)}`;
}

export function drawText(text: string): TemplateResult {
  const inline = text.length <= maxInline && !/[\r\n]/.test(text);
  return inline
    ? html`<span>${showString(text)}</span>`
    : html`${readsLikeJson(text) ? html`<span class="muted">text</span>` : nothing}<pre class="json" tabindex="0">${showText(text)}</pre>`;
}

const drawJson = (value: Json) =>
  html`<pre class="json" tabindex="0">${showText(JSON.stringify(value, null, 2))}</pre>`;

export function drawValue(value: Json, names: StepLabels, depth = 0): TemplateResult {
  const read = readArgument(value);
  switch (read.kind) {
    case 'text':
      return drawText(read.text);
    case 'plain':
      return html`<span>${read.text}</span>`;
    case 'output':
      return drawLater(nameSource(read.step, read.path, names));
    case 'artifact':
      return drawLater(
        `from artifact ${showExact(read.id)}${read.path === '' ? '' : ` ${showExact(read.path)}`}`,
      );
    case 'decided':
      return drawLater(`decided when it runs: ${showText(read.what)}`);
    case 'template':
      return html`<span class="template"
        >${read.pieces.map((piece) =>
          typeof piece === 'string'
            ? html`<span>${showText(piece)}</span>`
            : drawLater(nameSource(piece.step, piece.path, names)),
        )}</span
      >`;
    case 'list':
      if (read.items.length === 0) return html`<span class="muted">none</span>`;
      if (depth >= deepest) return drawJson(value);
      return html`<ol class="values">
        ${read.items.map((item) => html`<li>${drawValue(item, names, depth + 1)}</li>`)}
      </ol>`;
    case 'record':
      if (depth >= deepest) return drawJson(value);
      return drawArguments(read.entries, names, depth + 1);
    default:
      return read satisfies never;
  }
}

export function drawArguments(
  entries: [string, Json][],
  names: StepLabels,
  depth = 0,
): TemplateResult {
  return html`<table class="arguments">
    <tbody>
      ${entries.map(
        ([name, value]) => html`<tr>
          <th scope="row">${showExact(name)}</th>
          <td>${drawValue(value, names, depth)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

export function drawRest(
  entries: [string, Json][],
  names: StepLabels,
): TemplateResult | typeof nothing {
  return entries.length === 0 ? nothing : drawArguments(entries, names);
}
