// for_each (C17): one step for each item that an operation lists. The operation is called, paged and filtered by code, and every
// step is concrete, so a model writes a template and no items.
import { z } from 'zod';
import { isReference, isRuntime, isTemplate } from '#domain/plan/arguments.ts';
import { ConditionOperator, StepCondition } from '#domain/plan/condition.ts';
import type { StepDraft } from '#domain/plan/plan.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { isObject, type Json, JsonObject } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { readPointer } from '#tools/resolve-arguments.ts';
import { fail } from '../agent/agent-tool.ts';
import { checkStep } from '../draft/check-draft.ts';
import { addGroup } from '../draft/edit-draft.ts';
import { createStepReader, writtenStepShape } from '../grammar/written-steps.ts';
import type { ToolContext, ToolOutcome } from '../tools/planning-tool.ts';
import { draftTool, keepEdit, openDraft } from './draft-tool.ts';

const itemsAtMost = 20_000;
const pagesAtMost = 500;
const problemsAtMost = 5;

const { args } = writtenStepShape;

const ForEach = z.strictObject({
  id: z.string().describe('the steps are called id-1, id-2, …'),
  title: z.string(),
  operation: z.string().describe('read operation that lists the items'),
  args: JsonObject,
  list: z.string().describe('JSON pointer to the list in its output'),
  where: z
    .array(
      z.strictObject({
        path: z.string().describe('JSON pointer into the item'),
        is: ConditionOperator,
        value: z.json().optional(),
      }),
    )
    .optional()
    .describe('only items for which all hold'),
  paging: z
    .strictObject({
      argument: z.string(),
      next: z.string().describe('JSON pointer to the next page in the output'),
    })
    .optional(),
  step: z
    .strictObject({
      description: z.string(),
      operation: z.string(),
      args,
      after: z.array(z.json()).optional(),
      ask_before: z.boolean().optional(),
    })
    .describe('template: {{item}} or {{item/path}} stands for the item, or a value in it'),
  phase: z.string().optional(),
});
type ForEach = z.infer<typeof ForEach>;

/** Characters of the items, and of the steps made of them. */
const charactersAtMost = 16_000_000;

const placeholder = /\{\{([^{}]{0,300})\}\}/g;

/** The pointer into the item that a placeholder names; null: it is none of ours. */
function pointerOf(inside: string): string | null {
  const name = inside.trim();
  if (name === 'item') return '';
  return name.startsWith('item/') ? name.slice('item'.length) : null;
}

/** A value in the item; undefined: it has none there. */
function valueAt(item: Json, pointer: string): Json | undefined {
  const at = readPointer(item, pointer);
  return at.ok ? at.value : undefined;
}

function writeValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How a text of the item is put into the template. */
type Write = (text: string) => Json;

/** Arguments are read as a model writes them, so a text of the item is escaped: nothing in it is taken for a template. */
const escapeText: Write = (text) => writeTemplates({ text }).text ?? text;

/** `text` with the item's values; a text that is nothing but one placeholder becomes that value, if it is a plain one. */
function fillText(text: string, item: Json, lacking: Set<string>, write: Write): Json {
  if (!text.includes('{{')) return text;
  const read = (pointer: string): Json => {
    const value = valueAt(item, pointer);
    if (value === undefined) lacking.add(pointer);
    return value ?? '';
  };
  const whole = text.startsWith('{{') && text.endsWith('}}') ? pointerOf(text.slice(2, -2)) : null;
  if (whole !== null) {
    const value = read(whole);
    // An object could be read as a reference or a value to decide; items are data.
    const isPlain = typeof value !== 'string' && !isObject(value) && !Array.isArray(value);
    return isPlain ? value : write(writeValue(value));
  }
  return text.replace(placeholder, (found, inside: string) => {
    const pointer = pointerOf(inside);
    return pointer === null ? found : writeValue(write(writeValue(read(pointer))));
  });
}

function fill(template: Json, item: Json, lacking: Set<string>, write: Write): Json {
  if (typeof template === 'string') return fillText(template, item, lacking, write);
  // Which step a value comes from, and what is to be decided, is never said by an item.
  if (isReference(template) || isRuntime(template) || isTemplate(template)) return template;
  if (Array.isArray(template)) return template.map((one) => fill(one, item, lacking, write));
  if (!isObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fill(value, item, lacking, write)]),
  );
}

type Listed = { items: Json[]; pages: number; more: boolean };

/** Names by which outputs say that there is more, where no paging was given. */
const moreKeys = [
  'truncated',
  'has_more',
  'hasMore',
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
];

function saysMore(data: Json): boolean {
  return (
    isObject(data) &&
    moreKeys.some(
      (key) =>
        data[key] !== undefined && data[key] !== null && data[key] !== false && data[key] !== '',
    )
  );
}

async function listItems(
  given: ForEach,
  { tools, signal }: ToolContext,
): Promise<Listed | { problem: string }> {
  const items: Json[] = [];
  let length = 0;
  let args = given.args;
  for (let pages = 1; ; pages += 1) {
    const wrong = tools.validate(given.operation, args);
    if (wrong.length > 0) return { problem: wrong.join(' ') };
    const { data } = await tools.call(given.operation, args, signal);
    const at = readPointer(data, given.list);
    if (!at.ok || !Array.isArray(at.value))
      return {
        problem: `There is no list at ${given.list || 'the root'} of the output. It has: ${isObject(data) ? Object.keys(data).slice(0, 20).join(', ') : typeof data}.`,
      };
    for (const item of at.value) items.push(item);
    length += JSON.stringify(at.value).length;
    const next = given.paging === undefined ? undefined : valueAt(data, given.paging.next);
    const ended = next === undefined || next === null || next === '' || next === false;
    if (given.paging === undefined || ended)
      return { items, pages, more: given.paging === undefined && saysMore(data) };
    if (items.length >= itemsAtMost || pages >= pagesAtMost || length >= charactersAtMost)
      return { items, pages, more: true };
    if (args[given.paging.argument] === next)
      return { problem: `The next page is the same page again; check paging.` };
    args = { ...args, [given.paging.argument]: next };
  }
}

function holds(item: Json, { where = [] }: ForEach): boolean {
  return where.every(
    (condition) =>
      explainCondition(StepCondition.parse({ ...condition, step: 'item' }), item, 'item') === null,
  );
}

function expand(
  given: ForEach,
  items: Json[],
  { tools, state }: ToolContext,
): { steps: (StepDraft & { id: string })[] } | { problems: string[] } {
  const { readNew } = createStepReader(tools.manifest(), state.timezone);
  const check = checkStep(tools);
  const steps: (StepDraft & { id: string })[] = [];
  const problems: string[] = [];
  let length = 0;
  for (const [index, item] of items.entries()) {
    if (problems.length >= problemsAtMost) break;
    if (length >= charactersAtMost)
      return {
        problems: ['The steps are too long together. Take fewer items, or a shorter template.'],
      };
    const lacking = new Set<string>();
    const { description, args, ...rest } = JsonObject.parse(given.step);
    const raw = {
      ...rest,
      id: `${given.id}-${index + 1}`,
      description: shorten(String(fill(description ?? '', item, lacking, (text) => text)), 3000),
      args: fill(args ?? {}, item, lacking, escapeText),
    };
    length += JSON.stringify(raw).length;
    if (lacking.size > 0) {
      problems.push(
        `Item ${index + 1} has nothing at ${[...lacking].join(', ')}: ${shorten(JSON.stringify(item), 200)}`,
      );
      continue;
    }
    const one = readNew(JsonObject.parse(raw));
    if ('problems' in one) {
      problems.push(...one.problems);
      continue;
    }
    const { step } = one;
    const wrong = check(step, step.id);
    if (wrong.length > 0) problems.push(...wrong);
    else steps.push(step);
  }
  return problems.length > 0 ? { problems: problems.slice(0, problemsAtMost) } : { steps };
}

async function run(args: object, toolContext: ToolContext): Promise<ToolOutcome> {
  const given = ForEach.parse(args);
  const listed = await listItems(given, toolContext);
  if ('problem' in listed) return { result: fail(listed.problem) };
  const { items, pages, more } = listed;
  const chosen = items.filter((item) => holds(item, given));
  if (chosen.length === 0)
    return {
      result: fail(
        `Found ${countOf(items.length, 'item')}, and none that ${given.where === undefined ? 'is there' : 'meets the conditions'}.`,
        ...(items[0] === undefined ? [] : [`The first: ${shorten(JSON.stringify(items[0]), 300)}`]),
      ),
    };
  if (chosen.length > itemsAtMost)
    return {
      result: fail(
        `There are ${chosen.length} items; a plan takes ${itemsAtMost} of one kind. Narrow them down with "where".`,
      ),
    };
  const expanded = expand(given, chosen, toolContext);
  if ('problems' in expanded) return { result: fail(...expanded.problems) };
  const { steps } = expanded;
  const edited = addGroup(
    openDraft(toolContext),
    given.id,
    shorten(given.title, 3000),
    steps,
    given.phase ?? null,
  );
  const found = `Found ${countOf(items.length, 'item')}${pages > 1 ? ` on ${countOf(pages, 'page')}` : ''}, ${steps.length === items.length ? 'all of them' : steps.length} taken: steps ${given.id}-1 to ${given.id}-${steps.length}. First: ${shorten(steps[0]?.description ?? '', 200)}. Last: ${shorten(steps.at(-1)?.description ?? '', 200)}.`;
  const rest = more
    ? ['The output says that there is more than this: give "paging", or narrow it down.']
    : [];
  const outcome = keepEdit(edited, toolContext, found, rest);
  const sample = { found: items.length, taken: steps.length, first: chosen.slice(0, 5) };
  return { ...outcome, read: { operation: given.operation, args: given.args, data: sample } };
}

export const forEach = draftTool(
  'for_each',
  'Adds one step for each item that a read operation lists; code lists, filters and pages.',
  ForEach,
  run,
  { prerequisites: [], quotes: true },
);
