// The items of a for_each, page by page: the operation is called, paged and filtered by code, and no more than a page is held.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { ConditionOperator, StepCondition } from '#domain/plan/condition.ts';
import { isObject, type Json, JsonObject } from '#domain/text.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { readPointer } from '#tools/resolve-arguments.ts';
import type { ToolContext } from '../tools/planning-tool.ts';
import { valueAt } from './fill-template.ts';

export const itemsAtMost = 20_000;
const pagesAtMost = 500;

/** What says where items come from. */
export const itemSourceShape = {
  operation: z.string().optional().describe('lists the items'),
  args: JsonObject.optional(),
  artifact: z.string().optional().describe('instead of both'),
  list: z.string().describe('JSON pointer to the list in its output'),
  where: z
    .array(
      z.strictObject({
        path: z.string().describe('JSON pointer into the item'),
        is: ConditionOperator,
        value: z.json().optional(),
      }),
    )
    .optional(),
  paging: z
    .strictObject({
      argument: z.string(),
      next: z.string().describe('pointer in the output'),
    })
    .optional(),
};
export type ItemSource = z.infer<z.ZodObject<typeof itemSourceShape>>;

/** Names by which outputs say that there is more, where no paging was given. */
const moreKeys = [
  'truncated',
  'has_more',
  'hasMore',
  'next',
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
];

const isSaid = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';

function saysMore(data: Json): boolean {
  return isObject(data) && moreKeys.some((key) => isSaid(data[key]));
}

export type ItemPage = {
  items: Json[];
  /** It is the last that is read, and the output says that there is more. */
  more: boolean;
};

function listIn(data: Json, list: string): Json[] {
  const at = readPointer(data, list);
  if (at.ok && Array.isArray(at.value)) return at.value;
  throw new CountersignError(
    'invalid_arguments',
    `There is no list at ${list || 'the root'} of the output. It has: ${isObject(data) ? Object.keys(data).slice(0, 20).join(', ') : typeof data}.`,
  );
}

/** @throws CountersignError `invalid_arguments` where there is no list, or the next page is the same again */
export async function* listItems(
  { operation, args: first = {}, artifact, list, paging }: ItemSource,
  { tools, state, signal }: Pick<ToolContext, 'tools' | 'state' | 'signal'>,
): AsyncGenerator<ItemPage> {
  if (artifact !== undefined) {
    const data = (await tools.requests?.load(state.run_id, artifact)) ?? null;
    yield { items: listIn(data, list), more: saysMore(data) };
    return;
  }
  if (operation === undefined)
    throw new CountersignError('invalid_arguments', 'Give "operation" and "args", or "artifact".');
  let found = 0;
  let args = first;
  for (let pages = 1; ; pages += 1) {
    const wrong = tools.validate(operation, args);
    if (wrong.length > 0) throw new CountersignError('invalid_arguments', wrong.join(' '));
    const { data } = await tools.call(operation, args, signal);
    const items = listIn(data, list);
    found += items.length;
    const next = paging === undefined ? undefined : valueAt(data, paging.next);
    if (paging === undefined || next === undefined || !isSaid(next)) {
      yield { items, more: paging === undefined && saysMore(data) };
      return;
    }
    const isFull = found >= itemsAtMost || pages >= pagesAtMost;
    yield { items, more: isFull };
    if (isFull) return;
    if (args[paging.argument] === next)
      throw new CountersignError(
        'invalid_arguments',
        'The next page is the same page again; check paging.',
      );
    args = { ...args, [paging.argument]: next };
  }
}

/** Whether all conditions hold of the item. */
export function holds(item: Json, { where = [] }: Pick<ItemSource, 'where'>): boolean {
  return where.every(
    (condition) =>
      explainCondition(StepCondition.parse({ ...condition, step: 'item' }), item, 'item') === null,
  );
}
