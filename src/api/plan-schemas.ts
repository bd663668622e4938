// What the API answers about plans, their changes and their simulations. Typed and documented by these, not checked
// again when it is sent; `satisfies` keeps each in step with its contract.
import { z } from 'zod';
import { type PatchOutcome, PatchStatus } from '#domain/plan/patch-outcome.ts';
import {
  ApproverPolicy,
  type Plan,
  PlanContext,
  PlanStatus,
  Risk,
  Series,
  type StepCounts,
  StepStatus,
} from '#domain/plan/plan.ts';
import type { PlanSummary, Simulation } from '#domain/service.ts';
import { PlanStats } from '#domain/stats.ts';
import { Effect } from '#domain/tool.ts';
import { documented } from './registry.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.number().int();

export const Counts = documented(z.record(StepStatus, whole) satisfies z.ZodType<StepCounts>, {
  id: 'StepCounts',
  description: 'How many steps are in each status.',
});

const planFields = {
  id: text,
  title: text,
  summary: text.nullable(),
  status: PlanStatus,
  version: whole,
  digest: text,
  revision: whole,
  created_at: time,
  updated_at: time,
  requester: text,
  approver_policy: ApproverPolicy,
  conversation: text.nullable(),
  planner_model: text,
  executor_model: text.nullable(),
  tools_required: z.array(text),
  guarded_operations: z.array(text),
  execution_started_at: time.nullable(),
  execution_ended_at: time.nullable(),
  result_summary: text.nullable(),
  pattern_type: text.nullable(),
  pattern_subtype: text.nullable(),
  pattern_variant: text.nullable(),
  decided_by: text.nullable(),
  decided_at: time.nullable(),
  paused: z.boolean(),
  revising: z.boolean(),
  step_approval: z.enum(['none', 'each']),
  open_until: time.nullable(),
  confidence: z.number().nullable(),
  cost_usd: z.number(),
  total_steps: whole,
  counts: Counts,
};

export const PatchAnswer = documented(
  z.object({
    patch_id: text,
    plan_id: text,
    status: PatchStatus,
    version: whole,
    digest: text,
    base_revision: whole,
    widening: z.array(text),
    changes: z.array(text),
    added: whole,
    changed: whole,
    removed: whole,
    reason: text.nullable(),
    proposed_by: text,
    created_at: time,
  }) satisfies z.ZodType<PatchOutcome>,
  {
    id: 'Patch',
    description:
      'A change of a plan. While it needs an approval, `version` and `digest` are what that sends back; `widening` says why, `changes` what it does (the first 20).',
  },
);

export const PatchList = documented(
  z.object({ patches: z.array(PatchAnswer), next_cursor: text.nullable() }),
  { id: 'PatchList', description: 'A page of changes, newest first.' },
);

export const PlanAnswer = documented(
  z.object({
    ...planFields,
    card_refs: z.array(z.object({ surface: text, ref: text })),
    context: PlanContext,
    risks: z.array(Risk),
    rejection_history: z.array(
      z.object({ version: whole, by: text, at: time, feedback: text.nullable() }),
    ),
    approvals: z.array(z.object({ by: text, at: time })),
    pending_patch: PatchAnswer.nullable(),
    series: z.array(Series),
  }) satisfies z.ZodType<Plan>,
  {
    id: 'Plan',
    description:
      'A plan without its steps. `version` and `digest` are what an approval sends back; `revision` is what `diff` and `events` count in.',
  },
);

export const PlanList = documented(
  z.object({
    plans: z.array(
      z.object({ ...planFields, asked_by: text.exactOptional() }) satisfies z.ZodType<PlanSummary>,
    ),
    next_cursor: text.nullable(),
  }),
  {
    id: 'PlanList',
    description:
      'A page of plans, newest first; `next_cursor` is null on the last. `asked_by`: what a chat platform calls the requester, where one has said it.',
  },
);

export const StatsAnswer = documented(PlanStats, {
  id: 'PlanStats',
  description:
    '`plans`: how many are in each status that any is in. `gaps`: what people asked for in the last `gap_days` days and no tool could do, the most frequent first, at most 10.',
});

export const SimulationAnswer = documented(
  z.object({
    plan_id: text,
    version: whole,
    total: whole,
    calls: z.array(
      z.object({
        step_id: text,
        operation: text,
        target: text.nullable(),
        args: z.unknown(),
        effect: Effect,
        guarded: z.boolean(),
      }),
    ),
    operations: z.array(
      z.object({ operation: text, count: whole, effect: Effect, guarded: z.boolean() }),
    ),
    problems: z.array(z.object({ step_id: text.nullable(), reason: text })),
  }) satisfies z.ZodType<Simulation>,
  { id: 'Simulation', description: 'What the plan would call, and what stands in its way.' },
);
