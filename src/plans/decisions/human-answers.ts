// Reads answers to a step's form.
import { CountersignError } from '#domain/errors.ts';
import {
  describeOption,
  type FieldProblem,
  type FieldValue,
  readFields,
} from '#domain/plan/answer.ts';
import { fieldsOf } from '#domain/plan/form.ts';
import type { Chosen, Undecided } from '#domain/plan/open-values.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { isObject, type Json, type JsonObject, parseJson } from '#domain/text.ts';

export type HumanAnswer = { answer: string | null; fields: Record<string, FieldValue> };

/** `answer`: null without words. */
export function answerAbout(id: string, { answer, answers }: Settlement) {
  const own = answers !== undefined && Object.hasOwn(answers, id) ? answers[id] : undefined;
  const words = typeof own === 'string' ? own : answer;
  const text = words?.trim() ?? '';
  return { words: text === '' ? null : text, given: typeof own === 'object' ? own : {} };
}

/** As asked; old tasks have none. */
function formOf({ output }: Step): Json | undefined {
  return isObject(output) ? output.form : undefined;
}

export function summariseAnswer(step: Step, { answer, fields }: HumanAnswer, by: string): string {
  const filled = fieldsOf(formOf(step)).flatMap(({ name, label, options }) => {
    const value = fields[name] ?? null;
    if (value === null) return [];
    const option = options.find((one) => one.value === value);
    const chosen = option === undefined ? undefined : describeOption(option);
    const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
    return [`${label}${/\p{P}$/u.test(label) ? '' : ':'} ${chosen ?? shown}`];
  });
  const words = [...(answer === null ? [] : [answer]), ...filled].join('; ');
  return words === '' ? `Marked done by ${by}` : words;
}

/** @param lenient the step has failed; required fields may be omitted */
export function readAnswer(
  step: Step,
  settlement: Settlement,
  lenient: boolean,
): HumanAnswer & { problems: FieldProblem[] } {
  const { words, given } = answerAbout(step.id, settlement);
  const form = fieldsOf(formOf(step));
  if (form.length === 0 && Object.keys(given).length > 0) {
    const message = `Step ${step.label} has no form. Answer it in words.`;
    return { answer: words, fields: {}, problems: [{ name: '', message }] };
  }
  if (lenient && Object.keys(given).length === 0) {
    return { answer: words, fields: {}, problems: [] };
  }
  return { answer: words, ...readFields(form, given) };
}

/** For a call's open places. Words alone answer a single one. */
export function readChosen(
  id: string,
  { form, places }: Undecided,
  settlement: Settlement,
): { chosen: Chosen['chosen']; problems: FieldProblem[] } {
  const { words, given } = answerAbout(id, settlement);
  const fields = fieldsOf(form);
  const [only, ...others] = fields;
  const one = only !== undefined && others.length === 0 && Object.keys(given).length === 0;
  const read = readFields(fields, one && words !== null ? { [only.name]: words } : given);
  const { problems } = read;
  const chosen = Object.entries(read.fields).flatMap(([name, field]): Chosen['chosen'] => {
    const place = places[name];
    if (place === undefined) return [];
    if (!place.json) return [{ path: place.path, value: field }];
    const value = typeof field === 'string' ? parseJson(field) : undefined;
    if (value !== undefined) return [{ path: place.path, value }];
    problems.push({ name, message: 'This must be JSON, such as ["a", "b"].' });
    return [];
  });
  return { chosen, problems };
}

/** `done` is Yes and `failed` No, unless words or a value differ. Words with or after a No are its note. */
export function readYesOrNo(
  step: Step,
  resolution: 'done' | 'failed',
  settlement: Settlement,
): { answer: 'Yes' | 'No'; note: string | null; problems: FieldProblem[] } {
  const { words, given } = answerAbout(step.id, settlement);
  if (resolution === 'failed') return { answer: 'No', note: words, problems: [] };
  const value = given.answer ?? words ?? true;
  // A Yes with conditions is none.
  const read = /^(?:(y|yes|true)[.!]?|(?:n|no|false)(?:[.!]?|[.!,;:]\s*(\S.*)))$/is.exec(
    String(value).trim(),
  );
  if (read !== null && Object.keys(given).every((name) => name === 'answer'))
    return { answer: read[1] === undefined ? 'No' : 'Yes', note: read[2] ?? null, problems: [] };
  const message = `Step ${step.label} takes Yes or No. Words after a Yes may set a condition: answer Yes alone, or No with the reason.`;
  return { answer: 'No', note: null, problems: [{ name: '', message }] };
}

/** `No: not before May` */
export const tellYesOrNo = ({ answer, note }: { answer: string; note: string | null }): string =>
  note === null ? answer : `${answer}: ${note}`;

/** @throws `feedback_required`: people need the reason */
export function readReason(step: Step, settlement: Settlement): string {
  const { words } = answerAbout(step.id, settlement);
  if (words !== null) return words;
  throw new CountersignError(
    'feedback_required',
    `Say what is blocking step ${step.label}. Others can read it, and the step can be tried again.`,
  );
}

export function toOutput({ answer, fields }: HumanAnswer, by: string, at: Date): JsonObject {
  return { answer, fields, by, at: at.toISOString() };
}

/** Can be asked again or still be answered. */
export function withBlocker({ output }: Step, by: string, at: Date): JsonObject {
  return { ...(isObject(output) ? output : {}), by, at: at.toISOString() };
}

/** @throws `invalid_answer` with a sentence per field */
export function requireValidAnswers(problems: { step: string; problem: FieldProblem }[]): void {
  if (problems.length === 0) return;
  const sentences = problems.map(({ problem }) => problem.message);
  const shown = sentences.slice(0, 5).join(' ');
  const rest = sentences.length > 5 ? ` And ${sentences.length - 5} more.` : '';
  throw new CountersignError('invalid_answer', `${shown}${rest} Nothing was stored.`, {
    details: {
      errors: problems.map(({ step, problem: { name, message } }) => ({
        path: name === '' ? `answers.${step}` : `answers.${step}.${name}`,
        step,
        ...(name === '' ? {} : { field: name }),
        message,
      })),
    },
  });
}
