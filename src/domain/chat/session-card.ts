// The facts of a session's card, read fresh each time, and the press it sends.
import { z } from 'zod';
import type { PatternSpec } from '../plan/pattern.ts';
import type { PlanOutline } from '../planning/outline.ts';
import type { Roadmap } from '../planning/roadmap.ts';
import type { PlanningStatus } from '../planning/run.ts';
import type { Infeasibility, PortfolioReport, Schedule } from '../planning/schedule.ts';
import type { Pause, Rfc, SessionDecision } from '../planning/state.ts';
import type { Pressed } from './card.ts';

/** A choice: its button, how it differs, and the answer it sends. */
export type Offer = { name: string; text: string; answer: string };

/**
 * The end of a session's state; `by` may be null. `overtaken`: unplanned, and superseded by another request in its conversation.
 */
export type SessionOver = {
  kind: SessionDecision['kind'] | 'overtaken';
  by: string | null;
  at: string | null;
};

export type SessionCardFacts = {
  run_id: string;
  turn: number;
  /** Sent back with a decision; binds what is shown. */
  digest: string;
  status: PlanningStatus;
  pause: Pause | null;
  plan_id: string | null;
  /** The person's last message that isn't a decision. */
  request: string;
  /** The bot's message at the end of the turn. */
  text: string;
  questions: string[];
  offers: Offer[];
  /** The reason of an escalation, an RFC or an aborted session. */
  reason: string | null;
  decision: SessionDecision;
  /** The decision after this turn, or null if it is the run's latest and not superseded. */
  over: SessionOver | null;
  pattern: PatternSpec | null;
  rfc: Rfc | null;
  outline: PlanOutline | null;
  /** `every Monday`, for each part of the outline that repeats. */
  repeats?: string[];
  roadmap: Roadmap | null;
  schedule: Schedule | null;
  portfolio: PortfolioReport | null;
  infeasible: Infeasibility | null;
  planner: string | null;
  confidence: number | null;
  cost_usd: number;
  /** Who can decide, in words ("ana or ben"). */
  approvers: string;
  may_decide: boolean;
  /** Display names by name; default: the name itself. */
  names?: Record<string, string>;
  viewer: { user: string; timezone: string };
  now: string;
  link: string | null;
};

/** Sent by a press on a session's card, with the turn and digest of the card shown. */
export const SessionPress = z.object({
  action: z.enum(['session_approve', 'session_reject', 'session_changes', 'session_answer']),
  run_id: z.string().max(100),
  turn: z.number().int(),
  digest: z.string().max(128),
  /** The answer or change that the button sends. */
  choice: z.string().max(600).exactOptional(),
});
export type SessionPress = z.infer<typeof SessionPress>;

/**
 * A person's decision on what a session shows. `turn`: the card's; without it, only the digest binds. `pressed`: deduplicates it.
 */
export type SessionChoice = {
  digest: string;
  turn?: number;
  pressed?: Pressed;
} /** `passed`: see `Approval`. */ & (
  | { kind: 'approve'; passed?: string }
  | { kind: 'reject'; feedback?: string }
  | { kind: 'changes'; feedback: string }
);
