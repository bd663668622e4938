// The checker that replaces Slack: at each limit it takes what is sent, one beyond it refuses it and says where.
import { describe, expect, test } from 'vitest';
import { checkSlackMessage, checkSlackView } from '../../fixtures/block-kit.ts';

const x = (length: number) => 'x'.repeat(length);
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const button = (rest: object = {}) => ({
  type: 'button',
  text: plain('Go'),
  action_id: 'go',
  value: 'v',
  ...rest,
});
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const option = (text: string, value = text) => ({ text: plain(text), value });
const input = (element: object, rest: object = {}) => ({
  type: 'input',
  label: plain('Why'),
  element,
  ...rest,
});
const run = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const many = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

const refusals = (blocks: object[]) => checkSlackMessage({ text: 'A plan', blocks });

describe('a message', () => {
  const divider = { type: 'divider' };
  const limits: [string, number, (size: number) => object[]][] = [
    ['blocks', 50, (size) => many(size, () => divider)],
    ['a header', 150, (size) => [{ type: 'header', text: plain(x(size)) }]],
    ['a section', 3000, (size) => [{ type: 'section', text: plain(x(size)) }]],
    ['a field', 2000, (size) => [{ type: 'section', fields: [plain(x(size))] }]],
    ['fields', 10, (size) => [{ type: 'section', fields: many(size, () => plain('x')) }]],
    ['a run of rich text', 3000, (size) => [run(x(size))]],
    ['context', 10, (size) => [{ type: 'context', elements: many(size, () => plain('x')) }]],
    ['actions', 25, (size) => [actions(...many(size, (at) => button({ action_id: `a${at}` })))]],
    ['a label', 75, (size) => [actions(button({ text: plain(x(size)) }))]],
    ['a value', 2000, (size) => [actions(button({ value: x(size) }))]],
    ['an action_id', 255, (size) => [actions(button({ action_id: x(size) }))]],
    ['a block_id', 255, (size) => [{ ...divider, block_id: x(size) }]],
    [
      'checkboxes',
      10,
      (size) => [actions({ type: 'checkboxes', options: many(size, (at) => option(`o${at}`)) })],
    ],
    [
      'an overflow menu',
      5,
      (size) => [actions({ type: 'overflow', options: many(size, (at) => option(`o${at}`)) })],
    ],
    [
      'a select',
      100,
      (size) => [actions({ type: 'static_select', options: many(size, (at) => option(`o${at}`)) })],
    ],
    [
      'the value of an option',
      150,
      (size) => [actions({ type: 'overflow', options: [option('o', x(size))] })],
    ],
  ];

  test.each(limits)('%s: %i are taken, one more is refused', (_, limit, make) => {
    expect(refusals(make(limit))).toEqual([]);
    const [refusal] = refusals(make(limit + 1));
    expect(refusal).toMatch(/\[json-pointer:\/blocks/);
  });

  test.each([
    ['no text beside the blocks', { text: '', blocks: [divider] }],
    ['no blocks', { text: 'A plan', blocks: [] }],
    ['a ping', { text: 'Hello <!channel>', blocks: [divider] }],
    ['an unknown key', { text: 'A plan', blocks: [{ ...divider, color: 'red' }] }],
    ['a key without a value', { text: 'A plan', blocks: [actions(button({ url: null }))] }],
    ['an unknown block', { text: 'A plan', blocks: [{ type: 'table' }] }],
    ['a section that says nothing', { text: 'A plan', blocks: [{ type: 'section' }] }],
    [
      'markdown in a header',
      { text: 'A plan', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }] },
    ],
    [
      'a block_id twice',
      { text: 'A plan', blocks: many(2, () => ({ ...divider, block_id: 'b' })) },
    ],
    ['an action_id twice', { text: 'A plan', blocks: [actions(button(), button())] }],
    [
      'an address that is none',
      { text: 'A plan', blocks: [actions(button({ url: 'javascript:alert(1)' }))] },
    ],
    ['too much in all', { text: 'A plan', blocks: many(5, () => run(x(2900))) }],
  ])('%s is refused', (_, message) => {
    expect(checkSlackMessage(message)).toHaveLength(1);
  });
});

describe('a modal', () => {
  const modal = (blocks: object[], rest: object = {}) => ({
    type: 'modal',
    title: plain('Propose changes'),
    submit: plain('Send'),
    blocks,
    ...rest,
  });
  const limits: [string, number, (size: number) => object][] = [
    ['blocks', 100, (size) => modal(many(size, () => ({ type: 'divider' })))],
    ['the title', 24, (size) => modal([], { title: plain(x(size)) })],
    ['private_metadata', 3000, (size) => modal([], { private_metadata: x(size) })],
    ['callback_id', 255, (size) => modal([], { callback_id: x(size) })],
    [
      'a placeholder',
      150,
      (size) => modal([input({ type: 'plain_text_input', placeholder: plain(x(size)) })]),
    ],
    [
      'a text that is there',
      3000,
      (size) => modal([input({ type: 'plain_text_input', initial_value: x(size) })]),
    ],
    [
      'a hint',
      2000,
      (size) => modal([input({ type: 'plain_text_input' }, { hint: plain(x(size)) })]),
    ],
  ];

  test.each(limits)('%s: %i are taken, one more is refused', (_, limit, make) => {
    expect(checkSlackView(make(limit))).toEqual([]);
    expect(checkSlackView(make(limit + 1))).toHaveLength(1);
  });

  test('with inputs and nothing to send them is refused', () => {
    const blocks = [input({ type: 'plain_text_input' })];
    expect(checkSlackView({ type: 'modal', title: plain('Why'), blocks })).toEqual([
      'a modal with inputs needs `submit`',
    ]);
  });
});

test('a Home tab has no title', () => {
  expect(checkSlackView({ type: 'home', blocks: [run('Plans')] })).toEqual([]);
  expect(checkSlackView({ type: 'home', title: plain('Plans'), blocks: [] })).toHaveLength(1);
});
