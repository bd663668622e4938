// The facts and presses of a session's card.
import { z } from 'zod';
import type { PatternSpec } from '../plan/pattern.ts';
import type { PlanOutline } from '../planning/outline.ts';
import type { Roadmap } from '../planning/roadmap.ts';
import type { PlanningStatus } from '../planning/run.ts';
import type { Infeasibility, PortfolioReport, Schedule } from '../planning/schedule.ts';
import type { Pause, Rfc, SessionDecision } from '../planning/state.ts';
import type { Pressed } from './card.ts';

export type Offer = { name: string; text: string; answer: string };

/** `by` may be null. `overtaken`: another request superseded it unplanned. */
export type SessionOver = {
  kind: SessionDecision['kind'] | 'overtaken';
  by: string | null;
  at: string | null;
  /** The message that settled it. */
  reply?: string | undefined;
};

export type SessionCardFacts = {
  run_id: string;
  turn: number;
  /** Decisions must name it. */
  digest: string;
  status: PlanningStatus;
  pause: Pause | null;
  plan_id: string | null;
  /** The last message that isn't a decision. */
  request: string;
  text: string;
  questions: string[];
  offers: Offer[];
  reason: string | null;
  decision: SessionDecision;
  /** Null while open. */
  over: SessionOver | null;
  pattern: PatternSpec | null;
  rfc: Rfc | null;
  outline: PlanOutline | null;
  /** `every Monday`. */
  repeats?: string[];
  roadmap: Roadmap | null;
  schedule: Schedule | null;
  portfolio: PortfolioReport | null;
  infeasible: Infeasibility | null;
  planner: string | null;
  confidence: number | null;
  cost_usd: number;
  approvers: string;
  may_decide: boolean;
  names?: Record<string, string>;
  viewer: { user: string; timezone: string };
  now: string;
  link: string | null;
};

/** Names the turn and digest of the card shown. */
export const SessionPress = z.object({
  action: z.enum(['session_approve', 'session_reject', 'session_changes', 'session_answer']),
  run_id: z.string().max(100),
  turn: z.number().int(),
  digest: z.string().max(128),
  choice: z.string().max(600).exactOptional(),
});
export type SessionPress = z.infer<typeof SessionPress>;

/** Without `turn`, only the digest binds. `pressed`: deduplication key. */
export type SessionChoice = {
  digest: string;
  turn?: number;
  pressed?: Pressed;
} /** `passed`: see `Approval`. */ & (
  | { kind: 'approve'; passed?: string }
  | { kind: 'reject'; feedback?: string }
  | { kind: 'changes'; feedback: string }
);
