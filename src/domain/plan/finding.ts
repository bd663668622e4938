// Problems of a plan, with evidence and remedies.
import { z } from 'zod';
import { JsonValue, line } from '../text.ts';
import type { StepSelector } from './step-selector.ts';

/** ERROR and CRITICAL hold dependents until settled. */
export const Severity = z.enum(['INFO', 'WARN', 'ERROR', 'CRITICAL']);
export type Severity = z.infer<typeof Severity>;

export const OpenFindings = z.record(Severity, z.int());
export type OpenFindings = z.infer<typeof OpenFindings>;

export const FindingCategory = z.enum([
  /** Since a step read it. */
  'source_changed',
  /** Since the proposal. */
  'drift',
  'precondition',
  'reported',
  'verification',
  'conflict',
  'budget',
  'retries',
  /** Unknown, ambiguous or circular. */
  'prerequisite',
  'schedule',
  'planning',
  'replanning',
  /** By someone who may not change the plan. */
  'suggestion',
]);
export type FindingCategory = z.infer<typeof FindingCategory>;

export const FindingAction = z.enum([
  /** Applied if it widens nothing. A suggestion becomes the next version. */
  'replan',
  /** Runs stale steps as they are. */
  'proceed',
  /** Never runs stale steps. */
  'leave_out',
  /** Nothing stale, or already settled. */
  'dismiss',
]);
export type FindingAction = z.infer<typeof FindingAction>;

/** `awaiting_approval`: the patch widens the plan. */
export const FindingStatus = z.enum([
  'open',
  'replanning',
  'awaiting_approval',
  'resolved',
  'dismissed',
]);
export type FindingStatus = z.infer<typeof FindingStatus>;

/** An output, artifact or value. */
export const Evidence = z.strictObject({
  step_id: line(200).optional(),
  artifact_id: line(80).optional(),
  text: line(2000).optional(),
  data: JsonValue.optional(),
});
export type Evidence = z.infer<typeof Evidence>;

export const NewFinding = z.strictObject({
  severity: Severity,
  category: FindingCategory,
  message: line(2000),
  /** Also affects its dependents. */
  step_id: line(200).optional(),
  partition: line(200).optional(),
  evidence: z.array(Evidence).max(50).default([]),
});
export type NewFinding = z.infer<typeof NewFinding>;

/** `by`: a person, `step ID`, or the system. */
export type RaisedFinding = NewFinding & {
  key: string;
  raisedBy: string;
  /** Neither one step nor a partition. */
  steps?: StepSelector;
  /** Its own steps can't run either. */
  holdsSteps?: true;
};

/** ISO 8601, UTC. */
export const Finding = z.object({
  id: z.string(),
  plan_id: z.string(),
  severity: Severity,
  category: FindingCategory,
  message: z.string(),
  step_id: z.string().nullable(),
  step_label: z.string().exactOptional(),
  partition: z.string().nullable(),
  evidence: z.array(Evidence),
  /** The suggested one first. */
  actions: z.array(FindingAction),
  status: FindingStatus,
  stale_steps: z.int(),
  replans: z.int(),
  patch_id: z.string().nullable(),
  raised_by: z.string(),
  created_at: z.iso.datetime(),
  settled_by: z.string().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type Finding = z.infer<typeof Finding>;
