// Parses step lists by card number: `1-3, 5`, `all but 4`.
import { CountersignError } from '../errors.ts';
import { listOf } from '../words.ts';
import type { ShownStep } from './call.ts';
import { nameCall } from './call-words.ts';
import { maxNumbered, type NumberedStep } from './step-numbers.ts';

type Item = { from: string; to: string | null };
export type StepChoice = { kind: 'only' | 'all_but'; items: Item[] };
type Numbered = NumberedStep<Pick<ShownStep, 'id' | 'after' | 'call'>>;

const item = /^\d{1,6}[a-z]{0,2}(?: ?[-–] ?\d{1,6})?$/;
const maxDescribed = 5;

export function readStepChoice(text: string): StepChoice | null {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const isRest = plain.startsWith('all but ');
  const list = plain.slice(isRest ? 'all but '.length : 0).replace(/^steps? /, '');
  const parts = list.split(/ ?, ?(?:and )?| and /);
  if (!parts.every((part) => item.test(part))) return null;
  const items = parts.map((words): Item => {
    const [from = '', to = null] = words.split(/ ?[-–] ?/);
    return { from, to };
  });
  return { kind: isRest ? 'all_but' : 'only', items };
}

export const noPartWords = `You can leave out steps by number in plans of up to ${maxNumbered} steps; this one has more. Uncheck them under Steps in the console, or propose changes.`;

/** Larger plans have no numbers. @throws `invalid_request` with alternatives */
export function requireNumbers(total: number): void {
  if (total > maxNumbered) throw new CountersignError('invalid_request', noPartWords);
}

function stepsOf({ from, to }: Item, numbered: Numbered[]): Numbered[] {
  if (to === null) {
    return numbered.filter(({ number, label }) => label === from || String(number) === from);
  }
  const [first, last] = [Number(from), Number(to)];
  const within = numbered.filter(({ number }) => number >= first && number <= last);
  // A range beyond the last step was meant for another plan.
  return within.some(({ number }) => number === last) ? within : [];
}

/** @throws `unknown_step` if a number is not on the card */
export function chooseSteps(
  { kind, items }: StepChoice,
  numbered: Numbered[],
): { chosen: Numbered[]; approval: { steps: string[] } | { except: string[] } } {
  const chosen = new Set<Numbered>();
  for (const one of items) {
    const steps = stepsOf(one, numbered);
    if (steps.length === 0) {
      const range = one.to === null ? one.from : `${one.from}-${one.to}`;
      throw new CountersignError(
        'unknown_step',
        `There is no step ${range}. The steps go from ${numbered.at(0)?.label ?? 1} to ${numbered.at(-1)?.label ?? 1}.`,
      );
    }
    for (const step of steps) chosen.add(step);
  }
  const ids = [...chosen].map(({ step }) => step.id);
  return { chosen: [...chosen], approval: kind === 'only' ? { steps: ids } : { except: ids } };
}

/** `2 (Moves a.txt to b.txt) and 3 (Posts here)`. */
export function describeNumbered(numbered: Numbered[]): string {
  const named = numbered.slice(0, maxDescribed).map(({ label, step }) => {
    return `${label} (${nameCall(step.call)})`;
  });
  const hidden = numbered.length - named.length;
  return listOf(hidden > 0 ? [...named, `${hidden} more`] : named);
}

/** Replaces IDs by card numbers if all have one. */
export function withNumbers(error: unknown, numbered: Numbered[]): unknown {
  if (!(error instanceof CountersignError) || error.code !== 'steps_missing') return error;
  const { missing } = error.details;
  if (!Array.isArray(missing)) return error;
  const named = numbered.filter(({ step }) => missing.includes(step.id));
  if (named.length < missing.length) return error;
  return new CountersignError(
    'steps_missing',
    `The steps you approved need ${describeNumbered(named)}.`,
    { details: error.details, cause: error },
  );
}
