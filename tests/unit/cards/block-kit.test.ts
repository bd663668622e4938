// The checker used instead of Slack, at each limit.
import { expect, test } from 'vitest';
import { checkSlackMessage, checkSlackView } from '../../fixtures/block-kit.ts';

const x = (length: number) => 'x'.repeat(length);
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const button = (rest: object = {}) => {
  return { type: 'button', text: plain('Go'), action_id: 'go', value: 'v', ...rest };
};
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const option = (text: string, value = text) => ({ text: plain(text), value });
const textInput = (element: object = {}, rest: object = {}) => {
  return {
    type: 'input',
    label: plain('Why'),
    element: { type: 'plain_text_input', ...element },
    ...rest,
  };
};
const run = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const many = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));
const choices = (type: string, count: number) =>
  actions({ type, options: many(count, (at) => option(`o${at}`)) });
const section = (rest: object) => ({ type: 'section', ...rest });
const divider = { type: 'divider' };
const modal = (blocks: object[], rest: object = {}) => {
  return { type: 'modal', title: plain('Propose changes'), submit: plain('Send'), blocks, ...rest };
};
const message = (...blocks: object[]) => checkSlackMessage({ text: 'A plan', blocks });

test.each<[string, number, (size: number) => unknown[]]>([
  ['blocks', 50, (size) => message(...many(size, () => divider))],
  ['a header', 150, (size) => message({ type: 'header', text: plain(x(size)) })],
  ['a section', 3000, (size) => message(section({ text: plain(x(size)) }))],
  ['a field', 2000, (size) => message(section({ fields: [plain(x(size))] }))],
  ['fields', 10, (size) => message(section({ fields: many(size, () => plain('x')) }))],
  ['a run of rich text', 3000, (size) => message(run(x(size)))],
  ['context', 10, (size) => message({ type: 'context', elements: many(size, () => plain('x')) })],
  [
    'actions',
    25,
    (size) => message(actions(...many(size, (at) => button({ action_id: `a${at}` })))),
  ],
  ['a label', 75, (size) => message(actions(button({ text: plain(x(size)) })))],
  ['a value', 2000, (size) => message(actions(button({ value: x(size) })))],
  ['an action_id', 255, (size) => message(actions(button({ action_id: x(size) })))],
  ['a block_id', 255, (size) => message({ ...divider, block_id: x(size) })],
  ['checkboxes', 10, (size) => message(choices('checkboxes', size))],
  ['an overflow menu', 5, (size) => message(choices('overflow', size))],
  ['a select', 100, (size) => message(choices('static_select', size))],
  [
    'an option',
    150,
    (size) => message(actions({ type: 'overflow', options: [option('o', x(size))] })),
  ],
  ['blocks of a modal', 100, (size) => checkSlackView(modal(many(size, () => divider)))],
  ['its title', 24, (size) => checkSlackView(modal([], { title: plain(x(size)) }))],
  [
    'its private_metadata',
    3000,
    (size) => checkSlackView(modal([], { private_metadata: x(size) })),
  ],
  ['its callback_id', 255, (size) => checkSlackView(modal([], { callback_id: x(size) }))],
  [
    'a placeholder',
    150,
    (size) => checkSlackView(modal([textInput({ placeholder: plain(x(size)) })])),
  ],
  [
    'a text that is there',
    3000,
    (size) => checkSlackView(modal([textInput({ initial_value: x(size) })])),
  ],
  ['a hint', 2000, (size) => checkSlackView(modal([textInput({}, { hint: plain(x(size)) })]))],
])('%s: %i are taken, one more is refused', (_, limit, check) => {
  expect(check(limit)).toEqual([]);
  expect(check(limit + 1)).not.toEqual([]);
});

test.each<[string, object[], string?]>([
  ['no text beside the blocks', [divider], ''],
  ['no blocks', []],
  ['a ping', [divider], 'Hello <!channel>'],
  ['an unknown key', [{ ...divider, color: 'red' }]],
  ['a key without a value', [actions(button({ url: null }))]],
  ['an unknown block', [{ type: 'table' }]],
  ['a section that says nothing', [{ type: 'section' }]],
  ['markdown in a header', [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }]],
  ['a block_id twice', many(2, () => ({ ...divider, block_id: 'b' }))],
  ['an action_id twice', [actions(button(), button())]],
  ['an address that is none', [actions(button({ url: 'javascript:alert(1)' }))]],
  ['too much in all', many(5, () => run(x(2900)))],
])('%s is refused', (_, blocks, text = 'A plan') => {
  expect(checkSlackMessage({ text, blocks })).toHaveLength(1);
});

test.each<[string, object]>([
  ['a modal with inputs and nothing to send them', { ...modal([textInput()]), submit: undefined }],
  ['a Home with a title', { type: 'home', title: plain('Plans'), blocks: [] }],
])('%s is refused', (_, view) => {
  expect(checkSlackView(view)).toHaveLength(1);
});

test('a Home is taken', () => {
  expect(checkSlackView({ type: 'home', blocks: [run('Plans')] })).toEqual([]);
});
