// Words for step fields, one row each; no zod, for pages.
import { quoteName, quoteWords, showTitle } from '../shown-text.ts';
import { describeConditions } from './condition-words.ts';
import type { Dependency } from './dependency.ts';
import type { Step } from './plan.ts';
import type { FieldName, StepContent } from './step-content.ts';

type Naming = {
  step(id: string): string;
  asked?(id: string): string | null;
  time?(iso: string): string;
  /** Durations in minutes. */
  wait?(dependency: Dependency): string;
  length?(minutes: number): string;
};

/** Null if the value says nothing. */
type FieldWords<Value = unknown> = {
  /** Default: the field's. */
  name?: string;
  noun?: string;
  bound?(value: Value, naming: Naming): string | null;
  /** Default: noun and value. */
  given?(value: Value, naming: Naming): string;
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
  duration: {},
  duration_minutes: {
    name: 'takes',
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

/** `field` may be any text. */
export function wordsFor(field: string): FieldWords {
  return allWords.find(([name]) => name === field)?.[1] ?? {};
}

function wordsIn(step: Partial<StepContent>): [FieldWords, unknown][] {
  const values: Record<string, unknown> = step;
  return allWords.flatMap(([name, words]): [FieldWords, unknown][] =>
    values[name] === undefined ? [] : [[words, values[name]]],
  );
}

export function boundsIn(step: Partial<StepContent>, naming: Naming): string[] {
  return wordsIn(step).flatMap(([{ bound }, value]) => bound?.(value, naming) ?? []);
}

export function factsIn(step: StepContent, naming: Naming): [string, string][] {
  return wordsIn(step).flatMap(([{ title, fact }, value]): [string, string][] => {
    const words = fact?.(value, naming) ?? null;
    return title === undefined || words === null ? [] : [[title, words]];
  });
}

/** Tools whose results are our own words. */
const ownWords = new Set(['workspace', 'chat', 'reminder', 'calendar', 'control']);

export function showResult(
  { tool, result_summary: text }: { tool: string; result_summary: string | null },
  max: number,
): string {
  return (ownWords.has(tool) ? showTitle : quoteWords)(text ?? '', max);
}

/** Works without a model. */
export const offlinePlanner = 'offline planner';

export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** Null where our own wait says how long. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) && step.tool !== 'control' ? `${step.tool} is working on it` : null;
}
