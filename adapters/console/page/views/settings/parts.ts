// Building blocks of settings sections.
import type { Tone } from '#cards/view.ts';
import type { CheckedPart, SettingsView } from '#domain/settings-view.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { check, nameCheck } from '../../live/settings.ts';
import type { Settings } from '../../live/state.ts';
import { drawBadge } from '../parts.ts';

export type Fact = [name: unknown, value: unknown];

/** @param facts null ones are skipped */
export function drawFactList(facts: (Fact | null)[]): TemplateResult {
  return html`<dl class="setting-facts">
    ${facts
      .filter((fact) => fact !== null)
      .map(
        ([name, value]) => html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
      )}
  </dl>`;
}

export function drawBlock(
  title: string,
  content: unknown,
  aside: unknown = nothing,
): TemplateResult {
  return html`<section class="setting-block">
    <header>
      <h3>${title}</h3>
      ${aside}
    </header>
    ${content}
  </section>`;
}

function drawNames(names: string[]): TemplateResult[] {
  return names.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`);
}

/** `keys` in the file, `variables` in the environment. */
export function drawWhere(
  { file }: Pick<SettingsView, 'file'>,
  { keys = [], variables = [] }: { keys?: string[]; variables?: string[] },
): TemplateResult {
  const inFile =
    keys.length === 0
      ? nothing
      : html`${drawNames(keys)} in <code>${file.path}</code>${
          file.found ? nothing : html` (not there yet: copy <code>countersign.example.json</code>)`
        }`;
  const inEnvironment =
    variables.length === 0
      ? nothing
      : html`${drawNames(variables)} in the environment of the process`;
  const both = keys.length > 0 && variables.length > 0 ? '; ' : nothing;
  return html`<p class="setting-where">
    Set by ${inFile}${both}${inEnvironment}. Restart Countersign after a change.
  </p>`;
}

const found = { ok: ['✓', 'good'], off: ['–', 'default'], broken: ['✕', 'attention'] } as const;

export function drawState(state: keyof typeof found, words: string): TemplateResult {
  const [symbol, tone] = found[state] satisfies readonly [string, Tone];
  return drawBadge(symbol, words, tone);
}

export function drawCheck(asked: CheckedPart, { checks }: Settings, words: string): TemplateResult {
  const results = checks.get(nameCheck(asked));
  return html`<div class="setting-check" aria-live="polite">
    <button type="button" class="quiet bordered" ?disabled=${results === null} @click=${() => void check(asked)}>
      ${results === null ? 'Checking …' : words}
    </button>
    ${(results ?? []).map(
      ({ part, state, text, advice }) => html`<p data-state=${state}>
        <span aria-hidden="true">${found[state][0]}</span>
        ${results?.length === 1 ? nothing : html`<strong>${showText(part)}:</strong>`} ${showText(text)}
        ${advice === undefined ? nothing : showText(advice)}
      </p>`,
    )}
  </div>`;
}
