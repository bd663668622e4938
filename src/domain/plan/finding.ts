// Findings: actual or possible problems of a plan, with severity, evidence and remedies.
import { z } from 'zod';
import { JsonValue, line } from '../text.ts';
import type { StepSelector } from './step-selector.ts';

/** INFO and WARN only inform. ERROR and CRITICAL hold dependents until a person or patch settles them. */
export const Severity = z.enum(['INFO', 'WARN', 'ERROR', 'CRITICAL']);
export type Severity = z.infer<typeof Severity>;

export const OpenFindings = z.record(Severity, z.int());
export type OpenFindings = z.infer<typeof OpenFindings>;

export const FindingCategory = z.enum([
  /** A source that a step read has changed since. */
  'source_changed',
  /** A step's target has changed since the proposal. */
  'drift',
  /** A required condition of the plan or a step did not hold. */
  'precondition',
  /** A step itself reported a problem. */
  'reported',
  /** A check of the plan's own results failed. */
  'verification',
  /** A change could not be applied: the plan had moved on. */
  'conflict',
  /** Money or resources ran out. */
  'budget',
  /** A step needed many attempts. */
  'retries',
  /** A note names an unknown, ambiguous or circular prerequisite. */
  'prerequisite',
  /** A deadline, a fixed time or another person's time can't be kept. */
  'schedule',
  /** A part of the plan could not be planned. */
  'planning',
  /** Replanning did not converge. */
  'replanning',
  /** A change of a waiting plan that someone else suggests, in their words. */
  'suggestion',
]);
export type FindingCategory = z.infer<typeof FindingCategory>;

/** Remedies that a person can choose. */
export const FindingAction = z.enum([
  /** A patch is proposed, checked, and applied if it widens nothing. A suggestion is planned as the next version. */
  'replan',
  /** Stale steps run as they are. */
  'proceed',
  /** Stale steps never run. */
  'leave_out',
  /** Nothing is done; nothing was stale, or it was settled otherwise. */
  'dismiss',
]);
export type FindingAction = z.infer<typeof FindingAction>;

/** `awaiting_approval`: its patch widens the plan, so a person decides. */
export const FindingStatus = z.enum([
  'open',
  'replanning',
  'awaiting_approval',
  'resolved',
  'dismissed',
]);
export type FindingStatus = z.infer<typeof FindingStatus>;

/** A finding's evidence: a step's output, an artifact, or a value. */
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
  /** One or two sentences for people. */
  message: line(2000),
  /** The step concerned; its dependents are affected too. */
  step_id: line(200).optional(),
  /** Or all steps of a partition. */
  partition: line(200).optional(),
  evidence: z.array(Evidence).max(50).default([]),
});
export type NewFinding = z.infer<typeof NewFinding>;

/** A finding with its deduplication key and origin: a person, `step ID`, or the system. */
export type RaisedFinding = NewFinding & {
  key: string;
  raisedBy: string;
  /** The steps concerned, if neither one nor a partition. */
  steps?: StepSelector;
  /** Holds its own steps too: they can't run as they are. */
  holdsSteps?: true;
};

/** A stored finding. Times are ISO 8601 in UTC. */
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
  /** Possible remedies; the first is suggested. */
  actions: z.array(FindingAction),
  status: FindingStatus,
  stale_steps: z.int(),
  /** Number of replanning attempts. */
  replans: z.int(),
  patch_id: z.string().nullable(),
  raised_by: z.string(),
  created_at: z.iso.datetime(),
  settled_by: z.string().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type Finding = z.infer<typeof Finding>;
