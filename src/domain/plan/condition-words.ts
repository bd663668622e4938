// Conditions in words, without zod, for pages.
import { escapeExact, quoteWords } from '../shown-text.ts';
import type { ShownCondition, StepCondition } from './condition.ts';

/** `step 2 /status`. */
export function describePlace(path: string, label: string): string {
  if (path === '') return `the output of step ${label}`;
  if (isAnswer(path)) return `the answer to step ${label}`;
  return `step ${label} ${/^[\w/~.-]+$/.test(path) ? path : JSON.stringify(path)}`;
}

const isAnswer = (path: string) => path === '/answer' || path === '/fields/answer';

/** `Ana answers Yes to step 1`, or null. Exact: "yes" never equals "Yes". */
function describeYesOrNo(
  { path, is, value }: StepCondition,
  label: string,
  person: string | null,
): string | null {
  if (!isAnswer(path) || (is !== 'equals' && is !== 'not_equals')) return null;
  if (value !== 'Yes' && value !== 'No') return null;
  if (person === null) return `step ${label} is${is === 'equals' ? '' : ' not'} answered ${value}`;
  return `${person} ${is === 'equals' ? 'answers' : 'does not answer'} ${value} to step ${label}`;
}

const maxLabel = 100;

/** `step 2 /status is "green"`, `Ana answers Yes to step 1`. @param person null if none or unknown */
export function describeCondition(
  condition: ShownCondition,
  label: string = condition.step,
  person: string | null = null,
): string {
  const sentence = escapeExact(sayCondition(condition, label, person));
  const called = quoteWords(condition.label ?? '', maxLabel);
  return called === '' ? sentence : `${sentence} (${called})`;
}

function sayCondition(condition: StepCondition, label: string, person: string | null): string {
  const { path, is, value } = condition;
  const sentence = describeYesOrNo(condition, label, person);
  if (sentence !== null) return sentence;
  const place = describePlace(path, label);
  const literal = JSON.stringify(value);
  switch (is) {
    case 'equals':
      return `${place} is ${literal}`;
    case 'not_equals':
      return `${place} is not ${literal}`;
    case 'contains':
      return `${place} contains ${literal}`;
    case 'greater':
      return `${place} is greater than ${literal}`;
    case 'less':
      return `${place} is less than ${literal}`;
    case 'exists':
      return `${place} has a value`;
    default:
      return is satisfies never;
  }
}

/** @param asked the person another step asks */
export function describeConditions(
  when: ShownCondition[],
  { step, asked }: { step(id: string): string; asked?(id: string): string | null },
): string | null {
  const words = when.map((one) => describeCondition(one, step(one.step), asked?.(one.step)));
  return words.length === 0 ? null : words.join(' and ');
}
