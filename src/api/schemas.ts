// What the API answers, as zod. Answers are typed and documented by these, not checked again when they are sent;
// `satisfies` keeps each in step with its contract.
import { z } from 'zod';
import { type PatchOutcome, PatchStatus } from '#contracts/patch-outcome.ts';
import {
  ApproverPolicy,
  Dependency,
  type Plan,
  PlanContext,
  PlanStatus,
  Risk,
  Series,
  type Step,
  type StepCounts,
  StepStatus,
} from '#contracts/plan.ts';
import { PlanOutline } from '#contracts/planning/outline.ts';
import { Roadmap } from '#contracts/planning/roadmap.ts';
import { Schedule } from '#contracts/planning/schedule.ts';
import { PlanningTrace } from '#contracts/planning/trace-view.ts';
import { RunView } from '#contracts/run.ts';
import type { Message, PlanSummary, Simulation } from '#contracts/service.ts';
import { JsonObject, JsonValue } from '#contracts/text.ts';
import { Effect } from '#contracts/tool.ts';
import type {
  AuditEntry,
  Change,
  Diff,
  Overview,
  PlanningArtifacts,
  StepPage,
  VersionDiff,
} from '#contracts/views.ts';
import type { Problem } from './problem.ts';
import { documented } from './registry.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.number().int();

const Counts = documented(z.record(StepStatus, whole) satisfies z.ZodType<StepCounts>, {
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
    plans: z.array(z.object(planFields) satisfies z.ZodType<PlanSummary>),
    next_cursor: text.nullable(),
  }),
  {
    id: 'PlanList',
    description: 'A page of plans, newest first; `next_cursor` is null on the last.',
  },
);

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
  }) satisfies z.ZodType<Step>,
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

const named = z.object({ id: text, description: text });
const delta = <T extends z.ZodType>(value: T) => z.object({ from: value, to: value });

export const VersionDiffAnswer = documented(
  z.object({
    from: whole,
    to: whole,
    added: z.array(named),
    removed: z.array(named),
    changed: z.array(
      named.extend({
        fields: z.array(text),
        changes: z.array(z.object({ field: text, from: text.nullable(), to: text.nullable() })),
      }),
    ),
    counts: z.object({ added: whole, removed: whole, changed: whole }),
    operations_added: z.array(text),
    operations_removed: z.array(text),
    title_changed: z.boolean(),
    terms: z.array(text),
    approvers: delta(ApproverPolicy).nullable(),
    risks_added: z.array(text),
    risks_removed: z.array(text),
    total: delta(whole),
    cost_usd: delta(z.number()),
    minutes: delta(z.number().nullable()),
    earliest: delta(time.nullable()),
  }) satisfies z.ZodType<VersionDiff>,
  {
    id: 'VersionDiff',
    description:
      'What changed between two versions of a plan: counts, and the first 100 steps of each kind. Costs are those of planning, minutes those of the longest chain.',
  },
);

export const PlanningAnswer = documented(
  z.object({
    version: whole.nullable(),
    outline: PlanOutline.nullable(),
    roadmap: Roadmap.nullable(),
    schedule: Schedule.nullable(),
    node_steps: z.record(text, z.array(text)),
    notes: z.array(z.object({ at: time, text })),
  }) satisfies z.ZodType<PlanningArtifacts>,
  {
    id: 'Planning',
    description:
      'What the plan was made from: the outline, the roadmap with the options that were compared, the schedule. Null where it was made without one; `version` is the one they were made for, which patches may have changed since.',
  },
);

export const AuditAnswer = documented(
  z.object({
    entries: z.array(
      z.object({
        id: whole,
        at: time,
        plan_id: text.nullable(),
        actor: text,
        actor_kind: z.enum(['person', 'model', 'system']),
        via: text,
        action: text,
        version: whole.nullable(),
        digest: text.nullable(),
        reason: text.nullable(),
        data: z.record(z.string(), z.json()).nullable(),
      }) satisfies z.ZodType<AuditEntry>,
    ),
  }),
  { id: 'Audit', description: 'Who did what, oldest first; ask again with `after` = the last id.' },
);

export const TraceAnswer = documented(PlanningTrace, {
  id: 'Trace',
  description:
    'How a run was planned: an entry a step, `path` the way through the stages by the table of planning, `problem` why the entries do not follow it. `totals.cost_usd` is what the entries say; `open_calls` never came back, or have not yet, and count towards budgets as their estimates.',
});

const MessageAnswer = documented(
  z.object({
    id: whole,
    conversation: text,
    run_id: text.nullable(),
    author: z.enum(['person', 'bot']),
    name: text,
    text,
    plan_id: text.nullable(),
    created_at: time,
  }) satisfies z.ZodType<Message>,
  {
    id: 'Message',
    description: 'A message; `plan_id` names the plan whose card belongs under it.',
  },
);

export const MessageList = documented(z.object({ messages: z.array(MessageAnswer) }), {
  id: 'MessageList',
  description: 'Messages of a conversation, oldest first; ask again with `after` = the last id.',
});

export const RunAnswer = documented(RunView, {
  id: 'Run',
  description:
    'A planning run. `running` until it is one of the others; a plan that waits for its approval is `needs_clarification` with `plan_id`; a question answered without a plan is `complete` without one.',
});

export const RunStarted = documented(z.object({ run_id: text, status_url: text }), {
  id: 'RunStarted',
  examples: [{ run_id: 'run_7c41e0', status_url: '/api/runs/run_7c41e0' }],
});

export const Said = documented(z.object({ run_id: text.nullable() }), {
  id: 'Said',
  description: 'The run the message started or continued; null where it decided about a plan.',
});

export const Readiness = documented(z.object({ ready: z.boolean(), parts: z.record(text, text) }), {
  id: 'Readiness',
  description: 'Whether requests can be served, part by part.',
});

export const ProblemAnswer = documented(
  z.looseObject({
    type: text,
    title: text,
    status: whole,
    detail: text,
    code: text,
    instance: text,
  }) satisfies z.ZodType<Omit<Problem, 'code'>>,
  {
    id: 'Problem',
    description:
      'RFC 9457. `code` is stable; `detail` is a sentence that says what to do. Further members depend on the code: `errors` (`path`, `message`), `current`, `limit_bytes`, `request_id`.',
    examples: [
      {
        type: 'urn:countersign:problem:stale_version',
        title: 'The plan has changed',
        status: 409,
        detail: 'This plan changed while you were reading: it is at version 3 now.',
        code: 'stale_version',
        instance: '/api/plans/PLAN-3f9a1c20/approve',
        current: { version: 3 },
      },
    ],
  },
);
