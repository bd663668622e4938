// Fields of an operation's form.
import { entryHints } from '#cards/words.ts';
import {
  type Entry,
  inputTypeOf,
  isOpenEntry,
  type OperationField,
  type OutputChoice,
  type Suggestion,
} from '#domain/plan/operation-form.ts';
import type { JsonObject } from '#domain/text.ts';
import { html, nothing, type TemplateResult } from '../lit.ts';
import type { FormPlace } from '../live/step-form.ts';
import { state } from '../live/store.ts';
import { readArgument } from '../plan/argument.ts';
import { drawControl, drawField } from './control.ts';
import { drawIcon } from './parts.ts';

export type Source = { id: string; label: string; outputs: OutputChoice[] };

export type FieldsOptions = {
  /** Names the form on the page. */
  form: FormPlace;
  entries: Readonly<Record<string, Entry>>;
  problems: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, Suggestion[]>;
  sources: Source[];
  /** Undefined clears it. */
  enter(name: string, entry: Entry | undefined): void;
  suggest(field: OperationField, typed: string): void;
  repeat(list: string, count: number): void;
};

const mostCharacters = 100_000;

const idOf = (form: string, name: string) => `${form}-${name.replaceAll(/[^\w]/g, '-')}`;

function nameOpen(value: JsonObject, sources: Source[]): string {
  const read = readArgument(value);
  if (read.kind === 'output') {
    const source = sources.find(({ id }) => id === read.step);
    const named = source?.outputs.find(({ path }) => path === read.path)?.label ?? read.path;
    return `from step ${source?.label ?? read.step}: ${named}`;
  }
  return read.kind === 'decided' ? `decided when it runs: ${read.what}` : 'known when it runs';
}

/** Appends to a text, otherwise replaces the value. */
function drawSources(
  field: OperationField,
  options: FieldsOptions,
): TemplateResult | typeof nothing {
  const { form, sources, enter } = options;
  if (sources.length === 0 || field.holds === 'variant') return nothing;
  const choose = ({ target }: Event) => {
    if (!(target instanceof HTMLSelectElement) || target.value === '') return;
    const [id = '', path = ''] = JSON.parse(target.value);
    target.value = '';
    // Typed text may not be drawn yet.
    const typed = state[form]?.build.step?.entries[field.name];
    const isText = field.holds === 'value' && (field.type === 'text' || field.type === 'multiline');
    const begun = isText && typeof typed === 'string' && typed.trim() !== '';
    enter(field.name, begun ? `${typed}{{${id}${path}}}` : { $from: id, path });
  };
  return html`<select class="field-source" aria-label=${`${field.label}: from an earlier step`} @change=${choose}>
    <option value="">⟲ From an earlier step…</option>
    ${sources.map(
      ({ id, label, outputs }) => html`<optgroup label=${`Step ${label}`}>
        ${outputs.map((one) => html`<option value=${JSON.stringify([id, one.path])}>${one.label}</option>`)}
      </optgroup>`,
    )}
  </select>`;
}

/** Boxes on the page, lines in the entry. */
function drawBoxes(field: OperationField, entry: string, options: FieldsOptions): TemplateResult {
  const chosen = entry.split('\n').filter((one) => one !== '');
  const toggle = (value: string) => {
    const others = chosen.filter((one) => one !== value);
    const now = chosen.includes(value) ? others : [...chosen, value];
    options.enter(field.name, now.join('\n'));
  };
  return html`<span class="choice-row" role="group" aria-label=${field.label}>
    ${field.options.map(
      ({ value, label }) => html`<label
        ><input type="checkbox" .checked=${chosen.includes(value)} @change=${() => toggle(value)} />${label}</label
      >`,
    )}
  </span>`;
}

function drawnTypeOf(field: OperationField, entry: Entry | undefined) {
  const type = inputTypeOf(field, entry);
  const isTime = field.holds === 'moment' && !String(entry ?? '').includes('{{');
  return isTime ? 'moment' : type;
}

function drawEntry(field: OperationField, options: FieldsOptions, id: string): TemplateResult {
  const { entries, problems, values, enter, suggest, sources } = options;
  const entry = entries[field.name];
  if (isOpenEntry(entry))
    return html`<p class="field-open">
      <span class="later"><span aria-hidden="true">⟲</span> ${nameOpen(entry, sources)}</span>
      <button type="button" class="quiet" aria-label=${`Remove ${field.label} ${nameOpen(entry, sources)}`} @click=${() => enter(field.name, undefined)}>
        Remove
      </button>
    </p>`;
  const value = entry === undefined || typeof entry === 'object' ? '' : String(entry);
  if (field.holds === 'list' && field.options.length > 0) return drawBoxes(field, value, options);
  const list = field.pick === null ? undefined : `${id}-list`;
  const known = values.get(field.name) ?? [];
  const note = (typed: string) => {
    enter(field.name, typed);
    if (field.pick !== null) suggest(field, typed);
  };
  return html`${drawControl(
    { ...field, type: drawnTypeOf(field, entry) },
    {
      id,
      value,
      invalid: problems.has(field.name),
      note,
      most: mostCharacters,
      ...(problems.has(field.name) ? { says: `${id}-says` } : {}),
      ...(list === undefined ? {} : { list, begun: () => suggest(field, value) }),
    },
  )}
  ${
    list === undefined
      ? nothing
      : html`<datalist id=${list}>
          ${known.map((one) => html`<option value=${one.value}>${one.label === one.value ? '' : one.label}</option>`)}
        </datalist>`
  }`;
}

function drawOne(field: OperationField, options: FieldsOptions): TemplateResult {
  const id = idOf(options.form, field.name);
  const { short, required, help, holds, name, neededFrom, type } = field;
  const isPlain = type === 'choice' || field.options.length > 0 || holds === 'moment';
  const hint = isPlain ? undefined : entryHints[holds];
  const sentence = help === null || help === '' ? '' : /[.!?]$/.test(help) ? help : `${help}.`;
  return drawField(
    {
      ...{ name, label: short, says: `${id}-says`, wrong: options.problems.get(name) },
      optional: !required && neededFrom === null && type !== 'boolean',
      help: [sentence, hint ?? ''].filter((one) => one !== '').join(' '),
      extra: isOpenEntry(options.entries[name]) ? nothing : drawSources(field, options),
    },
    drawEntry(field, options, id),
  );
}

function drawRepeat(
  { list }: OperationField,
  fields: OperationField[],
  repeat: FieldsOptions['repeat'],
): TemplateResult | typeof nothing {
  if (list === null) return nothing;
  const name = `/${list.path.join('/')}`;
  const count =
    Math.max(
      ...fields.flatMap((one) =>
        one.list?.path.join('/') === list.path.join('/') ? [one.list.index] : [],
      ),
    ) + 1;
  return html`<p class="field-repeat">
    <button type="button" class="quiet" @click=${() => repeat(name, count + 1)}>
      ${drawIcon('plus')} Add to ${list.label}
    </button>
    ${count < 2 ? nothing : html`<button type="button" class="quiet" @click=${() => repeat(name, count - 1)}>Remove ${list.label} ${count}</button>`}
  </p>`;
}

export function drawFields(fields: OperationField[], options: FieldsOptions): TemplateResult {
  return html`${fields.map((field, at) => {
    const [before, after] = [fields[at - 1], fields[at + 1]];
    const begins = field.within !== '' && field.within !== before?.within;
    const ends = field.list !== null && field.list.path.join('/') !== after?.list?.path.join('/');
    return html`${begins ? html`<h4>${field.within}</h4>` : nothing}
      ${drawOne(field, options)} ${ends ? drawRepeat(field, fields, options.repeat) : nothing}`;
  })}`;
}
