// The plan builder in Slack's windows.
import { hash } from 'node:crypto';
import { cutShown } from '#domain/shown-text.ts';
import { type BuildForm, type BuildView, repeatOption, repeatOptions } from './build-view.ts';
import { buildWords as words } from './build-words.ts';
import type { Drawn } from './expand.ts';
import { platformLimits } from './limits.ts';
import { drawInputs, type Input, inputOf, maxText, textSection } from './slack-windows.ts';
import type { Field } from './view.ts';

const limits = platformLimits.slack;

/** Without head, problems, sources and predecessors. */
export const slackPage = { budget: 42, costOf: () => 1 };

export const buildBlocks = {
  title: 'build:title',
  repeats: 'build:repeats',
  from: 'build:from',
  waits: 'build:waits',
  at: 'build:at',
} as const;

export const buildActions = {
  operation: 'countersign:build:operation',
  step: 'countersign:build:step',
  undo: 'countersign:build:undo',
  resume: 'countersign:build:resume',
  repeat: 'countersign:build:repeat',
  edit: 'countersign:edit',
} as const;

/** Long pointers become digests. */
export function buildBlock(name: string): string {
  const block = `build:field:${name}`;
  return block.length <= limits.id ? block : `build:field:#${hash('sha256', name, 'hex')}`;
}

const plain = (text: string, max: number) => ({
  type: 'plain_text',
  text: cutShown(text, max),
  emoji: false,
});

const button = (action_id: string, label: string, value: string) => ({
  type: 'button',
  action_id,
  text: plain(label, limits.buttonText),
  value,
});

const textElement = (initial: string, multiline = false) => ({
  type: 'plain_text_input',
  multiline,
  max_length: limits.inputLine,
  initial_value: initial === '' ? null : initial,
});

/** Buttons that open the forms of a plan's steps. */
export function drawEdits(edits: { step: string; label: string }[]): Drawn[] {
  const elements = edits.map(({ step, label }, index) =>
    button(`${buildActions.edit}:${index}`, label, step),
  );
  return Array.from({ length: Math.ceil(elements.length / limits.actions) }, (_, index) => ({
    type: 'actions',
    block_id: `edit:${index}`,
    elements: elements.slice(index * limits.actions, (index + 1) * limits.actions),
  }));
}

function drawStep(step: BuildView['steps'][number], at: number, count: number): Drawn {
  const options = [
    { text: words.edit, value: 'edit' },
    ...(at === 0 ? [] : [{ text: words.up, value: 'up' }]),
    ...(at === count - 1 ? [] : [{ text: words.down, value: 'down' }]),
    { text: words.remove, value: 'remove' },
  ];
  const note = step.note === '' ? '' : `\n${step.note}`;
  return {
    ...textSection(`${step.label}  ${cutShown(step.headline, 600)}${note}`),
    block_id: `build:step:${step.id}`,
    accessory: {
      type: 'overflow',
      action_id: buildActions.step,
      options: options.map(({ text, value }) => ({
        text: plain(text, limits.optionText),
        value: `${value} ${step.id}`,
      })),
    },
  };
}

function drawTerms({ title, repeats, from }: BuildView): Input[] {
  const options = repeatOptions.map(({ value, label }) => ({
    text: plain(label, limits.optionText),
    value,
  }));
  const chosen = options.find(({ value }) => value === repeatOption(repeats));
  return [
    {
      ...{ block_id: buildBlocks.title, label: words.planTitle, optional: true },
      element: { ...textElement(title), max_length: 300 },
    },
    {
      ...{ block_id: buildBlocks.repeats, label: words.repeats, optional: false },
      element: { type: 'static_select', options, initial_option: chosen },
    },
    {
      ...{ block_id: buildBlocks.from, label: words.from, optional: true, hint: words.fromHelp },
      element: textElement(from),
    },
  ];
}

/** @param mark a new block ID resets the menu */
export function drawBuild(view: BuildView, mark: string): Drawn[] {
  const { steps, problems, isUnfinished, mayPropose, undo } = view;
  const menu = {
    type: 'external_select',
    action_id: buildActions.operation,
    min_query_length: 0,
    placeholder: plain(steps.length === 0 ? words.first : words.next, limits.placeholder),
  };
  return [
    ...(steps.length === 0 ? [textSection(words.empty)] : []),
    ...problems.map((problem) => textSection(`△ ${problem}`)),
    ...steps.map((step, index) => drawStep(step, index, steps.length)),
    {
      type: 'actions',
      block_id: `build:next:${mark}`,
      elements: [
        menu,
        ...(isUnfinished ? [button(buildActions.resume, words.resume, 'resume')] : []),
        ...(undo ? [button(buildActions.undo, words.undo, 'undo')] : []),
      ],
    },
    ...(mayPropose ? drawInputs(drawTerms(view)) : []),
  ];
}

/** Too long for Slack's input, so shown only. */
export const isKept = ({ value: entry = '', type, pick }: Field): boolean =>
  pick !== 'person' && entry.length > (type === 'multiline' ? maxText : limits.inputLine);

function drawLists({ repeats }: BuildForm): Drawn[] {
  const elements = repeats
    .slice(0, limits.actions)
    .map(({ label, list, count }, index) =>
      button(`${buildActions.repeat}:${index}`, label, JSON.stringify([list, count])),
    );
  return elements.length === 0 ? [] : [{ type: 'actions', block_id: 'build:lists', elements }];
}

function drawWaits({ waits, at }: BuildForm): Input[] {
  // By index: ids may exceed Slack's limit.
  const options = waits.map(({ label }, index) => ({
    text: plain(label, limits.optionText),
    value: String(index),
  }));
  const chosen = options.filter((_, index) => waits[index]?.chosen === true);
  const element = {
    type: options.length <= limits.checkboxes ? 'checkboxes' : 'multi_static_select',
    options,
    initial_options: chosen.length === 0 ? null : chosen,
  };
  return [
    ...(waits.length === 0
      ? []
      : [{ block_id: buildBlocks.waits, label: words.waits, optional: true, element }]),
    {
      ...{ block_id: buildBlocks.at, label: words.at, optional: true, hint: words.atHelp },
      element: textElement(at),
    },
  ];
}

export function drawBuildForm(form: BuildForm): Drawn[] {
  const { title, operation, fields, sources, problems, isLast } = form;
  const drawn = fields.flatMap((field) => {
    const { label, wrong, value: entry = '' } = field;
    const above = wrong === undefined ? [] : [textSection(`△ ${wrong}`)];
    if (isKept(field))
      return [...above, textSection(words.kept({ label, characters: entry.length }))];
    return [...above, ...drawInputs([inputOf(field, buildBlock(field.name), true)])];
  });
  return [
    textSection(`${title}\n${operation}`),
    ...problems.map((problem) => textSection(`△ ${problem}`)),
    ...(fields.length === 0 ? [textSection(words.noFields)] : []),
    ...(sources.length === 0 ? [] : [textSection(words.sources({ sources }))]),
    ...drawn,
    ...drawLists(form),
    ...(isLast ? drawInputs(drawWaits(form)) : []),
  ];
}
