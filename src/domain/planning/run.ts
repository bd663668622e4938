// A planning run: one request, planned turn by turn.
import { z } from 'zod';
import type { AttachedFile } from '../attached-file.ts';
import { type InteractionPolicy, PolicyOverride, type PolicyRequest } from '../people/policy.ts';
import type { BriefPlan } from '../plan/brief.ts';
import { type PlanningModes, WantedModes } from '../plan/modes.ts';
import { PatternSpec } from '../plan/pattern.ts';
import type { PlanDraft, StepComment } from '../plan/plan.ts';
import { line, longestMessage } from '../text.ts';
import { Activity, type ReportActivity } from './activity.ts';
import type { AskedQuestion, GivenAnswer } from './asked-question.ts';
import type {
  PlanningState,
  PlanVersion,
  SessionDecision,
  SessionMemory,
  SessionResult,
} from './state.ts';
import type { ThreadRead } from './thread.ts';
import type { TraceEntry } from './trace.ts';

/** B18, plus `running`. */
export const PlanningStatus = z.enum([
  'running',
  'complete',
  'needs_clarification',
  'needs_scheduling_escalation',
  'aborted',
]);
export type PlanningStatus = z.infer<typeof PlanningStatus>;

export const RunRequest = z.strictObject({
  text: line(longestMessage),
  user: line(200).optional(),
  conversation: line(300).optional(),
  ...WantedModes.shape,
  interaction_policy: PolicyOverride.optional(),
});
/** `typed`: the person's own part, if the text quotes another. */
export type RunRequest = z.infer<typeof RunRequest> & { typed?: string; files?: AttachedFile[] };

/** Response of GET /api/runs/:id. */
export const RunView = z.object({
  run_id: z.string(),
  planning_status: PlanningStatus,
  /** From 1. */
  turn: z.number(),
  activity: Activity.optional(),
  plan_id: z.string().optional(),
  response_text: z.string(),
  questions: z.array(z.string()).optional(),
  pattern: PatternSpec.optional(),
  pattern_rfc_required: z.boolean().optional(),
  pattern_rfc_text: z.string().optional(),
  escalate_reason: z.string().optional(),
  confidence: z.number().optional(),
  cost_usd: z.number(),
});
export type RunView = z.infer<typeof RunView>;

/**
 * As the planner sees it. `kind`: absent in old messages; `answers`: to questions open then; `unanswered`: another message came
 * before the bot responded.
 */
export type Utterance = {
  author: 'person' | 'bot';
  text: string;
  /** Display name, if several take part. */
  by?: string;
  kind?: string;
  questions?: AskedQuestion[];
  answers?: GivenAnswer[];
  unanswered?: true;
};

/** A planner's entire input; it keeps no state. */
export type PlanningRequest = {
  runId: string;
  text: string;
  /** From `text`, to open questions. */
  answers?: GivenAnswer[];
  user: string;
  displayName?: string;
  /** The author, if not the requester. */
  writer?: string;
  /** Default: `text` is the requester's own. */
  ownWords?: boolean;
  /** Including this one, and chosen answers; default: `text`. */
  ownMessages?: string[];
  memory?: SessionMemory['known'];
  conversation: string | null;
  files?: AttachedFile[];
  thread?: ThreadRead;
  goal?: string;
  /** Oldest first. */
  history: Utterance[];
  /** The conversation's, latest first. */
  plans?: BriefPlan[];
  /** The refused version and all feedback. `comments`: the last by step, also in its text. */
  revision: { previous: PlanDraft; feedback: string[]; comments?: StepComment[] } | null;
  turn: number;
  /** `said` for talk. */
  decision: SessionDecision;
  policy: InteractionPolicy;
  modes: PlanningModes;
  /** A person lifted the turn's soft ceiling. */
  softLifted?: boolean;
  /** US dollars; of the plan that this is a part of. */
  limitUsd?: number;
  /** US dollars of the person, today. */
  todayUsd?: number;
  now: Date;
  timezone: string;
};

/** Decides nothing: a proposal still waits for a person. */
export type PlanningOutcome = {
  result:
    | Exclude<SessionResult, { kind: 'proposal' }>
    /** `again`: repeats a plan, keeping approvers if asked. `target`: the waiting version it replaces. */
    | {
        kind: 'proposal';
        draft: PlanDraft;
        again?: { keepsApprovers: boolean };
        target?: PlanVersion;
      }
    /** Another planner took over; void. */
    | { kind: 'superseded' };
  reason: string;
  planner: string;
  confidence: number | null;
  cost_usd: number;
  trace: TraceEntry[];
  session: PlanningState | null;
};

/** Must not throw; failures are outcomes. */
export type Planner = {
  /** `offline planner`, or the model's. */
  name: string;
  /** Uses the thread above a request. */
  readsThreads?: true;
  plan(
    request: PlanningRequest,
    signal: AbortSignal,
    report?: ReportActivity,
  ): Promise<PlanningOutcome>;
  /** By rules, before planning; without it, the planner reads them. @param styleAsked by the bot's last message */
  parsePolicyRequest?(text: string, styleAsked: boolean): PolicyRequest | null;
};
