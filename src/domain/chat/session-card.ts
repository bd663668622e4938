// The facts of a planning session's card, gathered from the database each time, and the press that comes back from it.
import { z } from 'zod';
import type { PatternSpec } from '../plan/pattern.ts';
import type { PlanOutline } from '../planning/outline.ts';
import type { Roadmap } from '../planning/roadmap.ts';
import type { PlanningStatus } from '../planning/run.ts';
import type { Infeasibility, PortfolioReport, Schedule } from '../planning/schedule.ts';
import type { Pause, Rfc, SessionDecision } from '../planning/state.ts';
import type { Pressed } from './card.ts';

/** Something a person can pick by a press: what the button says, what is different about it, and what the press says. */
export type Offer = { name: string; text: string; answer: string };

/**
 * What a person did about what a session showed, once it has gone on; `by` null: nobody in particular. `overtaken`: it was
 * not planned, and something else was asked for in its conversation since.
 */
export type SessionOver = {
  kind: SessionDecision['kind'] | 'overtaken';
  by: string | null;
  at: string | null;
};

export type SessionCardFacts = {
  run_id: string;
  turn: number;
  /** What a decision sends back; it binds what is shown. */
  digest: string;
  status: PlanningStatus;
  pause: Pause | null;
  plan_id: string | null;
  /** What the person said last that is not a decision. */
  request: string;
  /** What the bot said at the end of the turn. */
  text: string;
  questions: string[];
  offers: Offer[];
  /** Why it stands or ended: of an escalation, an RFC, an aborted session. */
  reason: string | null;
  /** What led to this turn. */
  decision: SessionDecision;
  /** What came after this turn; null: it is the run's latest, and nothing else was asked for since it ended without a plan. */
  over: SessionOver | null;
  pattern: PatternSpec | null;
  rfc: Rfc | null;
  outline: PlanOutline | null;
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
  /** What readers are shown in the place of names of people; left out, or of one that is not in it: the name. */
  names?: Record<string, string>;
  viewer: { user: string; timezone: string };
  now: string;
  link: string | null;
};

/** What a press on a session's card sends, on every surface. Turn and digest are those of the card that was shown. */
export const SessionPress = z.object({
  action: z.enum(['session_approve', 'session_reject', 'session_changes', 'session_answer']),
  run_id: z.string().max(100),
  turn: z.number().int(),
  digest: z.string().max(128),
  /** The answer or the change that the button itself stands for. */
  choice: z.string().max(600).exactOptional(),
});
export type SessionPress = z.infer<typeof SessionPress>;

/**
 * A person's decision about what a session shows. `turn`: that of the card; left out, the digest alone binds it.
 * `pressed`: it is made once under that name.
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
