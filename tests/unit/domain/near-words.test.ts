import { expect, it } from 'vitest';
import { type NearWord, readNearWord } from '#conversation/read-word.ts';

const table: [NearWord, string[]][] = [
  [
    'approve',
    [
      ...['approve.', 'Approve!', 'approve it', 'Please approve this', 'approved', 'LGTM', 'lgtm!'],
      ...['looks good', 'Looks good to me, go ahead', 'looks good, go ahead', 'ok', 'OK, thanks'],
      ...['yes', 'Yes please', 'ship it', 'go ahead', 'go ahead and do it', 'sounds good', '👍'],
      ...[
        '👍🏽',
        'apprve',
        'aprpove',
        'I approve',
        'I approve of that',
        'that’s fine',
        'run it',
        'ok - go for it',
      ],
    ],
  ],
  ['reject', ['no', 'reject it', 'Don’t do it', 'nope.', '👎']],
  ['cancel', ['cancel it', 'Cancel that!', 'never mind', 'stop', 'forget it']],
  ['undo', ['undo that', 'Undo', 'roll it back', 'please revert this']],
];

it.each(table)('hears that somebody means to %s, near as the words come', (word, texts) => {
  for (const text of texts) expect([text, readNearWord(text)]).toEqual([text, word]);
});

it('hears none in a question, in a request of its own or in a longer answer', () => {
  const talk = [
    ...['', '?', 'thanks', 'is it ok?', 'yes, and also create b.txt', 'Create notes.md'],
    ...['move all files from a to b', 'ok but not on Monday', 'run this workflow every day'],
    ...['no, delete b.txt first', 'make a list', "I didn't understand"],
    ...['change REM-3f9a1c20 to every Tuesday at 9:00', 'skip REM-3f9a1c20', 'remove a.txt'],
    ...['make it tomorrow instead', 'remove step 2'],
  ];
  for (const text of talk) expect([text, readNearWord(text)]).toEqual([text, null]);
});
