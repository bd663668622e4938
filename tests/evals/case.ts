// Eval cases: a request with its surroundings, and the hard gates for its outcome.
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

/** An operation besides the built-in ones, and its answer. */
export type CannedOperation = Pick<
  OperationSpec,
  'tool' | 'operation' | 'description' | 'input' | 'effect' | 'destructive'
> & {
  output?: JsonSchema;
  /** The first whose arguments are all among those given answers; a text is an error. */
  answers: { args?: JsonObject; data: Json | Error }[];
};

/** A value an argument has to have, or one of these tests. */
export type Wanted =
  | Json
  | {
      /** The text, or the JSON of the value, has all of these in it, in any case of letters. */
      $has?: string[];
      $lacks?: string[];
      /** It is this moment; without a zone of its own it is read in the person's. */
      $time?: string;
      $absent?: true;
      /** One of these. */
      $any?: Json[];
      /** It is taken from the output of that step: the name of another gate. */
      $from?: string;
      /** It is chosen when the step runs. */
      $decide?: true;
    };

export type StepGate = {
  /** By which `order` and `$from` name it; left out: its place among the gates, from 1. */
  key?: string;
  operation: string;
  args?: { [name: string]: Wanted };
  /** It has a condition, or one with these parts. */
  when?: true | { value?: Json; is?: string };
  ask_before?: true;
  /** The moment before which it does not run. */
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
  /** Each of them is a step of its own. */
  steps?: StepGate[];
  /** How many steps the plan has, those that repeat included. */
  count?: number;
  /** Each step is one of these operations. */
  only?: string[];
  never?: string[];
  /** The first of each pair ends before the second begins. */
  order?: [string, string][];
  /** Ids of the only steps that differ from the plan that was refused; all others are the same byte for byte. */
  changed?: string[];
  /** Rules by which steps repeat. */
  series?: { rrule: { $has: string[] }; starts_at?: string; until?: string }[];
  /** Operations that are called while planning, and those that are not. */
  reads?: { must?: string[]; mustNot?: string[] };
  /** Text the person reads: the answer or question, or a plan's title, summary, risks and descriptions. */
  says?: { has?: string[]; lacks?: string[]; oneOf?: string[] };
  /** Nothing is changed about how the person is talked to and asked. */
  keepsPolicy?: true;
  /** Texts that are remembered from then on; left out: anything may be. */
  keeps?: string[];
  /** Model calls, and tokens of their prompts together and each. */
  atMost?: { calls?: number; tokens?: number; tokensACall?: number };
};

/** The person's next action. */
export type Turn = { says: string; expect: Expectation } | { changes: string; expect: Expectation };

export type EvalCase = {
  id: string;
  request: string;
  /** Files of the workspace, by path. */
  files?: Record<string, string>;
  operations?: CannedOperation[];
  /** Names of operations that are guarded. */
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
  /** The messages above the request. */
  thread?: PlanningRequest['thread'];
  /** Plans of the conversation, as its planner is shown them. */
  atHand?: PlanningRequest['plans'];
  /** Notes saved earlier. */
  memory?: PlanningRequest['memory'];
  /** The plan that was refused, and what was said of it, oldest first. */
  revises?: { plan: PlanDraft; feedback: string[] };
  /** Plans of the person, for `plan_list` and `plan_get`. */
  plans?: Plan[];
  /** Conversations that can be posted in; left out: nobody knows before the proposal. */
  posts?: PostTarget[];
  expect: Expectation;
  /** Messages after each outcome. */
  turns?: Turn[];
};

/** A step that the plan has to have; by `key`, other gates name it. */
export const gate = (
  operation: string,
  args: StepGate['args'] = {},
  more: Omit<StepGate, 'operation' | 'args'> = {},
): StepGate => ({ operation, args, ...more });

export const writes = (path: string, content: Wanted, more: Parameters<typeof gate>[2] = {}) =>
  gate('workspace_write', { path, content }, more);

/** A plan is proposed, with a step for each of these. */
export const plans = (
  steps: StepGate[],
  more: Omit<Expectation, 'outcome' | 'steps'> = {},
): Expectation => ({ outcome: 'proposal', steps, ...more });

type Fields = { [name: string]: JsonSchema };

export const text: JsonSchema = { type: 'string' };
export const oneOf = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** A schema of an object; names that end in `?` may be left out. */
export function fields(named: Fields): JsonSchema {
  const names = Object.keys(named);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), named[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

/** A read operation of a connected server. */
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

/** An operation of a connected server that changes something; no planner may call it. */
export function does(
  name: string,
  description: string,
  input: Fields,
  output?: JsonSchema,
): CannedOperation {
  return { ...looks(name, description, input, output), effect: 'write' };
}

/** A step of a plan that is there already. */
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
