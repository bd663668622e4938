// The table of utterances against the planner without a model: the same plan, or no plan; never another one.
import { expect, it } from 'vitest';
import { runUtterance } from './run-utterance.ts';
import { utterances } from './utterances.ts';

const isPlan = ([first = '']: string[]) => !/^(?:asks|refuses|answers)\b/.test(first);

it('has several hundred rows, each said once in its place', () => {
  expect(utterances.length).toBeGreaterThan(400);
  expect(new Set(utterances.map(({ place, say }) => `${place} ${say}`)).size).toBe(
    utterances.length,
  );
});

it.each(utterances)('$label: $say', async ({ label, outcome, ...row }) => {
  const now = await runUtterance({ ...row, label, outcome });
  if (label === 'keep' || isPlan(now)) expect(now).toEqual(outcome);
});
