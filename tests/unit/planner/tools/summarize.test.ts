import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPolicy, InteractionPolicy } from '#contracts/policy.ts';
import { shortenSentence } from '#planner/policy/shorten.ts';
import { summarizeText } from '#planner/policy/summarize-text.ts';
import { describeBudgetStop, summarize } from '#planner/tools/summarize.ts';
import { makeDesk, makeOutline, makeRoadmap, makeState } from './desk.ts';

const policy = (changes: Partial<InteractionPolicy> = {}): InteractionPolicy => ({
  ...defaultPolicy,
  ...changes,
});
const concise = policy({ conversation_style: 'concise' });
const coach = policy({ conversation_style: 'coach' });

describe('summarize', () => {
  it('puts the outcome first and drops the narration where it is to be brief', () => {
    const text =
      'I looked at the workspace. Then I read notes/a.md. There are two files in notes/. The newer one is notes/b.md. Which one do you mean?';
    expect(summarizeText(text, concise)).toBe(
      'There are two files in notes/. I looked at the workspace.\nWhich one do you mean?',
    );
    expect(summarizeText(text, coach).split(' ').slice(0, 4).join(' ')).toBe('There are two files');
  });

  it.each(['漢', '…', 'a', '_'])('is done in time with text without blanks (%s)', (letter) => {
    expect(summarizeText(letter.repeat(20_000), concise)).toContain(letter);
  });

  it('says more the more a person likes to read', () => {
    const text = Array.from({ length: 30 }, (_, index) => `Fact ${index} holds.`).join(' ');
    const counts = [concise, policy(), coach].map(
      (one) => summarizeText(text, one).match(/Fact/g)?.length,
    );
    expect(counts).toEqual([2, 6, 20]);
  });

  it('shortens a list by lines and says how many are gone', () => {
    const list = ['Files:', ...Array.from({ length: 9 }, (_, n) => `- notes/${n}.md`)].join('\n');
    expect(summarizeText(list, concise)).toBe(
      'Files:\n- notes/0.md\n- notes/1.md\n- notes/2.md\n- and 6 more',
    );
    expect(summarizeText(list, coach)).toBe(list);
  });

  it.each([
    ['Sorry, but I can’t read a.txt.', 'I can’t read a.txt.'],
    ['Done! The file exists!', 'Done. The file exists.'],
    ['I am sorry, the file is missing.', 'The file is missing.'],
    ["I'm just an AI. The file exists.", 'The file exists.'],
    [
      'It is done. Unfortunately, the other file is missing.',
      'It is done. The other file is missing.',
    ],
    ['Sorry, a.txt is missing.', 'a.txt is missing.'],
    ['Say "Sorry, but no!" to Ana.', 'Say "Sorry, but no!" to Ana.'],
  ])('never apologises or shouts: “%s”', (text, expected) => {
    expect(summarizeText(text, policy())).toBe(expected);
  });

  it('takes filling words out where it is to be brief', () => {
    expect(
      summarizeText(
        'Great question! Please note that I think the plan is basically ready in order to start.',
        concise,
      ),
    ).toBe('The plan is ready to start.');
  });

  it('speaks in the tone of the person, and leaves quoted words and paths alone', () => {
    const text = 'I will move do not/it is.md. I cannot read "it is not". It is ready.';
    expect(summarizeText(text, policy({ tone: 'friendly' }))).toBe(
      'I’ll move do not/it is.md. I can’t read "it is not". It’s ready.',
    );
    expect(
      summarizeText(
        'I’ll wait; it’s ready and can’t fail. Don’t worry.',
        policy({ tone: 'clinical' }),
      ),
    ).toBe('I will wait; it is ready and cannot fail. Do not worry.');
    expect(summarizeText(text, policy())).toBe(text);
  });

  it('leaves sentences whole at abbreviations, paths and numbers', () => {
    const text = 'See e.g. notes/a.md v. 2.5 at https://x.test/a.b?c=d. It holds 3.14 and No. 7.';
    expect(summarizeText(text, policy({ conversation_style: 'concise' }))).toBe(text);
  });

  const word = fc.constantFrom(
    'The',
    'file',
    'is',
    'ready',
    'notes/daily plan.md',
    'https://example.test/a.b/c?d=1,2',
    '3.14',
    '1 000 000',
    'a.txt',
    '`rm -rf x`',
    '“two words.”',
    'Then',
    'I',
    'looked.',
    'really',
    '-5.5',
  );
  const sentence = fc
    .array(word, { minLength: 1, maxLength: 40 })
    .map((words) => `${words.join(' ')}.`);
  const anyPolicy = fc.record({
    conversation_style: fc.constantFrom(...InteractionPolicy.shape.conversation_style.options),
    talkativeness: fc.double({ min: 0, max: 1, noNaN: true }),
    tone: fc.constantFrom(...InteractionPolicy.shape.tone.options),
  });
  const whole = [
    'https://example.test/a.b/c?d=1,2',
    '3.14',
    '1 000 000',
    '`rm -rf x`',
    '“two words.”',
  ];

  it('never cuts inside a path, a number, an address or quoted words, and keeps the call to action', () => {
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 30 }),
        anyPolicy,
        (all, sliders) => {
          const ask = 'Reply “approve”, “propose changes: …” or “reject”.';
          const said = summarizeText(`${all.join(' ')} ${ask}`, policy(sliders));
          expect(said.endsWith(ask)).toBe(true);
          const rest = whole.reduce((text, piece) => text.replaceAll(piece, ''), said);
          expect(rest).not.toMatch(/example|\d\.\d.*\d\.\d\d\d|`|\brm\b|1 0|000|two|words/);
          for (const found of said.matchAll(/\S*\.(?:md|txt)\S*/g))
            expect(found[0]).toMatch(/^(?:plan\.md|a\.txt)[.…]?$/);
        },
      ),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 30 }),
        anyPolicy,
        (all, sliders) => {
          const once = summarizeText(all.join(' '), policy(sliders));
          expect(summarizeText(once, policy(sliders))).toBe(once);
        },
      ),
    );
  });

  it('takes any text without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), anyPolicy, (text, sliders) => {
        expect(typeof summarizeText(text, policy(sliders))).toBe('string');
      }),
    );
  });

  it('shortens between pieces only, and keeps a single long piece whole', () => {
    expect(shortenSentence('Move notes/a-long-name.md to b', 20)).toBe('Move…');
    expect(shortenSentence('notes/a-long-name.md', 5)).toBe('notes/a-long-name.md');
    expect(shortenSentence('Say “a b c d e” now', 10)).toBe('Say…');
    expect(shortenSentence('It costs 1 000 000 now', 15)).toBe('It costs…');
  });

  it('rewrites what the session says, but not questions and gates, whose every line is needed', async () => {
    const run = (result: NonNullable<Parameters<typeof makeState>[0]>['result']) =>
      summarize.run({ text: null }, makeDesk({ state: { result: result ?? null } }));
    const answer = await run({ kind: 'answer', text: 'Sorry, there is no a.txt.' });
    expect(answer.changes?.result).toEqual({ kind: 'answer', text: 'There is no a.txt.' });
    const asked = await run({ kind: 'question', text: 'Sorry, where?', questions: ['Where?'] });
    expect(asked.changes).toBeUndefined();
    expect((await run(null)).result.data).toEqual({ text: 'Nothing is planned yet.' });
  });

  it('says how far it came and what it cost when it stops to ask for more', () => {
    const state = makeState({ outline: makeOutline(), roadmap: makeRoadmap(), cost_usd: 0.31 });
    expect(describeBudgetStop(state, policy())).toBe(
      'There is an outline of “Launch” with 2 tasks and their order so far. Still open: when they happen. Planning has cost $0.31 this turn.\nReply “go on” to spend more on planning, or tell me what to leave out.',
    );
  });
});
