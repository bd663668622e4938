// Slack's modals: one that waits, one that only says something, and one with a form. Pure.
import type { types } from '@slack/bolt';
import { windowWords } from '#cards/chat-words.ts';
import { slackLimits } from '#cards/limits.ts';
import type { Field, Form } from '#cards/view.ts';
import { cutShown } from '#domain/shown-text.ts';
import { type Held, writeHeld } from './held.ts';

type Block = types.KnownBlock;

/** Characters of what is entered. */
export const textAtMost = slackLimits.inputText;

/** The block and element of the text, and the names of the rest. */
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
export function textSection(text: string): Block {
  return { type: 'section', text: plain(text, slackLimits.sectionText) };
}

/** What sending a window does: it enters something, or approves the plan it shows or the checked steps of it. */
type Kind = 'form' | 'approve' | 'part';
const callbackOf = (kind: Kind | 'notice') => `countersign:${kind}`;

type Sent = { callback_id: string };

export function isPart({ callback_id }: Sent): boolean {
  return callback_id === callbackOf('part');
}

/** Of a plan that the window shows, or of some of its steps. */
export function isApproval(view: Sent): boolean {
  return isPart(view) || view.callback_id === callbackOf('approve');
}

export function makeWindow(options: {
  title: string;
  blocks: Block[];
  submit?: string;
  kind?: Kind;
  held?: Held;
}): types.ModalView {
  const { title, blocks, submit, kind, held } = options;
  return {
    type: 'modal',
    title: plain(title, slackLimits.viewTitle),
    close: plain(kind === 'form' ? windowWords.cancel : windowWords.close, slackLimits.viewButton),
    ...(submit === undefined ? {} : { submit: plain(submit, slackLimits.viewButton) }),
    callback_id: callbackOf(kind ?? 'notice'),
    private_metadata: held === undefined ? '' : writeHeld(held),
    blocks,
  };
}

export function noticeWindow({ title, text }: { title: string; text: string }): types.ModalView {
  return makeWindow({ title, blocks: [textSection(text)] });
}

const optionOf = (label: string, value: string) => ({
  text: plain(label, slackLimits.optionText),
  value,
});

function elementOf(field: Field): types.InputBlock['element'] {
  const { type, help, options, min, max, whole } = field;
  const hint = help === '' ? {} : { placeholder: plain(help, slackLimits.placeholder) };
  switch (type) {
    case 'text':
    case 'multiline':
      return {
        type: 'plain_text_input',
        action_id: valueId,
        multiline: type === 'multiline',
        max_length: type === 'text' ? slackLimits.inputLine : textAtMost,
        ...hint,
      };
    case 'number':
      return {
        type: 'number_input',
        action_id: valueId,
        is_decimal_allowed: !whole,
        ...(min === null ? {} : { min_value: String(min) }),
        ...(max === null ? {} : { max_value: String(max) }),
        ...hint,
      };
    case 'date':
      return { type: 'datepicker', action_id: valueId };
    case 'choice':
      return {
        type: 'static_select',
        action_id: valueId,
        // By place: a value may be longer than Slack takes.
        options: options
          .slice(0, slackLimits.options)
          .map(({ label }, index) => optionOf(label, String(index))),
      };
    case 'boolean':
      return {
        type: 'checkboxes',
        action_id: valueId,
        options: [optionOf(windowWords.yes, 'true')],
      };
    default:
      return type satisfies never;
  }
}

function inputOf(field: Field): Block {
  return {
    type: 'input',
    block_id: fieldBlock(field.name),
    label: plain(field.label, slackLimits.inputLabel),
    // Not ticked is an answer too.
    optional: field.type === 'boolean' || !field.required,
    element: elementOf(field),
  };
}

/** The inputs of a form: its fields, then its text. */
export function formBlocks(form: Form): Block[] {
  const { fields, label, placeholder, required } = form;
  if (label === '') return fields.map(inputOf);
  return [
    ...fields.map(inputOf),
    {
      type: 'input',
      block_id: textBlock,
      label: plain(label, slackLimits.inputLabel),
      optional: !required,
      element: {
        type: 'plain_text_input',
        action_id: valueId,
        multiline: true,
        max_length: textAtMost,
        ...(placeholder === '' ? {} : { placeholder: plain(placeholder, slackLimits.placeholder) }),
      },
    },
  ];
}

/** Steps to tick by their places in the plan, as many to a block as Slack takes; all are ticked at first. */
export function partBlocks(steps: { label: string; place: number }[]): Block[] {
  const blocks: Block[] = [];
  const atOnce = slackLimits.checkboxes;
  for (let from = 0; from < steps.length; from += atOnce) {
    const options = steps
      .slice(from, from + atOnce)
      .map(({ label, place }) => optionOf(label, String(place)));
    blocks.push({
      type: 'input',
      block_id: partBlock(from / atOnce),
      label: plain(
        from === 0 ? windowWords.steps.first : windowWords.steps.more,
        slackLimits.inputLabel,
      ),
      optional: true,
      element: { type: 'checkboxes', action_id: valueId, options, initial_options: options },
    });
  }
  return blocks;
}
