// Evaluates a condition on an output, with the reason if it fails. Pure.
import { isDeepStrictEqual } from 'node:util';
import { compareDecimals, readDecimal } from '#domain/decimal.ts';
import type { StepCondition } from '#domain/plan/condition.ts';
import { describePlace } from '#domain/plan/condition-words.ts';
import type { Json } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { readPointer } from './resolve-arguments.ts';

/** Characters. */
const maxShown = 120;

const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

const trim = (value: Json): Json => (typeof value === 'string' ? value.trim() : value);

function isEqual(found: Json, value: Json): boolean {
  return isDeepStrictEqual(trim(found), trim(value));
}

function compare(found: Json, value: Json): number | null {
  const [a, b] = [trim(found), trim(value)];
  const toNumber = (one: Json) =>
    typeof one === 'object' || typeof one === 'boolean' ? null : readDecimal(String(one));
  const toMoment = (one: Json) =>
    typeof one === 'string' && moment.test(one) ? Date.parse(one) : Number.NaN;
  const numbers = [toNumber(a), toNumber(b)] as const;
  if (numbers[0] !== null && numbers[1] !== null) return compareDecimals(numbers[0], numbers[1]);
  const difference = toMoment(a) - toMoment(b);
  return Number.isNaN(difference) ? null : difference;
}

function contains(found: Json, value: Json): boolean {
  if (Array.isArray(found)) return found.some((item) => isEqual(item, value));
  return (
    typeof found === 'string' && typeof value === 'string' && found.trim().includes(value.trim())
  );
}

/** The rest of a sentence, or null if it holds. @param output undefined if the step was skipped */
export function explainCondition(
  { path, is, value = null }: StepCondition,
  output: Json | undefined,
  label: string,
): string | null {
  if (output === undefined) return `step ${label} was skipped`;
  const at = readPointer(output, path);
  const place = describePlace(path, label);
  if (!at.ok) return `${place} has no value`;
  const shown = shorten(JSON.stringify(at.value), maxShown);
  const literal = shorten(JSON.stringify(value), maxShown);
  switch (is) {
    case 'exists':
      return at.value === null ? `${place} has no value` : null;
    case 'equals':
      return isEqual(at.value, value) ? null : `${place} is ${shown}, not ${literal}`;
    case 'not_equals':
      return isEqual(at.value, value) ? `${place} is ${shown}` : null;
    case 'contains':
      return contains(at.value, value)
        ? null
        : `${place} is ${shown}, which does not contain ${literal}`;
    case 'greater':
    case 'less': {
      const difference = compare(at.value, value);
      if (difference === null)
        return `${place} is ${shown}, which can't be compared with ${literal}`;
      const holds = is === 'greater' ? difference > 0 : difference < 0;
      return holds ? null : `${place} is ${shown}, not ${is} than ${literal}`;
    }
    default:
      return is satisfies never;
  }
}
