// The plan builder in Teams' dialogs.
import { gistOf } from '#domain/plan/build.ts';
import type { OperationOffer } from '#domain/plan/operation-form.ts';
import { cutShown } from '#domain/shown-text.ts';
import {
  type BuildForm,
  type BuildView,
  nameOperation,
  repeatOption,
  repeatOptions,
} from './build-view.ts';
import { buildWords as words } from './build-words.ts';
import { drawInput, longestInput, readAloud } from './dress-teams.ts';
import { type Drawn, expandCard, findTemplate, fitsTeams } from './expand.ts';
import { measureCard } from './limits.ts';
import { escapeMacros } from './plain.ts';
import type { Field } from './view.ts';

const template = findTemplate('teams/dialog.json');

/** Bytes of inputs. */
export const teamsPage = {
  budget: 12_000,
  costOf: (field: Field) => Math.min(12_000, 600 + measureCard(field)),
};

/** Values of `build` in action data. */
export const buildVerbs = [
  'open',
  'search',
  'choose',
  'resume',
  'edit',
  'remove',
  'up',
  'down',
  'undo',
  'propose',
  'next',
  'redraw',
  'repeat',
  'back',
] as const;
type BuildVerb = (typeof buildVerbs)[number];

export const buildInputs = {
  words: 'words',
  operation: 'operation',
  step: 'step',
  title: 'title',
  repeats: 'repeats',
  from: 'from',
  waits: 'waits',
  at: 'at',
} as const;

/** An input of its own takes values that are not listed. */
export const buildInput = (name: string) => `field:${name}`;
export const otherInput = (name: string) => `other:${name}`;

type Element = Record<string, unknown>;

const text = (shown: string, style: Element = {}): Element => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: escapeMacros(shown), ...style }],
});
const subtle = { isSubtle: true, size: 'small' };
const attention = { weight: 'bolder', color: 'attention' };

const press = (title: string, build: BuildVerb, data: Element = {}, style?: string): Element => ({
  type: 'Action.Submit',
  title: cutShown(title, 75),
  data: { build, ...data },
  ...(style === undefined ? {} : { style }),
});

const input = (id: string, label: string, value: string, placeholder = ''): Element => ({
  ...{ type: 'Input.Text', id, label, value: value || null, placeholder: placeholder || null },
  ...{ maxLength: longestInput.text, spacing: 'medium' },
});

type Choice = { title: string; value: string };
const choices = (id: string, label: string, from: Choice[], more: Element = {}): Element => ({
  ...{ type: 'Input.ChoiceSet', id, label, style: 'compact', spacing: 'medium' },
  choices: from.map(({ title, value }) => ({ title: escapeMacros(title), value })),
  ...more,
});

function draw(body: (Element | null)[], actions: Element[], spoken: string[]): Drawn {
  const speak = readAloud(spoken);
  return expandCard(template, {
    ...{ body: body.filter((one) => one !== null), actions, speak },
    fallback: cutShown(spoken.join('\n'), 1500),
  });
}

/** Line lengths and operations offered, roomy to minimal. */
const sizes = [
  { line: 600, offers: 40 },
  { line: 200, offers: 25 },
  { line: 90, offers: 12 },
];

function drawPlan(
  view: BuildView,
  found: { words: string; offers: OperationOffer[] },
  { line, offers: most }: { line: number; offers: number },
): Drawn {
  const { steps, problems, mayPropose, title, repeats, from, isUnfinished, undo } = view;
  const lines = steps.map(({ label, headline, note }) => ({
    shown: `${label}  ${cutShown(headline, line)}`,
    note,
  }));
  const offers = found.offers.slice(0, most).map((offer) => ({
    title: cutShown(`${gistOf(offer)} (${nameOperation(offer)})`, Math.min(160, line)),
    value: offer.name,
  }));
  const body = [
    ...problems.map((problem) => text(problem, attention)),
    ...(steps.length === 0 ? [text(words.empty)] : []),
    ...lines.flatMap(({ shown, note }) => [
      text(shown),
      ...(note === '' ? [] : [{ ...text(note, subtle), spacing: 'none' }]),
    ]),
    steps.length === 0
      ? null
      : choices(
          buildInputs.step,
          words.step,
          steps.map(({ id, label, headline }) => ({
            title: `${label}. ${cutShown(headline, 60)}`,
            value: id,
          })),
          { value: steps.at(-1)?.id ?? '' },
        ),
    steps.length === 0
      ? null
      : {
          type: 'ActionSet',
          actions: [
            press(words.edit, 'edit'),
            press(words.up, 'up'),
            press(words.down, 'down'),
            press(words.remove, 'remove'),
            ...(undo ? [press(words.undo, 'undo')] : []),
          ],
        },
    steps.length > 0 || !undo ? null : { type: 'ActionSet', actions: [press(words.undo, 'undo')] },
    input(buildInputs.words, words.searchFor, found.words, words.search),
    offers.length === 0
      ? text(words.noMatch, subtle)
      : choices(buildInputs.operation, steps.length === 0 ? words.first : words.next, offers, {
          style: 'filtered',
          placeholder: words.search,
        }),
    {
      type: 'ActionSet',
      actions: [
        press(words.find, 'search'),
        ...(offers.length === 0 ? [] : [press(words.fill, 'choose')]),
        ...(isUnfinished ? [press(words.resume, 'resume')] : []),
      ],
    },
    ...(mayPropose
      ? [
          input(buildInputs.title, words.planTitle, title),
          choices(
            buildInputs.repeats,
            words.repeats,
            repeatOptions.map(({ value, label }) => ({ title: label, value })),
            { value: repeatOption(repeats) },
          ),
          input(buildInputs.from, words.from, from, words.fromHelp),
        ]
      : []),
  ];
  const actions = mayPropose ? [press(words.propose, 'propose', {}, 'positive')] : [];
  return draw(body, actions, [words.title, ...problems, ...lines.map(({ shown }) => shown)]);
}

/** @param found matching operations */
export function drawBuildDialog(
  view: BuildView,
  found: { words: string; offers: OperationOffer[] },
): Drawn {
  const [first = { line: 600, offers: 40 }, ...others] = sizes;
  let drawn = drawPlan(view, found, first);
  for (const size of others) {
    if (fitsTeams(drawn)) return drawn;
    drawn = drawPlan(view, found, size);
  }
  return drawn;
}

/** Too long for Teams' input, so shown only. */
export const isKeptInTeams = ({ value: entry = '', type, pick }: Field): boolean =>
  pick === undefined && entry.length > longestInput[type === 'multiline' ? 'multiline' : 'text'];

/** Searches members; sends the directory ID. */
const peoplePicker = {
  'choices.data': { type: 'Data.Query', dataset: 'graph.microsoft.com/users?scope=currentContext' },
};

function drawField(field: Field): Element[] {
  const { name, label, wrong, value: entry = '', pick, options, help } = field;
  const above = wrong === undefined ? [] : [text(wrong, attention)];
  if (isKeptInTeams(field))
    return [...above, text(words.kept({ label, characters: entry.length }), subtle)];
  if (pick === undefined || options.length === 0)
    // Required by the server: the client would ask before adding an item.
    return [
      ...above,
      { ...drawInput(field, buildInput(name)), isRequired: false, errorMessage: null },
    ];
  const isListed = options.some(({ value }) => value === entry);
  const listed = options.map((option) => ({ title: option.name, value: option.value }));
  return [
    ...above,
    choices(buildInput(name), help === '' ? label : `${label} (${help})`, listed, {
      style: 'filtered',
      value: isListed ? entry : null,
      ...(pick === 'person' ? peoplePicker : {}),
    }),
    input(otherInput(name), words.other, isListed ? '' : entry),
  ];
}

/** @param form a `pick` field's options are suggestions */
export function drawBuildFormDialog(form: BuildForm, edits?: object): Drawn {
  const roomy = drawForm(form, edits, { label: 75, sources: 40 });
  return fitsTeams(roomy) ? roomy : drawForm(form, edits, { label: 30, sources: 5 });
}

function drawForm(
  form: BuildForm,
  edits: object | undefined,
  most: { label: number; sources: number },
): Drawn {
  const { title, operation, fields, waits, at, problems, page, isLast, opened } = form;
  const sources = form.sources.slice(0, most.sources);
  const held = { page, ...(edits === undefined ? {} : { edits: { ...edits, opened } }) };
  const body = [
    text(title, { weight: 'bolder' }),
    { ...text(operation, subtle), spacing: 'none' },
    ...problems.map((problem) => text(problem, attention)),
    ...(fields.length === 0 ? [text(words.noFields)] : []),
    ...(sources.length === 0 ? [] : [text(words.sources({ sources }), subtle)]),
    ...fields.flatMap((field) => [
      ...drawField(field),
      ...(field.redraws === true
        ? [{ type: 'ActionSet', actions: [press(words.redraw, 'redraw', held)] }]
        : []),
    ]),
    ...form.repeats.map(({ label, ...item }) => ({
      ...{ type: 'ActionSet', actions: [press(label, 'repeat', { ...held, ...item })] },
    })),
    isLast && waits.length > 0
      ? choices(
          buildInputs.waits,
          words.waits,
          // By index: ids may hold commas.
          waits.map(({ label }, index) => ({
            title: cutShown(label, most.label),
            value: String(index),
          })),
          {
            ...{ isMultiSelect: true, style: 'expanded' },
            value: waits.flatMap(({ chosen }, index) => (chosen ? [index] : [])).join(','),
          },
        )
      : null,
    isLast ? input(buildInputs.at, words.at, at, words.atHelp) : null,
  ];
  const actions = [
    press(form.submit, 'next', held, 'positive'),
    ...(edits === undefined
      ? [{ ...press(words.back, 'back', held), associatedInputs: 'none' }]
      : []),
  ];
  return draw(body, actions, [title, operation, ...problems, ...fields.map(({ label }) => label)]);
}

export function drawBuildButton(): Drawn {
  const open = press(words.title, 'open', { msteams: { type: 'task/fetch' } }, 'positive');
  return draw([text(words.empty)], [open], [words.title]);
}
