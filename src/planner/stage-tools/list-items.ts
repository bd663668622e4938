// The items of a for_each, page by page, filtered by code; no more than a page is held.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { ConditionOperator, StepCondition } from '#domain/plan/condition.ts';
import { AnyJson, isObject, type Json, JsonObject } from '#domain/text.ts';
import { explainCondition } from '#tools/explain-condition.ts';
import { readPointer } from '#tools/resolve-arguments.ts';
import { type Coverage, listPages, noteWhole } from '../list-pages.ts';
import type { ToolContext } from '../tools/planning-tool.ts';

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
        value: AnyJson.optional(),
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
export type ItemSource = z.infer<z.ZodObject<typeof itemSourceShape>> & {
  /** Items that code has listed, instead of all that. */
  items?: Json[] | undefined;
};

function listIn(data: Json, list: string): Json[] {
  const at = readPointer(data, list);
  if (at.ok && Array.isArray(at.value)) return at.value;
  throw new CountersignError(
    'invalid_arguments',
    `There is no list at ${list || 'the root'} of the output. It has: ${isObject(data) ? Object.keys(data).slice(0, 20).join(', ') : typeof data}.`,
  );
}

/** The items page by page. @throws CountersignError `invalid_arguments` where there is no list, or a page comes again */
export async function* listItems(
  { operation, args = {}, artifact, list, paging, items: given }: ItemSource,
  { tools, state, signal }: Pick<ToolContext, 'tools' | 'state' | 'signal'>,
  coverage: Coverage,
): AsyncGenerator<Json[]> {
  if (given !== undefined) {
    coverage.listed = given.length;
    yield given;
    return;
  }
  if (artifact !== undefined) {
    const data = (await tools.requests?.load(state.run_id, artifact)) ?? null;
    const items = listIn(data, list);
    noteWhole(data, coverage);
    coverage.listed += items.length;
    yield items;
    return;
  }
  if (operation === undefined)
    throw new CountersignError('invalid_arguments', 'Give "operation" and "args", or "artifact".');
  for await (const data of listPages({ operation, args, paging }, { tools, signal }, coverage)) {
    const items = listIn(data, list);
    coverage.listed += items.length;
    yield items;
  }
}

/** Fields that conditions ask for and an item does not have; `exists` asks just that. */
export function lackingFields(item: Json, { where = [] }: Pick<ItemSource, 'where'>): string[] {
  return where.flatMap(({ path, is }) =>
    is === 'exists' || readPointer(item, path).ok ? [] : [path],
  );
}

/** Whether all conditions hold of the item. */
export function holds(item: Json, { where = [] }: Pick<ItemSource, 'where'>): boolean {
  return where.every(
    (condition) =>
      explainCondition(StepCondition.parse({ ...condition, step: 'item' }), item, 'item') === null,
  );
}
