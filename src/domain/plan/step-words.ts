// The words for a step's fields, one row each, for cards, comparisons, changes and fact lists; sentences of planners and tools, and of
// steps whose work continues elsewhere. The console's page loads this file, so it imports types and words only.
import { quoteName, quoteWords, showTitle } from '../shown-text.ts';
import { describeConditions } from './condition-words.ts';
import type { Dependency } from './dependency.ts';
import type { Step } from './plan.ts';
import type { FieldName, StepContent } from './step-content.ts';

/** How a surface names things. */
type Naming = {
  step(id: string): string;
  /** The person another step asks, or null if none or unknown. */
  asked?(id: string): string | null;
  time?(iso: string): string;
  /** A dependency in words, and a duration in minutes. */
  wait?(dependency: Dependency): string;
  length?(minutes: number): string;
};

/** A field in words, or null if the value says nothing. */
type FieldWords<Value = unknown> = {
  /** Name in comparisons and changes; default: the field's. */
  name?: string;
  noun?: string;
  /** A bound besides the call, shown on cards in full. */
  bound?(value: Value, naming: Naming): string | null;
  /** A change as a phrase; default: noun and value. */
  given?(value: Value, naming: Naming): string;
  /** In a fact list, under `title`. */
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

/** The words for a field by name, which may be any text. */
export function wordsFor(field: string): FieldWords {
  return allWords.find(([name]) => name === field)?.[1] ?? {};
}

/** The words for each field the step has; older programs' steps may lack some. */
function wordsIn(step: Partial<StepContent>): [FieldWords, unknown][] {
  const values: Record<string, unknown> = step;
  return allWords.flatMap(([name, words]): [FieldWords, unknown][] =>
    values[name] === undefined ? [] : [[words, values[name]]],
  );
}

/** A step's bounds besides its call, one phrase each. */
export function boundsIn(step: Partial<StepContent>, naming: Naming): string[] {
  return wordsIn(step).flatMap(([{ bound }, value]) => bound?.(value, naming) ?? []);
}

export function factsIn(step: StepContent, naming: Naming): [string, string][] {
  return wordsIn(step).flatMap(([{ title, fact }, value]): [string, string][] => {
    const words = fact?.(value, naming) ?? null;
    return title === undefined || words === null ? [] : [[title, words]];
  });
}

/** Built-in tools that word their own results; elsewhere people, models or servers do. */
const ownWords = new Set(['workspace', 'chat', 'reminder', 'calendar', 'control']);

/** A step's result, or ''. */
export function showResult(
  { tool, result_summary: text }: { tool: string; result_summary: string | null },
  max: number,
): string {
  return (ownWords.has(tool) ? showTitle : quoteWords)(text ?? '', max);
}

/** The name of the planner without a model. */
export const offlinePlanner = 'offline planner';

/** A planner's sentence, or ''. */
export function showPlanned(text: string, planner: string | null, max: number): string {
  return planner === offlinePlanner ? showTitle(text, max) : quoteWords(text, max);
}

export function isHandedOver({ status, output }: Pick<Step, 'status' | 'output'>): boolean {
  return status === 'running' && typeof output === 'object' && output !== null && 'later' in output;
}

/** Names who such a step waits for, or null; a wait of our own says how long itself. */
export function describeHandedOver(step: Pick<Step, 'status' | 'output' | 'tool'>): string | null {
  return isHandedOver(step) && step.tool !== 'control' ? `${step.tool} is working on it` : null;
}
