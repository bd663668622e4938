// A step as the offline planner builds it, before it is written down as a draft.
import type { StepCondition } from '#contracts/condition.ts';
import type { JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';

export type PlannedStep = {
  id: string;
  spec: OperationSpec;
  args: JsonObject;
  after: Set<string>;
  /** Groups run one after the other, as the request says "then". */
  group: number;
  /** It does not begin before this moment (ISO). */
  start: string | null;
  /** It runs only if these hold. */
  when?: StepCondition[] | undefined;
  /** The part of a larger request that it belongs to; groups are those of one part. */
  part?: number | undefined;
};
