// Templates: text with values of earlier steps in it. People and models write them as `Status: {{2/status}}`; stored, they are
// `{ "$template": ["Status: ", { "$from": "2", "path": "/status" }] }`. Text is read once, where a plan comes in, so that
// nothing that was stored, shown or put out by a tool is ever taken for a template later.
import { isObject, type Json, type JsonObject } from '../text.ts';
import {
  type ArgumentReference,
  isReference,
  isRuntime,
  isTemplate,
  type TemplateArgument,
} from './arguments.ts';
import type { PatchOperation, PlanPatch } from './patch.ts';
import type { PlanDraft } from './plan.ts';

/**
 * `{{2/status}}`, or `{{2}}` for the whole output where the id is a number (with a letter); a backslash before it keeps it as it is.
 * The id has no blank, brace or slash.
 */
const pattern =
  /\\\{\{|\{\{ {0,3}(?:([^\s{}/#^&!>][^\s{}/]{0,199})(\/[^{}]{0,300}?)|(\d{1,9}[a-z]?)) {0,3}\}\}/g;

function readText(text: string): string | TemplateArgument {
  if (!text.includes('{{')) return text;
  const parts: TemplateArgument['$template'] = [];
  let literal = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, id, path = '', number] = match;
    literal += text.slice(from, match.index);
    from = match.index + whole.length;
    const step = id ?? number;
    if (step === undefined) {
      literal += '{{';
      continue;
    }
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push({ $from: step, path });
  }
  literal += text.slice(from);
  if (parts.length === 0) return literal;
  return { $template: literal === '' ? parts : [...parts, literal] };
}

function readValue(value: Json): Json {
  if (typeof value === 'string') return readText(value);
  if (isReference(value) || isRuntime(value) || isTemplate(value)) return value;
  if (Array.isArray(value)) return value.map(readValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readValue(item)]));
}

/** Whether any text inside `value` may hold a template: most plans have none, and large ones are not copied for nothing. */
function hasBraces(value: Json): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (value === null || typeof value !== 'object') return false;
  return Array.isArray(value) ? value.some(hasBraces) : Object.values(value).some(hasBraces);
}

/** Arguments as they are written, with the templates in their texts read. */
export function readTemplates(args: JsonObject): JsonObject {
  if (!hasBraces(args)) return args;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, readValue(value)]));
}

/** `{{2/status}}` */
function writeReference({ $from, path }: ArgumentReference): string {
  return `{{${$from}${path}}}`;
}

function escapeText(text: string): string {
  return text.includes('{{') ? text.replace(pattern, (found) => `\\${found}`) : text;
}

function writeValue(value: Json): Json {
  if (typeof value === 'string') return escapeText(value);
  if (isTemplate(value)) {
    let text = '';
    let literal = '';
    for (const part of value.$template) {
      if (typeof part === 'string') literal += part;
      // A backslash before the braces would take them for text.
      else if (/\\\{*$/.test(literal)) return value;
      else {
        text += escapeText(literal) + writeReference(part);
        literal = '';
      }
    }
    return text + escapeText(literal);
  }
  if (isReference(value) || isRuntime(value)) return value;
  if (Array.isArray(value)) return value.map(writeValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeValue(item)]));
}

/** Every text inside `args` as it was written: those of templates and of run-time values are none. */
function* literalsOf(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* literalsOf(item);
  else if (isObject(value) && !isReference(value) && !isRuntime(value))
    for (const item of Object.values(value)) yield* literalsOf(item);
}

/** Ids that make a template without a path, unless a backslash before the braces keeps them as text. */
const numberId = /^\d{1,9}[a-z]?$/;

/**
 * The first `{{id}}` in a text that names a step and no value of it, which would be sent as it stands; null: there is none.
 * @param isStep whether there is a step of that id
 */
export function findBareTemplate(args: Json, isStep: (id: string) => boolean): string | null {
  if (!hasBraces(args)) return null;
  for (const text of literalsOf(args)) {
    for (const [, id = ''] of text.matchAll(/\{\{ {0,3}([^\s{}/]{1,200}) {0,3}\}\}/g)) {
      if (!numberId.test(id) && isStep(id)) return id;
    }
  }
  return null;
}

/** Stored arguments as a model or a person would write them: `readTemplates` gives them back. */
export function writeTemplates(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, writeValue(value)]));
}

type Written = { args?: JsonObject | undefined };

/** A step, or what a patch sets of one, with the templates in its arguments read. */
function readStep<T extends Written>(step: T): T {
  return step.args === undefined ? step : { ...step, args: readTemplates(step.args) };
}

/** A draft as it comes in from outside, with the templates in its arguments read. */
export function readDraft<T extends Pick<PlanDraft, 'steps' | 'series'>>(draft: T): T {
  const { steps, series } = draft;
  return {
    ...draft,
    steps: steps.map(readStep),
    ...(series === undefined
      ? {}
      : { series: series.map((one) => ({ ...one, steps: one.steps.map(readStep) })) }),
  };
}

/** The same of a patch. */
export function readPatch<T extends Pick<PlanPatch, 'operations'>>(patch: T): T {
  return {
    ...patch,
    operations: patch.operations.map((operation): PatchOperation => {
      if (operation.op === 'add_step') return { ...operation, step: readStep(operation.step) };
      if (operation.op === 'replace_step') return { ...operation, by: readStep(operation.by) };
      if (operation.op === 'update_steps') return { ...operation, set: readStep(operation.set) };
      return operation;
    }),
  };
}
