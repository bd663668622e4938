// A step as commands become it, before it is written down in a draft or an outline.
import type { StepCondition } from '#domain/plan/condition.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';

export type Step = {
  id: string;
  spec: OperationSpec;
  args: JsonObject;
  after: Set<string>;
  /** Groups run one after the other, as the request says "then". */
  group: number;
  /** It does not begin before this moment (ISO). */
  start: string | null;
  /** It runs only if these hold. */
  when: StepCondition[];
  /** The clause it comes from, by its place in the request. */
  clause: number;
};
