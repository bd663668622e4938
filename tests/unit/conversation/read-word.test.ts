import { describe, expect, it } from 'vitest';
import { readWord } from '#conversation/read-word.ts';
import { CountersignError } from '#domain/errors.ts';
import { chooseSteps, readStepChoice, withNumbers } from '#domain/plan/step-choice.ts';
import { orderByLabel } from '#domain/plan/step-numbers.ts';
import { following, labelled, makeStep } from '../../fixtures/plans.ts';

describe('words that approve some steps', () => {
  it.each([
    ['approve 4', 'only', ['4']],
    ['Approve 1-3, 5', 'only', ['1-3', '5']],
    ['approve steps 1, 2 and 3b', 'only', ['1', '2', '3b']],
    ['approve all but 4', 'all_but', ['4']],
    [' APPROVE  all but  step 2 – 3 ', 'all_but', ['2-3']],
  ])('"%s" is exact', (text, kind, items) => {
    const word = readWord(text);
    if (word.kind !== 'approve_part') throw new Error(`read as ${word.kind}`);
    const choice = word.choice.items.map(({ from, to }) => (to === null ? from : `${from}-${to}`));
    expect([word.choice.kind, choice]).toEqual([kind, items]);
  });

  it.each([
    'approve 4 please',
    'approve all',
    'approve all but the last',
    'approve it',
    'approve 1, 2 or 3',
    'approve1',
    'please approve 4',
    'approve all but',
    'approve 1-2-3',
    'approve not 4',
  ])('"%s" is talk', (text) => {
    expect(readWord(text)).toEqual({ kind: 'talk' });
  });
});

describe('the numbers of a card', () => {
  // 1a and 1b in parallel; 2 waits for both, 3 for 2. IDs mislead on purpose.
  const numbered = orderByLabel(
    labelled([
      makeStep('2'),
      makeStep('3'),
      makeStep('1', { after: following('2', '3') }),
      makeStep('4', { after: following('1') }),
    ]),
    4,
  );
  const idsOf = (text: string) => {
    const choice = readStepChoice(text);
    if (choice === null) throw new Error(`not a choice: ${text}`);
    return chooseSteps(choice, numbered).approval;
  };

  it('are what is meant, not the ids', () => {
    expect(idsOf('all but 3')).toEqual({ except: ['4'] });
    expect(idsOf('2')).toEqual({ steps: ['1'] });
    expect(idsOf('1b')).toEqual({ steps: ['3'] });
  });

  it('name a whole group, and a range of groups', () => {
    expect(idsOf('1')).toEqual({ steps: ['2', '3'] });
    expect(idsOf('1-2, 1a')).toEqual({ steps: ['2', '3', '1'] });
  });

  it.each(['4', '2a', '1-4', '3-2', '1, 9'])('"%s" names a step that is not there', (text) => {
    expect(() => idsOf(text)).toThrow(/^There is no step .*from 1a to 3\.$/);
  });

  it('stand in a refusal in place of the ids', () => {
    const refused = new CountersignError('steps_missing', 'add 1', { details: { missing: ['1'] } });
    expect(withNumbers(refused, numbered)).toMatchObject({
      code: 'steps_missing',
      message: expect.stringMatching(/need 2 \(Creates 1\.txt · content: "1"\)\.$/),
    });
    const beyond = new CountersignError('steps_missing', 'x', { details: { missing: ['99'] } });
    expect(withNumbers(beyond, numbered)).toBe(beyond);
  });
});
