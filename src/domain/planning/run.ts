// A planning run: one request, planned turn by turn by short-lived planners until it has an outcome.
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
/** `typed`: the person's own part, if the text quotes another. `files`: attached to it. */
export type RunRequest = z.infer<typeof RunRequest> & { typed?: string; files?: AttachedFile[] };

/** The response of GET /api/runs/:id. */
export const RunView = z.object({
  run_id: z.string(),
  planning_status: PlanningStatus,
  /** Number of the message it responds to, from 1. */
  turn: z.number(),
  /** The planner's activity while `running`. */
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
 * A message as the planner sees it. `kind`: of its parts, absent in old messages; `questions`: the bot's; `answers`: to questions
 * open then; `unanswered`: followed by another message before the bot responded in this run.
 */
export type Utterance = {
  author: 'person' | 'bot';
  text: string;
  /** A person's display name, if several people take part. */
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
  /** Answers in `text` to open questions, if any. */
  answers?: GivenAnswer[];
  user: string;
  /** The requester's display name, if their platform has said it. */
  displayName?: string;
  /** Who wrote `text`, if somebody else did. */
  writer?: string;
  /** Whether `text` is the requester's own; default: yes. */
  ownWords?: boolean;
  /** The requester's messages, including this one, and chosen answers; default: `text`. */
  ownMessages?: string[];
  /** Notes that may be used here, if any. */
  memory?: SessionMemory['known'];
  conversation: string | null;
  files?: AttachedFile[];
  /** The messages above it on the chat platform, if there are any and this planner reads them. */
  thread?: ThreadRead;
  /** The run's plan, if any. */
  goal?: string;
  /** Earlier messages, oldest first. */
  history: Utterance[];
  /** Open and recent plans of the conversation, latest first. */
  plans?: BriefPlan[];
  /** When replanning: the refused version and all feedback. `comments`: the last feedback by step, also in its text. */
  revision: { previous: PlanDraft; feedback: string[]; comments?: StepComment[] } | null;
  /** The run's turn, from 1. */
  turn: number;
  /** The person's decision on the session; `said` for talk. */
  decision: SessionDecision;
  policy: InteractionPolicy;
  modes: PlanningModes;
  /** The person has lifted the turn's soft ceiling. */
  softLifted?: boolean;
  /** The limit of the plan that this is a part of, in US dollars. */
  limitUsd?: number;
  /** US dollars of the person's model calls of the day. */
  todayUsd?: number;
  now: Date;
  timezone: string;
};

/** How a planner's run ends. It decides nothing: a proposal still waits for a person. */
export type PlanningOutcome = {
  result:
    | Exclude<SessionResult, { kind: 'proposal' }>
    /**
     * `again`: repeats an earlier plan, keeping its approvers if the requester says so. `target`: the waiting version that it
     * replaces.
     */
    | {
        kind: 'proposal';
        draft: PlanDraft;
        again?: { keepsApprovers: boolean };
        target?: PlanVersion;
      }
    /** Another planner has taken over; this result is void. */
    | { kind: 'superseded' };
  /** Why a plan was or was not made (A16). */
  reason: string;
  planner: string;
  confidence: number | null;
  cost_usd: number;
  trace: TraceEntry[];
  /** The session's state, or null if the planner keeps none. */
  session: PlanningState | null;
};

/** A planner, with or without a model. Must not throw; failures are outcomes. */
export type Planner = {
  /** Name on the card: `offline planner`, or the model's. */
  name: string;
  /** It can use the thread above a request. */
  readsThreads?: true;
  plan(
    request: PlanningRequest,
    signal: AbortSignal,
    report?: ReportActivity,
  ): Promise<PlanningOutcome>;
  /**
   * Reads preferences by rules before planning; without it, the planner does.
   * @param styleAsked whether the bot's last message asks for the style
   */
  parsePolicyRequest?(text: string, styleAsked: boolean): PolicyRequest | null;
};
