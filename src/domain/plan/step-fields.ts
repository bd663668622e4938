// Step fields, one row each; schemas, digests and comparisons read them.
import { z } from 'zod';
import { readLength, sayInHours, writeLength } from '../length.ts';
import { AnyJson, JsonObject, JsonValue, line } from '../text.ts';
import { ConditionOperator, conditionsOf, StepCondition } from './condition.ts';
import { Dependency, DraftDependency } from './dependency.ts';
import { SeenState } from './seen.ts';
import {
  describeAfter,
  describeWhen,
  type FieldNaming,
  widensByArguments,
  widensByConditions,
  widensByDuration,
  widensByOrder,
  widensByResources,
  widensByTime,
} from './step-changes.ts';

// `call`: in the seal. `limits`: sealed together if any is given. `own`: sealed if given. New fields must be `own` or unsealed,
// and `sparse`, to keep old digests.
type Sealed = 'call' | 'limits' | 'own';

export type Written = { type: z.ZodType; of: 'one' | 'many' | 'wide' };

export type StepField<
  D extends z.ZodType | null = z.ZodType | null,
  S extends z.ZodType = z.ZodType,
  C extends z.ZodType = z.ZodType,
  K extends Sealed = Sealed,
> = {
  /** Null if computed. */
  draft: D;
  stored: S;
  /** Nullable if clearable; default: unchangeable. */
  change?: C;
  sealed?: K;
  /** If omitted; default: required. */
  empty?: z.output<S>;
  /** Left out of the canonical text if empty. */
  sparse?: true;
  /** On proposal, so omitted when proposed again. */
  computed?: true;
  store?(given: NonNullable<z.output<NonNullable<D>>>): z.output<S>;
  /** Changes may delay or reorder the step. */
  retimes?: true;
  /** Why a change needs approval. Default: always, as `named`; null: never. */
  widens?(before: z.output<S>, now: z.output<S>, step: FieldNaming): string[];
  named?: string | null;
  /** For comparisons; default: the value; null: none. */
  text?(value: z.output<S>, step: FieldNaming): string | null;
  /** Shown first and never cut. */
  whole?: true;
  written?: Written;
};

function row<
  D extends z.ZodType | null,
  S extends z.ZodType,
  C extends z.ZodType = never,
  const K extends Sealed = never,
>(field: StepField<D, S, C, K>): StepField<D, S, C, K> {
  return field;
}

const one = (type: z.ZodType): Written => ({ type, of: 'one' });
const many = (type: z.ZodType): Written => ({ type, of: 'many' });
const wide = (type: z.ZodType): Written => ({ type, of: 'wide' });

const text = z.string();
const nothing = () => null;
const unique = (texts: string[]) => [...new Set(texts)];
const amount = z
  .number()
  .min(0.000_001)
  .max(1e12)
  .refine((one) => Number(one.toFixed(6)) === one, 'at most 6 decimals');
/** Held while running; to the millionth, so that sums stay exact. */
const resources = z.record(line(200), amount);
const conditions = z.union([StepCondition, z.array(StepCondition).min(1).max(10)]);
const moment = z.iso.datetime({ offset: true });
const priority = z.number().int().min(-1_000_000).max(1_000_000);
const minutes = z.number().min(0).max(5_256_000);
const length = line(100).refine(
  (given) => readLength(given) !== null,
  'must be a length such as "3 working days", "3 days", "2 h" or "45 min"',
);
const tags = z.array(line(200)).max(100);
const capabilities = z.array(line(200)).max(50);

const writtenCondition = z.strictObject({
  step: z.string(),
  path: z.string().describe('JSON pointer into its output'),
  is: ConditionOperator,
  value: AnyJson.optional(),
});
const writtenNotes = z.strictObject({
  prereq_titles: z.array(z.string()).optional(),
  prereq_tags: z.array(z.string()).optional(),
});

export const stepFields = {
  id: row({
    draft: line(200).optional(),
    stored: text,
    sealed: 'call',
    text: nothing,
    written: one(z.string().describe('short and unique: 1, 2, 2a')),
  }),
  description: row({
    draft: line(3000),
    stored: text,
    change: line(3000),
    named: 'the description of step %',
    written: one(z.string().describe('verb first')),
  }),
  tool: row({ draft: line(200), stored: text, sealed: 'call', text: nothing }),
  operation: row({
    draft: line(200),
    stored: text,
    sealed: 'call',
    whole: true,
    written: one(z.string()),
  }),
  target: row({
    draft: line(2000).optional(),
    stored: text.nullable(),
    change: line(2000).nullable(),
    sealed: 'call',
    empty: null,
    computed: true,
  }),
  args: row({
    draft: JsonObject.optional(),
    stored: JsonObject,
    change: JsonObject,
    sealed: 'call',
    empty: {},
    widens: widensByArguments,
    written: one(JsonObject),
  }),
  after: row({
    draft: z.array(DraftDependency).max(10_000).optional(),
    stored: z.array(Dependency),
    empty: [],
    widens: widensByOrder,
    text: describeAfter,
    whole: true,
    written: many(
      z.array(AnyJson).optional().describe('ids of steps before it, or {"id","type","lag":"1 h"}'),
    ),
  }),
  priority: row({
    draft: priority.optional(),
    stored: z.int(),
    change: priority,
    empty: 0,
    retimes: true,
    named: null,
    written: wide(z.number().int().optional().describe('higher first')),
  }),
  partition: row({
    draft: line(200).optional(),
    stored: text.nullable(),
    change: line(200),
    empty: null,
    named: null,
    written: wide(z.string().optional()),
  }),
  tags: row({
    draft: tags.optional(),
    stored: z.array(text),
    change: tags,
    empty: [],
    store: unique,
    named: null,
    written: wide(z.array(z.string()).optional()),
  }),
  resources: row({
    draft: resources.optional(),
    stored: z.record(text, z.number()),
    change: resources,
    sealed: 'call',
    empty: {},
    retimes: true,
    widens: widensByResources,
    whole: true,
    written: wide(
      z
        .record(z.string(), z.number())
        .optional()
        .describe('amounts of resource pools, held while it runs: {"gpu":1}'),
    ),
  }),
  capabilities: row({
    draft: capabilities.optional(),
    stored: z.array(text),
    change: capabilities,
    sealed: 'call',
    empty: [],
    store: unique,
    named: 'the capabilities that step % requires',
    whole: true,
    written: wide(z.array(z.string()).optional().describe('what its back end must have')),
  }),
  notes: row({
    draft: JsonValue.optional(),
    stored: JsonValue,
    change: JsonValue,
    empty: null,
    written: wide(
      writtenNotes
        .optional()
        .describe('steps it waits for whose ids are not known: by description or tag'),
    ),
  }),
  duration_minutes: row({
    draft: minutes.optional(),
    stored: z.number().nullable(),
    change: minutes,
    empty: null,
    widens: widensByDuration,
    text: (minutes) => (minutes === null ? null : sayInHours(minutes)),
  }),
  /** In words; source of `duration_minutes`. */
  duration: row({
    draft: length.optional(),
    stored: text.nullable(),
    change: length.nullable(),
    empty: null,
    sparse: true,
    store: (given) => {
      const read = readLength(given);
      return read === null ? given : writeLength(read);
    },
    // The minutes decide on approval and differences.
    named: null,
    text: nothing,
    written: many(z.string().optional().describe('"2 h", "3 working days"')),
  }),
  not_before: row({
    draft: moment.optional(),
    stored: z.iso.datetime().nullable(),
    change: moment.nullable(),
    empty: null,
    retimes: true,
    widens: widensByTime,
    whole: true,
    written: many(z.string().optional().describe('local ISO 8601 time')),
  }),
  /** Runs only if all hold, else is skipped. */
  when: row({
    draft: conditions.optional(),
    stored: z.array(StepCondition),
    change: conditions.nullable(),
    sealed: 'limits',
    empty: [],
    sparse: true,
    store: conditionsOf,
    retimes: true,
    widens: widensByConditions,
    text: describeWhen,
    whole: true,
    written: one(z.array(writtenCondition).optional().describe('skipped unless all hold')),
  }),
  /** A person confirms the final arguments. */
  ask_before: row({
    draft: z.boolean().optional(),
    stored: z.boolean(),
    change: z.boolean(),
    sealed: 'limits',
    empty: false,
    sparse: true,
    retimes: true,
    widens: (before, now, { label }) =>
      before && !now ? [`Lets step ${label} run without asking before.`] : [],
    text: (asks) => (asks ? 'yes' : null),
    whole: true,
    written: many(
      z.boolean().optional().describe('the requester sees and confirms each call before it runs'),
    ),
  }),
  /** The target's state; null if not looked up. */
  seen: row({
    draft: null,
    stored: SeenState.nullable(),
    sealed: 'own',
    empty: null,
    sparse: true,
    computed: true,
    widens: (before, _now, { label }) =>
      before === null
        ? []
        : [`Changes the target state that step ${label} is checked against before it runs.`],
    text: nothing,
  }),
};
