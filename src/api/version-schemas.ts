// What the API answers about the versions of a plan, and what each was made from. Typed and documented by these, not
// checked again when it is sent; `satisfies` keeps each in step with its contract.
import { z } from 'zod';
import { ApproverPolicy } from '#domain/plan/plan.ts';
import type { PlanningArtifacts, VersionDiff } from '#domain/plan/views.ts';
import { PlanOutline } from '#domain/planning/outline.ts';
import { Roadmap } from '#domain/planning/roadmap.ts';
import { Schedule } from '#domain/planning/schedule.ts';
import { documented } from './registry.ts';
import { CallAnswer } from './view-schemas.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.number().int();

const named = z.object({ id: text, description: text, call: CallAnswer });
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
        changes_total: whole,
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
