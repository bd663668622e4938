// for_each's schemas: for a model, for code, for a change of a group.
import { z } from 'zod';
import { mergeArguments } from '#domain/plan/merge.ts';
import { AnyJson, isObject, JsonObject } from '#domain/text.ts';
import { capacityShape } from '../outline/written-steps.ts';
import { groupConditions, itemSourceShape } from './list-items.ts';

const template = '{{item}}, or {{item/path}} for a value in it';
const stepShape = {
  description: z.string(),
  operation: z.string(),
  args: JsonObject,
  after: z.array(AnyJson).optional(),
  ask_before: z.boolean().optional(),
};
// The partition comes from the items.
const { partition: _, ...sharedShape } = capacityShape;
const { artifact, paging, ...listedShape } = itemSourceShape;

const ForEachShape = {
  id: z.string().describe('steps are id-1, id-2, …'),
  title: z.string().default('Items'),
  ...listedShape,
  group_by: z
    .string()
    .optional()
    .describe(
      'pointer; then {{item/key}}, {{item/count}}, {{item/sum/amount}}, {{item/items/*/number}} with commas, and what its items share: {{item/email}}',
    ),
  having: z.array(AnyJson).optional().describe('as "where", of groups: /count, /sum/amount'),
  step: z.strictObject(stepShape).optional().describe(template),
  phase: z.string().optional(),
  then_summarise: z.string().optional().describe('what one summary of all is to say'),
  summary_path: z.string().optional(),
};
const wideShape = {
  ...ForEachShape,
  artifact,
  paging,
  step: z
    .strictObject({ ...stepShape, ...sharedShape })
    .optional()
    .describe(template),
  partition_by: z.string().optional().describe('JSON pointer into the item'),
};
/** `items` come from our code; models never see them. */
export const ForEach = z.strictObject({
  ...wideShape,
  having: groupConditions.optional(),
  items: z.array(AnyJson).optional(),
});
export type ForEach = z.infer<typeof ForEach>;
/** For an existing group, only what changes. */
export const ForEachInput = z.looseObject({ id: z.string() });
const { title, list } = ForEachShape;
/** Documented elsewhere, so short. */
const shortened = {
  title: title.optional(),
  list: list.optional(),
  where: z.array(AnyJson).optional().describe('as "when": {"path","is","value"} of an item'),
  step: z.looseObject({}).optional().describe(`as of "add_steps", without id; ${template}`),
};
export const Shown = z.strictObject({ ...ForEachShape, ...shortened });
export const WideShown = z.strictObject({ ...wideShape, ...shortened });

/** `null` removes; `args` merge unless the operation changed. */
export function mergeGroup(before: JsonObject, change: JsonObject): JsonObject {
  const [was, is] = [before.step, change.step];
  const isOther =
    isObject(was) &&
    isObject(is) &&
    typeof is.operation === 'string' &&
    is.operation !== was.operation;
  const { args: _, ...kept } = isObject(was) ? was : {};
  return mergeArguments(isOther ? { ...before, step: kept } : before, change);
}
