// Slack's windows: frame, forms, ticks.
import { cutShown } from '#domain/shown-text.ts';
import { windowWords } from './chat-words.ts';
import { type Drawn, expandBlocks, expandCard, findTemplate } from './expand.ts';
import { platformLimits } from './limits.ts';
import type { Field, Form } from './view.ts';

const templates = {
  window: findTemplate('slack/window.json'),
  form: findTemplate('slack/form.json'),
};

export const maxText = platformLimits.slack.inputText;

export const textBlock = 'text';
export const valueId = 'value';
export const fieldBlock = (name: string) => `field:${name}`;
export const partBlock = (index: number) => `part:${index}`;

const plain = (text: string, max: number) => ({
  type: 'plain_text' as const,
  text: cutShown(text, max),
  emoji: false,
});

/** Not parsed by Slack. */
export function textSection(text: string) {
  return { type: 'section' as const, text: plain(text, platformLimits.slack.sectionText) };
}

/** https://docs.slack.dev/reference/block-kit/blocks/alert-block */
export function alertBlock(text: string) {
  const { sectionText } = platformLimits.slack;
  return { type: 'alert' as const, level: 'warning' as const, text: plain(text, sectionText) };
}

/** @param submit null if it can only be closed */
export function drawWindow(view: {
  title: string;
  close: string;
  submit: string | null;
  callback_id: string;
  metadata: string;
  blocks: object[];
}): Drawn {
  const { title, close, submit } = view;
  return expandCard(templates.window, {
    ...view,
    title: cutShown(title, platformLimits.slack.viewTitle),
    close: cutShown(close, platformLimits.slack.viewButton),
    submit: submit === null ? null : plain(submit, platformLimits.slack.viewButton),
  });
}

const placeholderOf = (text: string) =>
  text === '' ? null : plain(text, platformLimits.slack.placeholder);

const optionOf = (label: string, value: string) => ({
  text: plain(label, platformLimits.slack.optionText),
  value,
});

const { options: maxOptions, checkboxes: maxBoxes, optionValue } = platformLimits.slack;

/** By index: values may exceed Slack's limit. */
const optionsOf = ({ options }: Field) =>
  options.slice(0, maxOptions).map(({ label }, index) => optionOf(label, String(index)));

const textInput = (field: Pick<Field, 'type' | 'value'>, placeholder: string) => ({
  type: 'plain_text_input',
  multiline: field.type === 'multiline',
  max_length: field.type === 'multiline' ? maxText : platformLimits.slack.inputLine,
  placeholder: placeholderOf(placeholder),
  initial_value: field.value || null,
});

/** Slack asks for our values while people type. */
const fileMenu = (entry: string) => ({
  type: 'external_select',
  min_query_length: 0,
  initial_option: entry === '' ? null : optionOf(entry, entry),
});

/** Slack's boxes hold few. */
function severalOf(field: Field) {
  const options = optionsOf(field);
  const chosen = new Set((field.value ?? '').split('\n'));
  const initial = options.filter((_, index) => chosen.has(field.options[index]?.value ?? ''));
  return {
    type: options.length <= maxBoxes ? 'checkboxes' : 'multi_static_select',
    options,
    initial_options: initial.length === 0 ? null : initial,
  };
}

/** @param placeholder help, unless drawn below */
function drawElement(field: Field, placeholder: string) {
  const { type, value: entry = '', options, min, max, whole } = field;
  if (field.several === true) return severalOf(field);
  if (field.pick === 'person') return { type: 'users_select', initial_user: entry || null };
  if (field.pick === 'file' && entry.length <= optionValue) return fileMenu(entry);
  switch (type) {
    case 'text':
    case 'multiline':
      return textInput(field, placeholder);
    case 'number':
      return {
        type: 'number_input',
        is_decimal_allowed: !whole,
        placeholder: placeholderOf(placeholder),
        min_value: min === null ? null : String(min),
        max_value: max === null ? null : String(max),
        initial_value: entry || null,
      };
    case 'date':
      return { type: 'datepicker', initial_date: isDay(entry) ? entry : null };
    case 'choice': {
      const chosen = options.findIndex(({ value }) => value === entry);
      const drawn = optionsOf(field);
      return { type: 'static_select', options: drawn, initial_option: drawn[chosen] ?? null };
    }
    case 'boolean': {
      const yes = optionOf(windowWords.yes, 'true');
      return {
        type: 'checkboxes',
        options: [yes],
        initial_options: entry === 'true' ? [yes] : null,
      };
    }
    default:
      return type satisfies never;
  }
}

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);

export type Input = {
  block_id: string;
  label: string;
  optional: boolean;
  element: object;
  hint?: string;
  dispatch?: true;
};

export function drawInputs(inputs: Input[]): Drawn[] {
  return expandBlocks(templates.form, {
    inputs: inputs.map(({ label, hint = '', dispatch = null, element, ...input }) => ({
      ...input,
      ...{ dispatch, element: { ...element, action_id: valueId } },
      hint: hint === '' ? null : plain(hint, platformLimits.slack.inputLabel),
      label: plain(label, platformLimits.slack.inputLabel),
    })),
  });
}

/** @param hinted help is drawn below */
export function inputOf(field: Field, block: string, hinted = false): Input {
  return {
    ...{ block_id: block, label: field.label },
    // Unticked is an answer too.
    optional: !field.required || field.type === 'boolean' || field.several === true,
    element: drawElement(field, hinted ? '' : field.help),
    ...(hinted ? { hint: field.help } : {}),
    ...(field.redraws === true ? { dispatch: true } : {}),
  };
}

export function drawForm({ fields, label, placeholder, required }: Form): Drawn[] {
  const element = textInput({ type: 'multiline' }, placeholder);
  const text = { block_id: textBlock, label, optional: !required, element };
  return drawInputs([
    ...fields.map((field) => inputOf(field, fieldBlock(field.name))),
    ...(label === '' ? [] : [text]),
  ]);
}

/** In blocks of Slack's size, all ticked. */
export function drawTicks(steps: { label: string; place: number }[]): Drawn[] {
  const blocks = Array.from({ length: Math.ceil(steps.length / maxBoxes) }, (_, index) =>
    steps
      .slice(index * maxBoxes, (index + 1) * maxBoxes)
      .map(({ label, place }) => optionOf(label, String(place))),
  );
  const { first, more } = windowWords.steps;
  return drawInputs(
    blocks.map((options, index) => ({
      ...{ block_id: partBlock(index), label: index === 0 ? first : more, optional: true },
      element: { type: 'checkboxes', options, initial_options: options },
    })),
  );
}
