// Eval cases: a request, its surroundings, and hard gates.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanningRequest, Utterance } from '#domain/planning/run.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import type { PostTarget } from '#planner/ports.ts';

export const categories = [
  'plain',
  'look-up',
  'ambiguous',
  'revision',
  'conditional',
  'large',
  'people-and-dates',
  'hostile',
  'going-on',
  'many-tools',
  'office',
] as const;
export type Category = (typeof categories)[number];

export type CannedOperation = Pick<
  OperationSpec,
  'tool' | 'operation' | 'description' | 'input' | 'effect' | 'destructive'
> & {
  output?: JsonSchema;
  /** The first match answers; a text is an error. */
  answers: { args?: JsonObject; data: Json | Error }[];
};

export type Wanted =
  | Json
  | {
      /** In any case. */
      $has?: string[];
      $lacks?: string[];
      /** In the person's zone by default. */
      $time?: string;
      $absent?: true;
      $any?: Json[];
      /** From the output of the step with this gate. */
      $from?: string;
      $decide?: true;
    };

export type StepGate = {
  /** Its place among the gates, from 1, by default. */
  key?: string;
  operation: string;
  args?: { [name: string]: Wanted };
  /** Any condition, or one with these parts. */
  when?: true | { value?: Json; is?: string };
  ask_before?: true;
  not_before?: string;
  minutes?: number;
};

export type Expectation = {
  outcome:
    | 'proposal'
    | 'answer'
    | 'question'
    | 'cannot'
    | ('proposal' | 'answer' | 'question' | 'cannot')[];
  steps?: StepGate[];
  /** Includes steps that repeat. */
  count?: number;
  only?: string[];
  never?: string[];
  /** Each pair: first ends before second begins. */
  order?: [string, string][];
  changed?: string[];
  series?: { rrule: { $has: string[] }; starts_at?: string; until?: string }[];
  reads?: { must?: string[]; mustNot?: string[] };
  /** The answer or question, or a plan's title, summary, risks and descriptions. */
  says?: { has?: string[]; lacks?: string[]; oneOf?: string[] };
  keepsPolicy?: true;
  /** Any by default. */
  keeps?: string[];
  /** `tokens`: of all prompts together. */
  atMost?: { calls?: number; tokens?: number; tokensACall?: number };
};

export type Turn = { says: string; expect: Expectation } | { changes: string; expect: Expectation };

export type EvalCase = {
  id: string;
  request: string;
  files?: Record<string, string>;
  operations?: CannedOperation[];
  guarded?: string[];
  person?: {
    user?: string;
    timezone?: string;
    policy?: Partial<InteractionPolicy>;
    modes?: Partial<PlanningModes>;
  };
  /** Default: Wednesday, 4 March 2026, 11:00 in Berlin. */
  now?: string;
  history?: Utterance[];
  thread?: PlanningRequest['thread'];
  atHand?: PlanningRequest['plans'];
  memory?: PlanningRequest['memory'];
  /** Feedback, oldest first. */
  revises?: { plan: PlanDraft; feedback: string[] };
  plans?: Plan[];
  posts?: PostTarget[];
  expect: Expectation;
  turns?: Turn[];
};

export const gate = (
  operation: string,
  args: StepGate['args'] = {},
  more: Omit<StepGate, 'operation' | 'args'> = {},
): StepGate => ({ operation, args, ...more });

export const writes = (path: string, content: Wanted, more: Parameters<typeof gate>[2] = {}) =>
  gate('workspace_write', { path, content }, more);

export const plans = (
  steps: StepGate[],
  more: Omit<Expectation, 'outcome' | 'steps'> = {},
): Expectation => ({ outcome: 'proposal', steps, ...more });

type Fields = { [name: string]: JsonSchema };

export const text: JsonSchema = { type: 'string' };
export const oneOf = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** `?` marks optional fields. */
export function fields(named: Fields): JsonSchema {
  const names = Object.keys(named);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), named[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

export function looks(
  name: string,
  description: string,
  input: Fields,
  output: JsonSchema | undefined,
  ...answers: CannedOperation['answers']
): CannedOperation {
  const [tool = '', ...rest] = name.split('_');
  return {
    tool,
    operation: rest.join('_'),
    description,
    input: fields(input),
    ...(output === undefined ? {} : { output }),
    effect: 'read',
    destructive: false,
    answers,
  };
}

/** No planner may call it. */
export function does(
  name: string,
  description: string,
  input: Fields,
  output?: JsonSchema,
): CannedOperation {
  return { ...looks(name, description, input, output), effect: 'write' };
}

export function step(
  id: string,
  name: string,
  args: JsonObject,
  description: string,
  more: Partial<StepDraft> = {},
): StepDraft {
  const [tool = '', ...operation] = name.split('_');
  return { id, description, tool, operation: operation.join('_'), args, ...more };
}
