// A planning run: one request, planned turn by turn by short-lived planners until it has an outcome.
import { z } from 'zod';
import { type InteractionPolicy, PolicyOverride, type PolicyWish } from '../people/policy.ts';
import type { BriefPlan } from '../plan/brief.ts';
import { type PlanningModes, WantedModes } from '../plan/modes.ts';
import { PatternSpec } from '../plan/pattern.ts';
import type { PlanDraft, StepComment } from '../plan/plan.ts';
import { line, longestMessage } from '../text.ts';
import { Activity, type ReportActivity } from './activity.ts';
import type { AskedQuestion, GivenAnswer } from './asked-question.ts';
import type { PlanningState, SessionDecision, SessionMemory, SessionResult } from './state.ts';
import type { TraceEntry } from './trace.ts';

/** B18, and `running` while it is none of them yet. */
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
/** `typed`: the person's own part, if the text also quotes somebody else. */
export type RunRequest = z.infer<typeof RunRequest> & { typed?: string };

/** What GET /api/runs/:id answers. */
export const RunView = z.object({
  run_id: z.string(),
  planning_status: PlanningStatus,
  /** Counts what was said to it, from 1: what it shows now is what this turn led to. */
  turn: z.number(),
  /** What the planner is doing, while it is `running`. */
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
 * One message of the conversation as the planner sees it. `kind`: that of its parts; left out where it was stored before messages had parts.
 * `questions`: what the bot asked in it. `answers`: what a person's message says to the questions that were open then.
 * `unanswered`: somebody went on talking before the bot had said anything to it in this run.
 */
export type Utterance = {
  author: 'person' | 'bot';
  text: string;
  kind?: string;
  questions?: AskedQuestion[];
  answers?: GivenAnswer[];
  unanswered?: true;
};

/** All that a planner is given. It sees nothing else and keeps nothing. */
export type PlanningRequest = {
  runId: string;
  text: string;
  /** What `text` says to the questions that were open when it was written; left out: none were. */
  answers?: GivenAnswer[];
  user: string;
  /** Whether `text` is the requester's own, not said by somebody else in the conversation; left out: it is. */
  ownWords?: boolean;
  /** What the requester wrote in the conversation, this message included, and what they chose as answers; left out: `text`. */
  said?: string[];
  /** What they asked to keep, as far as it may be used here; left out: nothing. */
  memory?: SessionMemory['known'];
  conversation: string | null;
  /** The plan that the run is about, once there is one. */
  goal?: string;
  /** What was said before in this conversation, oldest first. */
  history: Utterance[];
  /** The open and recent plans of the conversation, the latest first; left out: there are none. */
  plans?: BriefPlan[];
  /**
   * The version that was refused and every piece of feedback so far, when this is a re-planning. `comments`: what of the last
   * feedback is about single steps; its words say it too.
   */
  revision: { previous: PlanDraft; feedback: string[]; comments?: StepComment[] } | null;
  /** The run's turn, from 1. */
  turn: number;
  /** What the person decided about what the session last showed; `said` when it was talk. */
  decision: SessionDecision;
  policy: InteractionPolicy;
  modes: PlanningModes;
  /** The person has allowed the turn to cost more than the soft ceiling; left out: they have not been asked. */
  softLifted?: boolean;
  now: Date;
  timezone: string;
};

/** How a planner's run ends. It decides nothing: a proposal still waits for a person. */
export type PlanningOutcome = {
  result:
    | Exclude<SessionResult, { kind: 'proposal' }>
    /** `again`: an earlier plan is run again. Where the requester says so, it keeps its rule of who approves. */
    | { kind: 'proposal'; draft: PlanDraft; again?: { keepsApprovers: boolean } }
    /** Another planner has gone on with this turn; nothing of this one counts. */
    | { kind: 'superseded' };
  /** Why a plan was or was not made (A16). */
  reason: string;
  planner: string;
  confidence: number | null;
  cost_usd: number;
  trace: TraceEntry[];
  /** The session as it stands now; null: the planner keeps none. */
  session: PlanningState | null;
};

/** A planner: the same interface with and without a model. Must not throw; failures are outcomes. */
export type Planner = {
  /** What the card calls it: `offline planner`, or the model's name. */
  name: string;
  plan(
    request: PlanningRequest,
    signal: AbortSignal,
    report?: ReportActivity,
  ): Promise<PlanningOutcome>;
  /**
   * What a message says about how to talk and ask, where that is read by rules before anything is planned. Left out: the
   * planner finds that itself.
   * @param styleAsked whether the bot's last message asks for the style
   */
  readWish?(text: string, styleAsked: boolean): PolicyWish | null;
};
