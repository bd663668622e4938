// What may be meant otherwise is asked about: nothing that is to be done ends up in a text, and no time is guessed.
import { describe, expect, it } from 'vitest';
import { builtins, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { converse, operationsOf, plan, proposalOf } from './requests.ts';

const files = {
  'data/a.txt': 'a',
  'data/b.txt': 'b',
  'draft.md': 'd',
  'in/1.txt': '1',
  'in/2.txt': '2',
};
const planner = () => createOfflinePlanner({ tools: toolsOf(builtins, files) });

describe('is asked about', () => {
  it.each([
    ['Write a.txt saying hello world. Then b.txt saying bye.', 'only text'],
    ['Ask me for the customer name and save it in customer.txt', 'only text'],
    ['Send a message to @ben: lunch?', 'only text'],
    ['make draft.md say exactly what CHANGELOG.md says', 'only text'],
    ['Put the minutes of the meeting into notes/minutes.md', 'only text'],
    ['Every morning write the weather to weather.md', 'only text'],
    ['Move in/1.txt and 2.txt to out/', 'Where is 2.txt?'],
    ['remind everyone every weekday at 9 to update their tickets', 'I can only remind you'],
    ['schedule a call with Zoe on 12/01 at 15:00', 'Which day is "12/01"?'],
    ['delete draft.md tomorrow at 3', 'in the morning or in the afternoon'],
  ])('%s', async (text, words) => {
    const { result } = await plan(planner(), text);
    expect(result).toMatchObject({ kind: 'question', text: expect.stringContaining(words) });
  });

  it('and the answer is planned instead', async () => {
    const draft = proposalOf(
      await converse(planner(), [
        'Write a.txt saying hello world. Then b.txt saying bye.',
        'Write a.txt saying "hello world", then write b.txt saying "bye"',
      ]),
    );
    expect(operationsOf(draft).map(([, args]) => args)).toEqual([
      { path: 'a.txt', content: 'hello world' },
      { path: 'b.txt', content: 'bye' },
    ]);
  });
});

describe('is not asked about', () => {
  it.each([
    ['Create n.txt saying "first this, then that"', 'first this, then that'],
    ['Create n.txt containing: Meeting at 10, then lunch', 'Meeting at 10, then lunch'],
    ['Create n.txt with milk, eggs and bread in it', 'milk, eggs and bread'],
  ])('%s', async (text, content) => {
    const draft = proposalOf(await plan(planner(), text));
    expect(operationsOf(draft)).toEqual([['workspace_write', { path: 'n.txt', content }]]);
  });

  it.each(['Copy every file in data/ to backup/', 'Copy all files in data to backup'])(
    '%s',
    async (text) => {
      const draft = proposalOf(await plan(planner(), text));
      expect(
        draft.steps.flatMap(({ operation, args }) => (operation === 'write' ? [args?.path] : [])),
      ).toEqual(['backup/a.txt', 'backup/b.txt']);
    },
  );

  it('a channel that is named before the message', async () => {
    const text = 'Tell the team in #general that the office is closed on Friday';
    expect(operationsOf(proposalOf(await plan(planner(), text)))).toEqual([
      ['chat_post', { text: 'the office is closed on Friday', conversation: '#general' }],
    ]);
  });

  it('“then” before the last of several lines: it waits for those before', async () => {
    const text = '- create x.txt saying X\n- create y.txt saying Y\n- then delete draft.md';
    const draft = proposalOf(await plan(planner(), text));
    expect(draft.steps.at(-1)?.after).toEqual(['1', '2']);
  });
});
