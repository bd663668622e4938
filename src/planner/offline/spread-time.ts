// A time that is said once for several instructions: "tomorrow at 9, delete a.txt and post it", and where that is unclear, a question.
import { questions } from './questions.ts';
import { ask, type Reading, type ReadingContext, type Start, type Understood } from './reading.ts';
import { readDelay } from './timing.ts';

type Timed = Extract<Reading, { start?: Start }>;

/** Gives each instruction the time that was meant for it. `leading`: the time stood before the first verb. */
export function spreadTimes(
  clauses: Understood[],
  context: Pick<ReadingContext, 'answers'>,
): Understood[] {
  const spread: Understood[] = [];
  let leading: Start | undefined;
  for (const clause of clauses) {
    const { reading } = clause;
    const start = startOf(reading);
    if (start?.leading === true) leading = start;
    if (start === undefined && leading !== undefined && canStart(reading))
      spread.push({ ...clause, reading: { ...reading, start: leading } });
    else spread.push(...waitFirst(clause, start, spread.length));
  }
  return spread.map((clause, index) => askWhereUnclear(clause, index, spread, context));
}

function startOf(reading: Reading): Start | undefined {
  return 'start' in reading ? reading.start : undefined;
}

function canStart(reading: Reading): reading is Timed {
  return (
    reading.kind === 'for_each' ||
    (reading.kind === 'intents' &&
      !reading.intents.some((intent) => /^(?:remind|calendar_\w+|call)$/.test(intent.act)))
  );
}

/** "…, then in 5 minutes delete it": five minutes after what comes before, not after now. */
function waitFirst(clause: Understood, start: Start | undefined, index: number): Understood[] {
  const seconds = start && index > 0 && clause.link === 'sequence' ? readDelay(start.words) : null;
  if (seconds === null || !canStart(clause.reading)) return [clause];
  const { start: _, ...reading } = clause.reading;
  return [
    { ...clause, reading: { kind: 'intents', intents: [{ act: 'wait', seconds }] } },
    { ...clause, reading },
  ];
}

/** "Delete a.txt and post 'done' tomorrow": both, or only the post? */
function askWhereUnclear(
  clause: Understood,
  index: number,
  all: Understood[],
  context: Pick<ReadingContext, 'answers'>,
): Understood {
  const { reading } = clause;
  if (!canStart(reading) || reading.start !== undefined) return clause;
  const beside = all.find(
    (other, place) =>
      startOf(other.reading)?.leading === false &&
      all
        .slice(Math.min(place, index) + 1, Math.max(place, index) + 1)
        .every((between) => between.link === 'sibling'),
  );
  const start = beside && startOf(beside.reading);
  if (!beside || !start) return clause;
  const question = questions.timeForAll(start.words, beside.words.replace(start.words, '').trim());
  const answer = context.answers.get(question);
  if (answer === undefined) return { ...clause, reading: ask(question) };
  const forAll = /\b(?:all|both|everything|every|yes)\b/i.test(answer) && !/\bonly\b/i.test(answer);
  return forAll ? { ...clause, reading: { ...reading, start } } : clause;
}
