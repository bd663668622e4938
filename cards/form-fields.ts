// A step's form in words.
import { describeOption } from '#domain/plan/answer.ts';
import { type FormField, fieldsOf } from '#domain/plan/form.ts';
import type { Step } from '#domain/plan/plan.ts';
import { quoteWords, showLabel, showLine } from '#domain/shown-text.ts';
import { isObject } from '#domain/text.ts';

import type { Field } from './view.ts';

const maxLabel = 200;
const maxHelp = 300;

function describeRange({ min, max }: FormField): string {
  if (min !== null && max !== null) return ` from ${min} to ${max}`;
  if (min !== null) return ` of at least ${min}`;
  return max === null ? '' : ` of at most ${max}`;
}

/** `whole number from 1 to 9` */
function describeValue(field: FormField): string {
  switch (field.type) {
    case 'text':
      return 'text';
    case 'multiline':
      return 'multi-line text';
    case 'number':
      return `${field.whole ? 'whole number' : 'number'}${describeRange(field)}`;
    case 'date':
      return 'date';
    case 'choice':
      return `one of ${field.options.length}`;
    case 'boolean':
      return 'yes or no';
    default:
      return field.type satisfies never;
  }
}

function describeMisfit(field: FormField): string {
  switch (field.type) {
    case 'text':
    case 'multiline':
      return 'Fill this in.';
    case 'number':
      return `Enter a ${describeValue(field)}.`;
    case 'date':
      return 'Pick a date.';
    case 'choice':
      return 'Choose one.';
    case 'boolean':
      return 'Choose yes or no.';
    default:
      return field.type satisfies never;
  }
}

export function viewField(field: FormField): Field {
  const { name, type, required, options, min, max, whole } = field;
  const label = showLabel(field.label, maxLabel);
  return {
    name,
    type,
    label,
    help: field.help === null ? '' : showLine(field.help, maxHelp),
    required,
    options: options.map((option) => ({
      value: option.value,
      label: describeOption(option),
      name: option.label,
    })),
    min,
    max,
    whole,
    words: `${describeValue(field)}${required ? '' : ', optional'}`,
    missing: describeMisfit(field),
  };
}

/** None if it takes text only. */
export function viewFields({ output }: Step): Field[] {
  return isObject(output) ? fieldsOf(output.form).map(viewField) : [];
}

/** `Amount in EUR · number from 1 to 9 (12.5)`; options are listed elsewhere. */
export function describeField(
  { label, type, words, help, options }: Field,
  listed = false,
): string {
  const choices =
    type === 'choice' && !listed ? `: ${options.map((option) => option.label).join(', ')}` : '';
  return `${label} · ${words}${choices}${help === '' ? '' : ` (${quoteWords(help, maxHelp)})`}`;
}
