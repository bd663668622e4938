// Slack's windows: frame, forms, and steps to tick.
import { cutShown } from '#domain/shown-text.ts';
import { windowWords } from './chat-words.ts';
import { type Drawn, expandBlocks, expandCard, findTemplate } from './expand.ts';
import { platformLimits } from './limits.ts';
import type { Field, Form } from './view.ts';

const templates = {
  window: findTemplate('slack/window.json'),
  form: findTemplate('slack/form.json'),
};

/** Maximum characters of input. */
export const maxText = platformLimits.slack.inputText;

/** Block and element IDs. */
export const textBlock = 'text';
export const valueId = 'value';
export const fieldBlock = (name: string) => `field:${name}`;
export const partBlock = (index: number) => `part:${index}`;

const plain = (text: string, max: number) => ({
  type: 'plain_text' as const,
  text: cutShown(text, max),
  emoji: false,
});

/** Text that Slack does not parse. */
export function textSection(text: string) {
  return { type: 'section' as const, text: plain(text, platformLimits.slack.sectionText) };
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
  label: cutShown(label, platformLimits.slack.optionText),
  value,
});

/** A form element by its kind in `slack/form.json`. */
function dressElement({ type, help, options, min, max, whole, value }: Field) {
  const initial_value = value ?? null;
  const placeholder = placeholderOf(help);
  switch (type) {
    case 'text':
      return {
        ...{
          kind: 'text',
          multiline: false,
          max_length: platformLimits.slack.inputLine,
          placeholder,
          initial_value,
        },
      };
    case 'multiline':
      return { kind: 'text', multiline: true, max_length: maxText, placeholder, initial_value };
    case 'number':
      return {
        ...{ kind: 'number', decimals: !whole, placeholder },
        min: min === null ? null : String(min),
        max: max === null ? null : String(max),
      };
    case 'date':
      return { kind: 'date' };
    case 'choice':
      return {
        kind: 'choice',
        // By position: a value may exceed Slack's limit.
        options: options
          .slice(0, platformLimits.slack.options)
          .map(({ label }, index) => optionOf(label, String(index))),
      };
    case 'boolean':
      return { kind: 'ticks', options: [optionOf(windowWords.yes, 'true')], initial: null };
    default:
      return type satisfies never;
  }
}

type Input = { block_id: string; label: string; optional: boolean; kind: string };

function drawInputs(inputs: Input[]): Drawn[] {
  return expandBlocks(templates.form, {
    inputs: inputs.map((input) => ({
      ...input,
      action_id: valueId,
      label: cutShown(input.label, platformLimits.slack.inputLabel),
    })),
  });
}

export function drawForm({ fields, label, placeholder, required }: Form): Drawn[] {
  const text = {
    ...{ block_id: textBlock, label, optional: !required },
    ...{ kind: 'text', multiline: true, max_length: maxText },
    placeholder: placeholderOf(placeholder),
    initial_value: null,
  };
  return drawInputs([
    ...fields.map((field) => ({
      block_id: fieldBlock(field.name),
      label: field.label,
      // Unticked is an answer too.
      optional: !field.required || field.type === 'boolean',
      ...dressElement(field),
    })),
    ...(label === '' ? [] : [text]),
  ]);
}

/** Checkboxes for steps by place, in blocks of Slack's size; all ticked at first. */
export function drawTicks(steps: { label: string; place: number }[]): Drawn[] {
  const atOnce = platformLimits.slack.checkboxes;
  const blocks = Array.from({ length: Math.ceil(steps.length / atOnce) }, (_, index) =>
    steps
      .slice(index * atOnce, (index + 1) * atOnce)
      .map(({ label, place }) => optionOf(label, String(place))),
  );
  const { first, more } = windowWords.steps;
  return drawInputs(
    blocks.map((options, index) => ({
      ...{ block_id: partBlock(index), label: index === 0 ? first : more, optional: true },
      ...{ kind: 'ticks', options },
      initial: options.map(({ label, value }) => ({
        text: plain(label, platformLimits.slack.optionText),
        value,
      })),
    })),
  );
}
