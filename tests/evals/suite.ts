import type { ChatBody } from '#tests/fixtures/openai-double.ts';
import type { Category, EvalCase } from './case.ts';
import { ambiguous } from './cases/ambiguous.ts';
import { conditional } from './cases/conditional.ts';
import { goingOn } from './cases/going-on.ts';
import { hostile } from './cases/hostile.ts';
import { large } from './cases/large.ts';
import { lookUp } from './cases/look-up.ts';
import { manyTools } from './cases/many-tools.ts';
import { office } from './cases/office.ts';
import { peopleAndDates } from './cases/people-and-dates.ts';
import { plain } from './cases/plain.ts';
import { revision } from './cases/revision.ts';
import type { RecordedModels } from './recorded-model.ts';
import { type Recordings, replay } from './recordings.ts';
import { type EvalResult, runCase } from './run-case.ts';

export const cases: Record<Category, EvalCase[]> = {
  plain,
  'look-up': lookUp,
  ambiguous,
  revision,
  conditional,
  large,
  'people-and-dates': peopleAndDates,
  hostile,
  'going-on': goingOn,
  'many-tools': manyTools,
  office,
};

export type Miss = { body: ChatBody; why: string };

/** @param byPlace see `replay`; then `recorded` has this run's requests */
export async function runRecorded(
  one: EvalCase,
  models: RecordedModels,
  recordings: Recordings,
  byPlace = false,
): Promise<EvalResult & { miss: Miss | null; recorded: Recordings[string] }> {
  const replies = replay(recordings[one.id] ?? [], byPlace);
  const misses: Miss[] = [];
  const model = models.open(one.id, replies, (body, why) => misses.push({ body, why }));
  const result = await runCase(one, model);
  const [miss = null] = misses;
  const left = (recordings[one.id] ?? []).length - replies.taken().length;
  const problems = [
    ...(miss === null ? [] : [miss.why]),
    ...result.problems,
    ...(left > 0 && miss === null ? [`${left} recorded replies were not asked for`] : []),
  ];
  return { ...result, problems, miss, recorded: replies.taken() };
}
