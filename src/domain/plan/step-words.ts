// The words for the fields of a step, a row each, for cards, comparisons, changes and lists of facts. The console's page loads this
// file, so it imports types and words only.
import { quoteName } from '../shown-text.ts';
import { describeConditions } from './condition-words.ts';
import type { Dependency } from './dependency.ts';
import type { FieldName, StepContent } from './step-content.ts';

/** How a surface says what a value names. */
type Naming = {
  /** The label of a step, by its id. */
  step(id: string): string;
  /** Whom another step asks; null: nobody, or that is not known here. */
  asked?(id: string): string | null;
  time?(iso: string): string;
  /** What a step waits for, and a duration in minutes. */
  wait?(dependency: Dependency): string;
  length?(minutes: number): string;
};

/** A field in words; null where the value says nothing. */
type FieldWords<Value = unknown> = {
  /** Its name in a comparison, and in a change; by default the field's own. */
  name?: string;
  noun?: string;
  /** Bounds the step besides its call: cards say it of every step, whole. */
  bound?(value: Value, naming: Naming): string | null;
  /** A change of the field as a phrase; by default the noun and the value. */
  given?(value: Value, naming: Naming): string;
  /** In a list of facts about the step, under `title`. */
  title?: string;
  fact?(value: Value, naming: Naming): string | null;
};

const join = (words: string[]): string | null => (words.length === 0 ? null : words.join(', '));
const timeOf = (iso: string | null, { time }: Naming): string | null =>
  iso === null ? null : (time?.(iso) ?? iso);
const named = (text: string) => quoteName(text, 200);

export const stepWords: { [Name in FieldName]: FieldWords<StepContent[Name]> } = {
  id: {},
  description: {},
  tool: {},
  operation: {},
  target: {},
  args: { noun: 'arguments' },
  after: {
    title: 'After',
    fact: (after, { wait }) => join(after.map((one) => wait?.(one) ?? one.id)),
  },
  when: {
    name: 'only if',
    bound: (when, naming) => {
      const words = describeConditions(when, naming);
      return words === null ? null : `only if ${words}`;
    },
    given: (when, naming) => {
      const words = describeConditions(when, naming);
      return words === null ? 'no condition' : `the condition that ${words}`;
    },
    title: 'Only if',
    fact: describeConditions,
  },
  ask_before: {
    name: 'asks before it runs',
    bound: (asks) => (asks ? 'asks before it runs' : null),
    given: (asks) => (asks ? 'a question before it runs' : 'no question before it runs'),
    title: 'Asks first',
    fact: (asks) => (asks ? 'yes, just before it runs' : null),
  },
  not_before: {
    name: 'not before',
    noun: 'earliest start',
    bound: (iso, naming) => (iso === null ? null : `not before ${timeOf(iso, naming)}`),
    title: 'Not before',
    fact: timeOf,
  },
  duration_minutes: {
    name: 'minutes',
    noun: 'duration in minutes',
    title: 'Expected',
    fact: (minutes, { length }) =>
      minutes === null ? null : (length?.(minutes) ?? `${minutes} min`),
  },
  partition: { title: 'Partition', fact: (name) => (name === null ? null : named(name)) },
  tags: { title: 'Tags', fact: (tags) => join(tags.map(named)) },
  priority: {},
  resources: {},
  capabilities: {},
  notes: {},
  seen: {},
};

const allWords = Object.entries<FieldWords>(stepWords);

/** The words for a field by its name, which may be any text. */
export function wordsFor(field: string): FieldWords {
  return allWords.find(([name]) => name === field)?.[1] ?? {};
}

/** The words for each field that the step has: one that comes from an older program may lack some. */
function wordsIn(step: Partial<StepContent>): [FieldWords, unknown][] {
  const values: Record<string, unknown> = step;
  return allWords.flatMap(([name, words]): [FieldWords, unknown][] =>
    values[name] === undefined ? [] : [[words, values[name]]],
  );
}

/** The bounds of a step besides its call, a phrase each. */
export function boundsIn(step: Partial<StepContent>, naming: Naming): string[] {
  return wordsIn(step).flatMap(([{ bound }, value]) => bound?.(value, naming) ?? []);
}

/** The facts about a step, each with its title. */
export function factsIn(step: StepContent, naming: Naming): [string, string][] {
  return wordsIn(step).flatMap(([{ title, fact }, value]): [string, string][] => {
    const words = fact?.(value, naming) ?? null;
    return title === undefined || words === null ? [] : [[title, words]];
  });
}
