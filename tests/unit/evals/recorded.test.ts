// Planner evals on recorded replies; each request must equal the recorded one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { categories } from '#tests/evals/case.ts';
import { openRecordedModels, type RecordedModels } from '#tests/evals/recorded-model.ts';
import { type Recordings, readRecordings } from '#tests/evals/recordings.ts';
import { cases, runRecorded } from '#tests/evals/suite.ts';

/** The first case loads the tokenizer. */
const timeout = 60_000;

let models: RecordedModels;

beforeAll(async () => {
  models = await openRecordedModels();
});

afterAll(() => models.close());

describe.each(categories)('recorded evals: %s', (category) => {
  let recordings: Recordings;

  beforeAll(async () => {
    recordings = await readRecordings(category);
  });

  it.each(cases[category])('$id passes', { timeout }, async (one) => {
    const { problems } = await runRecorded(one, models, recordings);
    // After rewording a prompt: read the difference, then `npm run evals -- --accept`.
    expect(problems).toEqual([]);
  });
});
