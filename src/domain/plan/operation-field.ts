// Schemas of operation form fields.
import { z } from 'zod';
import { JsonObject } from '../text.ts';
import { Effect, ToolSource } from '../tool.ts';
import { fieldTypes } from './form.ts';

/**
 * `list`: one item per line; `pairs`: `name: value` lines; `either`: text or JSON; `moment`: in the reader's zone; `variant`:
 * only shows other fields.
 */
const entryKinds = ['value', 'list', 'pairs', 'json', 'either', 'moment', 'variant'] as const;
export type EntryKind = (typeof entryKinds)[number];

const path = z.array(z.string());

/** `name`: JSON pointer. */
export const OperationField = z.object({
  name: z.string(),
  path,
  label: z.string(),
  short: z.string(),
  /** `Entities 1`, or empty. */
  within: z.string(),
  help: z.string().nullable(),
  type: z.enum(fieldTypes),
  holds: z.enum(entryKinds),
  required: z.boolean(),
  /** Length of the prefix of `path` below which an entry makes it required; 0: always; null: never. */
  neededFrom: z.int().nullable(),
  options: z.array(z.object({ value: z.string(), label: z.string() })),
  min: z.number().nullable(),
  max: z.number().nullable(),
  whole: z.boolean(),
  /** For lists; may be empty. */
  numbers: z.boolean(),
  mayBeEmpty: z.boolean(),
  /** Default, not sent if unchanged. */
  initial: z.union([z.string(), z.boolean(), JsonObject]).nullable(),
  list: z.object({ path, label: z.string(), index: z.int() }).nullable(),
  /** Shown only for this value of another field. */
  when: z.object({ field: z.string(), value: z.string() }).nullable(),
  /** For `Service.suggestValues`. */
  pick: z.enum(['file', 'person']).nullable(),
});
export type OperationField = z.infer<typeof OperationField>;

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

/** Usable by later steps. `path`: pointer. */
export const OutputChoice = z.object({ path: z.string(), label: z.string() });
export type OutputChoice = z.infer<typeof OutputChoice>;

export type OperationForm = OperationOffer & {
  fields: OperationField[];
  outputs: OutputChoice[];
};
