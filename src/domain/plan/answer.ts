// Reads a person's answers to a form on every surface.
import { quoteName, quoteWords } from '../shown-text.ts';
import { isStorableText } from '../words.ts';
import type { FormField } from './form.ts';

export type FieldValue = string | number | boolean | null;

export type StepAnswer = string | Record<string, FieldValue>;

const longest = { text: 1000, multiline: 4000 } as const;

const maxOptionShown = 100;

export function describeOption({ value, label }: FormField['options'][number]): string {
  const shown = quoteName(value, maxOptionShown);
  return label === value ? shown : `${shown} (${quoteWords(label, maxOptionShown)})`;
}

/** `“Which room?” is missing.` */
function nameOf({ label }: FormField): string {
  return quoteName(label, 200);
}

type Read = { ok: true; value: FieldValue } | { ok: false; message: string };

const fits = (value: FieldValue): Read => ({ ok: true, value });
const misfits = (message: string): Read => ({ ok: false, message });

function readText(field: FormField, given: unknown): Read {
  const { type } = field;
  const label = nameOf(field);
  if (typeof given !== 'string') return misfits(`${label} must be text.`);
  const most = type === 'multiline' ? longest.multiline : longest.text;
  if (given.length > most) return misfits(`${label} must have at most ${most} characters.`);
  if (!isStorableText(given)) {
    return misfits(`${label} contains characters that cannot be stored. Type it again.`);
  }
  return fits(
    type === 'multiline'
      ? given
      : given
          .split(/[\r\n]/)
          .map((part) => part.trim())
          .filter(Boolean)
          .join(' '),
  );
}

function readNumber(field: FormField, given: unknown): Read {
  const { min, max, whole } = field;
  const label = nameOf(field);
  const written = typeof given === 'string' && /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(given);
  const value = written ? Number(given) : given;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return misfits(`${label} must be a number such as ${whole ? '12' : '12.5'}.`);
  }
  if (whole && !Number.isSafeInteger(value)) return misfits(`${label} must be a whole number.`);
  if (min !== null && value < min) return misfits(`${label} must be at least ${min}.`);
  if (max !== null && value > max) return misfits(`${label} must be at most ${max}.`);
  return fits(value);
}

function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d{2}-\d{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function readDate(field: FormField, given: unknown): Read {
  const label = nameOf(field);
  if (typeof given === 'string' && isDay(given)) return fits(given);
  return misfits(`${label} must be a day such as 2026-03-31.`);
}

function readChoice(field: FormField, given: unknown): Read {
  const { options } = field;
  const label = nameOf(field);
  const named = typeof given === 'string' ? given.toLowerCase() : null;
  const exact = options.find(({ value }) => value === given);
  const [called, ...others] = options.filter((option) => option.label.toLowerCase() === named);
  // A label of two options selects neither.
  const found = exact ?? (others.length === 0 ? called : undefined);
  if (found !== undefined) return fits(found.value);
  const shown = options.slice(0, 10).map(describeOption);
  const rest = options.length > shown.length ? ` or ${options.length - shown.length} others` : '';
  return misfits(`${label} must be one of ${shown.join(', ')}${rest}.`);
}

const yes = ['true', 'yes', 'y', 'on'];
const no = ['false', 'no', 'n', 'off'];

function readBoolean(field: FormField, given: unknown): Read {
  const label = nameOf(field);
  if (typeof given === 'boolean') return fits(given);
  const word = typeof given === 'string' ? given.toLowerCase() : '';
  if (yes.includes(word)) return fits(true);
  return no.includes(word) ? fits(false) : misfits(`${label} must be yes or no.`);
}

/** Blank means none. */
export function readField(field: FormField, given: unknown): Read {
  const value = typeof given === 'string' ? given.trim() : given;
  if (value === undefined || value === null || value === '') {
    return field.required ? misfits(`${nameOf(field)} is missing.`) : fits(null);
  }
  switch (field.type) {
    case 'text':
    case 'multiline':
      return readText(field, value);
    case 'number':
      return readNumber(field, value);
    case 'date':
      return readDate(field, value);
    case 'choice':
      return readChoice(field, value);
    case 'boolean':
      return readBoolean(field, value);
    default:
      return field.type satisfies never;
  }
}

export type FieldProblem = { name: string; message: string };
export type ReadFields = { fields: Record<string, FieldValue>; problems: FieldProblem[] };

/** Null if empty; a sentence per invalid field. */
export function readFields(form: FormField[], given: Record<string, unknown>): ReadFields {
  const fields: Record<string, FieldValue> = {};
  const problems: FieldProblem[] = [];
  for (const field of form) {
    const read = readField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if (read.ok) fields[field.name] = read.value;
    else problems.push({ name: field.name, message: read.message });
  }
  const names = form.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    problems.push({
      name,
      message: `${quoteWords(name, 100)} is none of its fields: ${names.join(', ')}.`,
    });
  }
  return { fields, problems };
}
