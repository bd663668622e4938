// Schemas of operations in forms, for the API's answers and the types that every surface draws.
import { z } from 'zod';
import { JsonObject } from '../text.ts';
import { Effect, ToolSource } from '../tool.ts';
import { fieldTypes } from './form.ts';

/**
 * How an entry is read: `value` by type, `list` one item per line, `pairs` as `name: value` lines, `json`, `either` text or a
 * JSON object or list, `moment` in the reader's zone; `variant` only shows other fields.
 */
const entryKinds = ['value', 'list', 'pairs', 'json', 'either', 'moment', 'variant'] as const;
export type EntryKind = (typeof entryKinds)[number];

const path = z.array(z.string());

/** `name` is the value's JSON pointer; drawn by `type` like any field, read by `holds`. */
export const OperationField = z.object({
  name: z.string(),
  path,
  label: z.string(),
  /** The label without `within`. */
  short: z.string(),
  /** Its object or list item, such as `Entities 1`, or empty. */
  within: z.string(),
  help: z.string().nullable(),
  type: z.enum(fieldTypes),
  holds: z.enum(entryKinds),
  required: z.boolean(),
  /** Length of the prefix of `path` below which any entry makes it required; 0 for always, null for never. */
  neededFrom: z.int().nullable(),
  options: z.array(z.object({ value: z.string(), label: z.string() })),
  min: z.number().nullable(),
  max: z.number().nullable(),
  whole: z.boolean(),
  /** For lists: items are numbers; may be empty. */
  numbers: z.boolean(),
  mayBeEmpty: z.boolean(),
  /** The schema's default, not sent if unchanged. */
  initial: z.union([z.string(), z.boolean(), JsonObject]).nullable(),
  /** The list of objects it is an item's field of, or null. */
  list: z.object({ path, label: z.string(), index: z.int() }).nullable(),
  /** Shown only while another field has this value. */
  when: z.object({ field: z.string(), value: z.string() }).nullable(),
  /** The kind of `Service.suggestValues`, or null. */
  pick: z.enum(['file', 'person']).nullable(),
});
export type OperationField = z.infer<typeof OperationField>;

/** An operation in search results. */
export const OperationOffer = z.object({
  name: z.string(),
  tool: z.string(),
  operation: z.string(),
  description: z.string(),
  effect: Effect,
  destructive: z.boolean(),
  guarded: z.boolean(),
  human: z.boolean(),
  source: ToolSource,
});
export type OperationOffer = z.infer<typeof OperationOffer>;

/** An output value that later steps can use, by pointer. */
export const OutputChoice = z.object({ path: z.string(), label: z.string() });
export type OutputChoice = z.infer<typeof OutputChoice>;

export type OperationForm = OperationOffer & {
  fields: OperationField[];
  outputs: OutputChoice[];
};
