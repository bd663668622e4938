// A planning session, checkpointed after each transition (B10).
import { z } from 'zod';
import type { Actor } from '../people/actor.ts';
import { MemoryEntry, MemoryNote } from '../people/memory.ts';
import { memoryLimits } from '../people/memory-note.ts';
import { PolicyOverride } from '../people/policy.ts';
import { PlanPatch } from '../plan/patch.ts';
import { PatternSpec } from '../plan/pattern.ts';
import { JsonObject, JsonValue, line, StorableText } from '../text.ts';
import { AskedQuestion, askedQuestion, MessageLine } from './asked-question.ts';
import { PlanOutline } from './outline.ts';
import { Roadmap } from './roadmap.ts';
import { Infeasibility, PortfolioReport, Schedule } from './schedule.ts';
import { Gate, Stage } from './stages.ts';
import { ThreadRead } from './thread.ts';
import { Confidence, TraceEntry } from './trace.ts';

export const Rfc = z.strictObject({
  text: line(2000),
  /** `proposed:daily_health_protocol_v2`. */
  proposes: line(200),
  status: z.enum(['open', 'approved', 'rejected']),
  by: line(200).nullable().default(null),
});
export type Rfc = z.infer<typeof Rfc>;

/** `digest` binds what was shown. */
export const GateApproval = z.strictObject({
  digest: line(64),
  by: line(200),
  at: z.iso.datetime(),
});
export type GateApproval = z.infer<typeof GateApproval>;

/** The artifact; null until the reasoner has decided. */
export const ChangeRequest = z.strictObject({ feedback: line(10_000), gate: Gate.nullable() });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const PlanVersion = z.strictObject({ plan_id: line(40), version: z.int().min(1) });
export type PlanVersion = z.infer<typeof PlanVersion>;

/** Received while a turn was planned. `by`: null for the requester. */
export const JoinedWords = z.strictObject({
  message: z.int(),
  by: line(200).nullable(),
  text: StorableText,
});
export type JoinedWords = z.infer<typeof JoinedWords>;

export const Pause = z.strictObject({
  kind: z.enum(['questions', 'rfc', 'gate', 'plan', 'budget', 'escalation', 'answer']),
  resume: Stage,
  gate: Gate.nullable().default(null),
  digest: line(64).nullable().default(null),
  /** If the plan's own limit is the budget. */
  limit_usd: z.number().exactOptional(),
});
export type Pause = z.infer<typeof Pause>;

/** Default: all of it is on the card. */
const lines = z.array(MessageLine).exactOptional();

export const SessionRead = z.strictObject({
  operation: line(300),
  args: JsonObject,
  /** Cut to text if long. */
  data: JsonValue,
  /** When its turn began. */
  at: z.iso.datetime().exactOptional(),
});
export type SessionRead = z.infer<typeof SessionRead>;

/** Effective once confirmed by someone entitled. `attempt`: the one that asked. */
export const GivenToStep = z.strictObject({
  plan_id: line(40),
  step_id: line(200),
  attempt: z.number().int().min(0),
  answer: z.union([
    z.string().max(10_000),
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  ]),
});
export type GivenToStep = z.infer<typeof GivenToStep>;

export const SessionResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answer'),
    text: StorableText,
    /** Optional; nothing waits. */
    asked: z.array(AskedQuestion).exactOptional(),
    plan_id: line(40).exactOptional(),
  }),
  /** No tool can do it. `wanted`: for statistics. */
  z.strictObject({
    kind: z.literal('cannot'),
    text: StorableText,
    wanted: StorableText.nullable(),
  }),
  z.strictObject({
    kind: z.literal('question'),
    text: StorableText,
    questions: z.array(AskedQuestion).min(1).max(10),
    lines,
  }),
  /** `rfc`: why a new pattern or subtype is needed. */
  z.strictObject({ kind: z.literal('rfc'), rfc: line(2000), text: StorableText, lines }),
  /** To approve before the next one is made. `digest`: of its content. */
  z.strictObject({
    kind: z.literal('gate'),
    gate: Gate,
    digest: line(64),
    text: StorableText,
    lines,
  }),
  z.strictObject({ kind: z.literal('proposal') }),
  /** To a running or ended plan; `why`: one sentence. */
  z.strictObject({
    kind: z.literal('patch'),
    plan_id: line(40),
    patch: PlanPatch,
    why: line(1000),
  }),
  z.strictObject({ kind: z.literal('step_answer'), given: GivenToStep, text: StorableText }),
  z.strictObject({ kind: z.literal('escalation'), text: StorableText, infeasible: Infeasibility }),
  z.strictObject({ kind: z.literal('aborted'), text: StorableText, reason: line(2000) }),
]);
export type SessionResult = z.infer<typeof SessionResult>;

/** Known notes, and new ones, stored with the outcome. */
export const SessionMemory = z.strictObject({
  known: z.array(MemoryEntry.pick({ id: true, name: true, text: true })).max(memoryLimits.entries),
  keep: z.array(MemoryNote).max(memoryLimits.message),
});
export type SessionMemory = z.infer<typeof SessionMemory>;

export const PlanningState = z.strictObject({
  /** `user_<user>:<goal or new>`. */
  thread_id: line(600),
  run_id: line(100),
  /** From 1. */
  turn: z.number().int().min(1),
  stage: Stage,
  /** Kept over restarts, so that prompts and times are stable. */
  now: z.iso.datetime(),
  timezone: line(100),
  has_plans: z.boolean().default(false),
  has_files: z.boolean().default(false),
  calls: z.number().int().min(0).default(0),
  /** This turn. */
  cost_usd: z.number().min(0).default(0),
  /** Earlier turns. */
  earlier_usd: z.number().min(0).default(0),
  /** The person's day (UTC), before this turn. */
  today_usd: z.number().min(0).default(0),
  /** By a person. */
  soft_budget_lifted: z.boolean().default(false),
  /** Since the stage was last left; details are in the trace. */
  retries: z.partialRecord(Stage, z.number().int().min(0)).default({}),
  /** For a stage's next attempt. */
  hints: z.array(line(2000)).max(20).default([]),
  /** Adopted by the outline. */
  assumed: z.array(line(1000)).max(50).default([]),
  /** Latest last; limited by `planner/reads/session-reads.ts`. */
  reads: z.array(SessionRead).max(200).default([]),
  /** Operation names, latest last. */
  found: z.array(line(300)).max(20).default([]),
  thread: ThreadRead.nullable().exactOptional(),
  pattern: PatternSpec.nullable().default(null),
  rfc: Rfc.nullable().default(null),
  outline: PlanOutline.nullable().default(null),
  roadmap: Roadmap.nullable().default(null),
  schedule: Schedule.nullable().default(null),
  portfolio: PortfolioReport.nullable().default(null),
  approvals: z.partialRecord(Gate, GateApproval).default({}),
  change: ChangeRequest.nullable().default(null),
  /** The draft is its next version. */
  target: PlanVersion.nullable().exactOptional(),
  refusals: z.number().int().min(0).exactOptional(),
  confidence: z.partialRecord(Stage, Confidence).default({}),
  /** Checked as prerequisites. */
  produced: z.array(line(60)).default([]),
  /** To the person, so that an answer can name one. */
  offered: z.array(JsonObject).max(20).default([]),
  questions_asked: z.number().int().min(0).default(0),
  pause: Pause.nullable().default(null),
  result: SessionResult.nullable().default(null),
  /** In this turn. */
  wish: z.object({ override: PolicyOverride, lasting: z.boolean() }).nullable().exactOptional(),
  memory: SessionMemory.nullable().exactOptional(),
  /** Oldest first. */
  joined: z.array(JoinedWords).default([]),
  reason: line(4000).nullable().default(null),
  trace: z.array(TraceEntry).default([]),
});
export type PlanningState = z.infer<typeof PlanningState>;

/** Questions without IDs, gates without a digest, RFCs without a reason. */
const EarlierState = z.looseObject({
  result: z.looseObject({
    kind: z.string(),
    text: z.string().optional(),
    questions: z.array(z.union([AskedQuestion, z.string()])).optional(),
    question_ids: z.array(z.string()).optional(),
  }),
  pause: z.looseObject({ digest: z.string().nullish() }).nullish(),
  rfc: z.looseObject({ text: z.string() }).nullish(),
});

function convertEarlier(stored: unknown): unknown {
  const { success, data } = EarlierState.safeParse(stored);
  if (!success) return stored;
  const { questions = [], question_ids = [], ...result } = data.result;
  switch (result.kind) {
    case 'question': {
      const named = questions.map((one, index) =>
        typeof one === 'string' ? askedQuestion(one, question_ids[index]) : one,
      );
      return { ...data, result: { ...result, questions: named } };
    }
    case 'gate':
      return { ...data, result: { digest: data.pause?.digest, ...result } };
    case 'rfc':
      return { ...data, result: { rfc: data.rfc?.text ?? result.text, ...result } };
    default:
      return stored;
  }
}

/** Parses any stored version. */
export function parseStoredState(stored: unknown): z.ZodSafeParseResult<PlanningState> {
  return PlanningState.safeParse(convertEarlier(stored));
}

/** From a press or an exact word, never from a model. */
export const SessionDecision = z.discriminatedUnion('kind', [
  /** `joins`: too late for the previous turn, whose reads and draft are kept. */
  z.strictObject({ kind: z.literal('said'), joins: z.literal(true).exactOptional() }),
  z.strictObject({ kind: z.literal('approve'), by: line(200), digest: line(64).nullable() }),
  z.strictObject({ kind: z.literal('reject'), by: line(200) }),
  z.strictObject({ kind: z.literal('changes'), by: line(200), feedback: line(10_000) }),
]);
export type SessionDecision = z.infer<typeof SessionDecision>;

/** With the speaker's time zone, organisation and role then. */
export type TurnDecision = SessionDecision & {
  timezone?: string;
  tenant?: string;
  speaker?: Actor;
  /** Others who spoke meanwhile. */
  joined?: Actor[];
};
