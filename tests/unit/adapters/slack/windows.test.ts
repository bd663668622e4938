import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readHeld, writeHeld } from '#adapters/slack/press/held.ts';
import { objectTo } from '#adapters/slack/press/read-entered.ts';
import { makeWindow, toBlocks } from '#adapters/slack/press/windows.ts';
import { entryWords } from '#cards/chat-words.ts';
import { platformLimits } from '#cards/limits.ts';
import { drawForm, drawTicks, textBlock, textSection, valueId } from '#cards/slack-windows.ts';
import type { Field, Form } from '#cards/view.ts';
import { checkSlackView } from '../../../fixtures/block-kit.ts';

const long = (length: number) => 'x'.repeat(length);

const field = (given: Partial<Field>): Field => ({
  ...{ name: 'f', type: 'text', label: 'Name', help: '', required: false, options: [] },
  ...{ min: null, max: null, whole: false, words: '', missing: '' },
  ...given,
});
const form = (given: Partial<Form>): Form => ({
  ...{ fields: [], label: 'Why?', placeholder: '', required: false, missing: '', submit: 'Send' },
  ...given,
});

const ticks = (steps: Parameters<typeof drawTicks>[0]) => toBlocks(drawTicks(steps));

type Drawing = Omit<Parameters<typeof makeWindow>[0], 'title'> & { title?: string };

function draw({ title = 'A window', ...rest }: Drawing) {
  const view = makeWindow({ title, ...rest });
  expect(checkSlackView(view)).toEqual([]);
  return view;
}

const writeForm = (given: Partial<Form>) =>
  JSON.stringify(draw({ blocks: toBlocks(drawForm(form(given))), submit: 'Send' }).blocks);

const texts: [string, number, (text: string) => string][] = [
  ['its title', platformLimits.slack.viewTitle, (title) => draw({ title, blocks: [] }).title.text],
  [
    'the button that sends it',
    platformLimits.slack.viewButton,
    (submit) => draw({ submit, blocks: toBlocks(drawForm(form({}))) }).submit?.text ?? '',
  ],
  ['what is asked', platformLimits.slack.inputLabel, (label) => writeForm({ label })],
  [
    'an example of it',
    platformLimits.slack.placeholder,
    (placeholder) => writeForm({ placeholder }),
  ],
  [
    'the name of a field',
    platformLimits.slack.inputLabel,
    (label) => writeForm({ fields: [field({ label })] }),
  ],
  [
    'help to a field',
    platformLimits.slack.placeholder,
    (help) => writeForm({ fields: [field({ help })] }),
  ],
  [
    'a choice',
    platformLimits.slack.optionText,
    (label) =>
      writeForm({
        fields: [field({ type: 'choice', options: [{ value: 'v', label, name: label }] })],
      }),
  ],
  [
    'a step to tick',
    platformLimits.slack.optionText,
    (label) =>
      JSON.stringify(draw({ blocks: ticks([{ label, place: 0 }]), submit: 'Send' }).blocks),
  ],
  [
    'a line',
    platformLimits.slack.sectionText,
    (line) => JSON.stringify(draw({ blocks: [textSection(line)] }).blocks),
  ],
];

describe.each(texts)('%s', (_what, atMost, show) => {
  test('stays as it is at the bound', () => {
    expect(show(long(atMost))).toContain(long(atMost));
  });
  test('is cut one beyond', () => {
    const shown = show(long(atMost + 1));
    expect(shown).toContain(`${long(atMost - 1)}…`);
    expect(shown).not.toContain(long(atMost));
  });
});

test.each([
  [platformLimits.slack.options, platformLimits.slack.options],
  [platformLimits.slack.options + 1, platformLimits.slack.options],
])('of %i choices %i are offered', (given, offered) => {
  const options = Array.from({ length: given }, (_, n) => ({
    value: `${n}`,
    label: `<${n}>`,
    name: `${n}`,
  }));
  const drawn = writeForm({ fields: [field({ type: 'choice', options })] });
  expect(drawn.match(/<\d+>/g)).toHaveLength(offered);
});

const WithOptions = z.object({ element: z.object({ options: z.array(z.unknown()) }) });
const readOptions = (block: unknown) => WithOptions.parse(block).element.options;

test.each([
  [platformLimits.slack.checkboxes, 1],
  [platformLimits.slack.checkboxes + 1, 2],
])('%i steps to tick stand in %i blocks, each once', (steps, blocks) => {
  const labels = Array.from({ length: steps }, (_, n) => ({ label: `<${n}>`, place: n }));
  const drawn = draw({ blocks: ticks(labels), submit: 'Send' }).blocks;
  expect(drawn).toHaveLength(blocks);
  const values = [...JSON.stringify(drawn.map(readOptions)).matchAll(/"value":"(\d+)"/g)];
  expect(values.map(([, value]) => value)).toEqual(labels.map((_, n) => `${n}`));
});

const held = (label: string) => ({
  ...{ team: 'T1', user: 'U1', place: null, missing: null, pages: [''] },
  press: { action: 'human_done' as const, plan_id: 'PLAN-1', version: 1, digest: 'd' },
  fields: [
    {
      ...{ name: 'f', label, type: 'text' as const, required: true },
      ...{ min: null, max: null, whole: false },
    },
  ],
});

test('what a window remembers is whole at the bound; one beyond, its fields are left to be checked later', () => {
  const room = platformLimits.slack.viewMetadata - JSON.stringify(held('')).length;
  const whole = writeHeld(held(long(room)));
  expect(whole).toHaveLength(platformLimits.slack.viewMetadata);
  expect(readHeld(whole)).toEqual(held(long(room)));
  const less = writeHeld(held(long(room + 1)));
  expect(readHeld(less)).toEqual({ ...held(''), fields: [] });
  for (const fits of [room, room + 1]) draw({ blocks: [], held: held(long(fits)) });
});

function objectToText(text: string) {
  const view = {
    ...{ id: 'V1', hash: 'h', callback_id: 'countersign:form' },
    private_metadata: writeHeld({ ...held(''), fields: [] }),
    state: { values: { [textBlock]: { [valueId]: { value: text } } } },
  };
  const sent = { type: 'view_submission' as const, user: { id: 'U1' }, view };
  return objectTo({ kind: 'sent', team: 'T1', sent });
}

test('a text is taken at the bound, and said to be too long one beyond', () => {
  const atMost = platformLimits.slack.inputText;
  expect(objectToText(long(atMost))).toBeNull();
  expect(objectToText(long(atMost + 1))).toEqual({
    response_action: 'errors',
    errors: { [textBlock]: entryWords.tooLong({ atMost }) },
  });
});

test.each([
  ['text', platformLimits.slack.inputLine],
  ['multiline', platformLimits.slack.inputText],
] as const)('a field of %s takes %i characters', (type, atMost) => {
  expect(writeForm({ label: '', fields: [field({ type })] })).toContain(`"max_length":${atMost}`);
});
