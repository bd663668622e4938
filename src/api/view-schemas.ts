// What the API answers about the steps of a plan: pages, counts, changes. Typed and documented by these, not checked again
// when it is sent; `satisfies` keeps each in step with its contract.
import { z } from 'zod';
import type { ShownStep } from '#domain/plan/call.ts';
import { StepCondition } from '#domain/plan/condition.ts';
import { Dependency, PlanStatus, StepStatus } from '#domain/plan/plan.ts';
import { SeenState } from '#domain/plan/seen.ts';
import type { Change, Diff, Overview, StepPage } from '#domain/plan/views.ts';
import { JsonObject, JsonValue } from '#domain/text.ts';
import { Effect } from '#domain/tool.ts';
import { Counts } from './plan-schemas.ts';
import { documented } from './registry.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.number().int();

const CallValue = z.object({
  text,
  later: z.boolean().describe('It comes from an earlier step or is decided at run time.'),
});
/** What a call does, written by code from the operation and its arguments. */
export const CallAnswer = z.object({
  class: z.enum(['reads', 'changes', 'outside']),
  destructive: z.boolean(),
  headline: z.array(z.union([text, CallValue])),
  parts: z.array(
    CallValue.extend({
      label: text,
      payload: z.boolean(),
      aid: z.literal(true).exactOptional(),
    }),
  ),
  target: SeenState.extend({ name: text, fails: z.boolean() }).exactOptional(),
});

const StepAnswer = documented(
  z.object({
    id: text,
    position: whole,
    description: text,
    tool: text,
    operation: text,
    target: text.nullable(),
    args: JsonObject,
    after: z.array(Dependency),
    priority: whole,
    partition: text.nullable(),
    tags: z.array(text),
    resources: z.record(text, z.number()),
    capabilities: z.array(text),
    notes: JsonValue,
    duration_minutes: z.number().nullable(),
    not_before: time.nullable(),
    when: z.array(StepCondition),
    ask_before: z.boolean(),
    seen: SeenState.nullable(),
    effect: Effect,
    guarded: z.boolean(),
    status: StepStatus,
    attempt: whole,
    tries: whole,
    available_at: time.nullable(),
    started_at: time.nullable(),
    ended_at: time.nullable(),
    result_summary: text.nullable(),
    error: z
      .object({
        code: text,
        message: text,
        retry: z.object({ attempt: whole, of: whole }).exactOptional(),
      })
      .nullable(),
    output: JsonValue,
    question: text.nullable(),
    final_args: JsonObject.nullable().describe(
      'The arguments that a person was asked to confirm, with nothing left open; null: nobody was asked.',
    ),
    call: CallAnswer,
  }) satisfies z.ZodType<ShownStep>,
  { id: 'Step', description: 'One step: one operation with its arguments, and how far it is.' },
);

export const StepList = documented(
  z.object({
    steps: z.array(StepAnswer),
    next_cursor: text.nullable(),
  }) satisfies z.ZodType<StepPage>,
  { id: 'StepList', description: 'A page of steps in the order of the plan.' },
);

const ChangeAnswer = documented(
  z.object({
    revision: whole,
    step_id: text.nullable(),
    kind: text,
    status: z.union([StepStatus, PlanStatus]).exactOptional(),
    at: time,
    detail: text.exactOptional(),
  }) satisfies z.ZodType<Change>,
  { id: 'Change', description: 'One change; `step_id` is null where the plan itself changed.' },
);

export const OverviewAnswer = documented(
  z.object({
    revision: whole,
    status: PlanStatus,
    counts: Counts,
    total: whole,
    partitions: z.array(z.object({ name: text, counts: Counts })),
    recent_events: z.array(ChangeAnswer),
    blocked: z.array(
      z.object({
        kind: z.enum(['worker', 'resource']),
        step_ids: z.array(text),
        count: whole,
        needs: z.array(text),
        reason: text,
      }),
    ),
    next_at: time.nullable(),
  }) satisfies z.ZodType<Overview>,
  { id: 'Overview', description: 'How a plan stands; it costs the same whatever its size.' },
);

export const DiffAnswer = documented(
  z.object({
    from: whole,
    to: whole,
    changes: z.array(ChangeAnswer),
    more: z.boolean(),
  }) satisfies z.ZodType<Diff>,
  { id: 'Diff', description: 'Changes after `from`; ask again with `since` = `to` while `more`.' },
);
