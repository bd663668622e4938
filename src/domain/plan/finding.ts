// Findings: what went wrong, or may have, in a plan; how bad it is, what it rests on, and what can be done about it.
import { z } from 'zod';
import { JsonValue, line } from '../text.ts';
import type { StepSelector } from './step-selector.ts';

/** INFO and WARN are kept to be read. ERROR and CRITICAL stop what depends on the step until somebody, or a patch, settles them. */
export const Severity = z.enum(['INFO', 'WARN', 'ERROR', 'CRITICAL']);
export type Severity = z.infer<typeof Severity>;

/** How many findings of each severity nobody has settled. */
export const OpenFindings = z.record(Severity, z.int());
export type OpenFindings = z.infer<typeof OpenFindings>;

export const FindingCategory = z.enum([
  /** What a step read has changed since. */
  'source_changed',
  /** What a step is about to touch is not as it was when the plan was proposed. */
  'drift',
  /** A condition that had to hold before the plan, or a step of it, did not. */
  'precondition',
  /** A step said itself that something is wrong. */
  'reported',
  /** A check of the plan's own results did not hold. */
  'verification',
  /** A change of the plan could not be applied: the plan had gone on. */
  'conflict',
  /** Money or resources ran out. */
  'budget',
  /** A step needed many attempts. */
  'retries',
  /** A note names a prerequisite that is unknown, ambiguous, or closes a circle. */
  'prerequisite',
  /** A part of the plan could not be planned. */
  'planning',
  /** Replanning did not come to an end. */
  'replanning',
]);
export type FindingCategory = z.infer<typeof FindingCategory>;

/** What a person can have done about it. */
export const FindingAction = z.enum([
  /** A patch is proposed, checked, and applied where it widens nothing. */
  'replan',
  /** What is stale runs as it stands. */
  'proceed',
  /** What is stale never runs. */
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

/** What a finding rests on: the output of a step, an artifact, or a value. */
export const Evidence = z.strictObject({
  step_id: line(200).optional(),
  artifact_id: line(80).optional(),
  text: line(2000).optional(),
  data: JsonValue.optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** A finding as it is raised. */
export const NewFinding = z.strictObject({
  severity: Severity,
  category: FindingCategory,
  /** One or two sentences for people. */
  message: line(2000),
  /** The step it is about: it, and what depends on it, is affected. */
  step_id: line(200).optional(),
  /** The same for all steps of a partition. */
  partition: line(200).optional(),
  evidence: z.array(Evidence).max(50).default([]),
});
export type NewFinding = z.infer<typeof NewFinding>;

/** A finding, what makes it the same when it is raised again, and who raises it: a person, `step ID`, or the system. */
export type RaisedFinding = NewFinding & {
  key: string;
  raisedBy: string;
  /** Which steps it is about, where they are neither one nor a partition. */
  steps?: StepSelector;
  /** Its steps are held as well as what depends on them: they cannot run as they are. */
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
  /** What that step is called, where findings are listed. */
  step_label: z.string().exactOptional(),
  partition: z.string().nullable(),
  evidence: z.array(Evidence),
  /** What can be done about it now; the first is suggested. */
  actions: z.array(FindingAction),
  status: FindingStatus,
  /** How many steps it made stale. */
  stale_steps: z.int(),
  /** How often replanning has been tried for it. */
  replans: z.int(),
  /** The patch that settles it, once there is one. */
  patch_id: z.string().nullable(),
  raised_by: z.string(),
  created_at: z.iso.datetime(),
  settled_by: z.string().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type Finding = z.infer<typeof Finding>;
