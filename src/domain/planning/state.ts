// A planning session as checkpointed after each transition (B10): everything a planner needs to continue.
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

/** A proposed pattern or subtype with its approval status (B6). */
export const Rfc = z.strictObject({
  text: line(2000),
  /** `proposed:daily_health_protocol_v2`. */
  proposes: line(200),
  status: z.enum(['open', 'approved', 'rejected']),
  by: line(200).nullable().default(null),
});
export type Rfc = z.infer<typeof Rfc>;

/** A person's approval of a stage; the digest binds what was shown. */
export const GateApproval = z.strictObject({
  digest: line(64),
  by: line(200),
  at: z.iso.datetime(),
});
export type GateApproval = z.infer<typeof GateApproval>;

/** A requested change and its artifact, or null until the reasoner has decided. */
export const ChangeRequest = z.strictObject({ feedback: line(10_000), gate: Gate.nullable() });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const PlanVersion = z.strictObject({ plan_id: line(40), version: z.int().min(1) });
export type PlanVersion = z.infer<typeof PlanVersion>;

/** Words that came while a turn was planned. `by`: their author, or null for the requester. */
export const JoinedWords = z.strictObject({
  message: z.int(),
  by: line(200).nullable(),
  text: StorableText,
});
export type JoinedWords = z.infer<typeof JoinedWords>;

/** Why a session is paused, where it resumes, and its message. */
export const Pause = z.strictObject({
  kind: z.enum(['questions', 'rfc', 'gate', 'plan', 'budget', 'escalation', 'answer']),
  /** The stage that resumes after the answer. */
  resume: Stage,
  gate: Gate.nullable().default(null),
  /** Digest of a gate's content. */
  digest: line(64).nullable().default(null),
  /** The plan's own limit, if that is the budget. */
  limit_usd: z.number().exactOptional(),
});
export type Pause = z.infer<typeof Pause>;

/** The text by lines; default: the session's card shows all of it. */
const lines = z.array(MessageLine).exactOptional();

/** A session's lookup, for later stages and turns, and for approvers. */
export const SessionRead = z.strictObject({
  /** The operation's full name. */
  operation: line(300),
  args: JsonObject,
  /** The output; long ones are cut to text. */
  data: JsonValue,
  /** When its turn began. */
  at: z.iso.datetime().exactOptional(),
});
export type SessionRead = z.infer<typeof SessionRead>;

/** An answer to a waiting step, effective once someone entitled confirms it. `attempt`: the one that asked. */
export const GivenToStep = z.strictObject({
  plan_id: line(40),
  step_id: line(200),
  attempt: z.number().int().min(0),
  /** Text, or a form's values. */
  answer: z.union([
    z.string().max(10_000),
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  ]),
});
export type GivenToStep = z.infer<typeof GivenToStep>;

/** How a session ended, or what it waits for. `text` is for the person, without a call to action. */
export const SessionResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answer'),
    text: StorableText,
    /** Optional questions; nothing waits for them. */
    asked: z.array(AskedQuestion).exactOptional(),
    /** The plan whose card goes under it. */
    plan_id: line(40).exactOptional(),
  }),
  /** No tool can do it. `wanted`: the request, for statistics, or null if it could not be read. */
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
  /** A new pattern or subtype that needs approval; `rfc` is the reason. */
  z.strictObject({ kind: z.literal('rfc'), rfc: line(2000), text: StorableText, lines }),
  /** An artifact to approve before the next one is made. `digest`: of its content. */
  z.strictObject({
    kind: z.literal('gate'),
    gate: Gate,
    digest: line(64),
    text: StorableText,
    lines,
  }),
  z.strictObject({ kind: z.literal('proposal') }),
  /** A change of a running or ended plan; `why` is the planner's sentence. */
  z.strictObject({
    kind: z.literal('patch'),
    plan_id: line(40),
    patch: PlanPatch,
    why: line(1000),
  }),
  z.strictObject({ kind: z.literal('step_answer'), given: GivenToStep, text: StorableText }),
  /** It doesn't fit into the available time. */
  z.strictObject({ kind: z.literal('escalation'), text: StorableText, infeasible: Infeasibility }),
  z.strictObject({ kind: z.literal('aborted'), text: StorableText, reason: line(2000) }),
]);
export type SessionResult = z.infer<typeof SessionResult>;

/** Known notes, and those this turn stores with its outcome. */
export const SessionMemory = z.strictObject({
  known: z.array(MemoryEntry.pick({ id: true, name: true, text: true })).max(memoryLimits.entries),
  keep: z.array(MemoryNote).max(memoryLimits.message),
});
export type SessionMemory = z.infer<typeof SessionMemory>;

export const PlanningState = z.strictObject({
  /** `user_<user>:<goal or new>`. */
  thread_id: line(600),
  run_id: line(100),
  /** The run's turn, from 1. */
  turn: z.number().int().min(1),
  stage: Stage,
  /** When the turn began; kept over restarts, so that prompts, caps and times are stable. */
  now: z.iso.datetime(),
  timezone: line(100),
  /** Whether there are plans to continue: in the conversation, mentioned, or listed. */
  has_plans: z.boolean().default(false),
  /** Whether files are attached to the request or above it. */
  has_files: z.boolean().default(false),
  /** Model calls of this turn, over all its stages. */
  calls: z.number().int().min(0).default(0),
  /** US dollars of this turn. */
  cost_usd: z.number().min(0).default(0),
  /** US dollars of earlier turns. */
  earlier_usd: z.number().min(0).default(0),
  /** The person's model calls of the day (UTC), before this turn. */
  today_usd: z.number().min(0).default(0),
  /** The person has lifted this turn's soft ceiling. */
  soft_budget_lifted: z.boolean().default(false),
  /** Retries per stage since it was last left; details are in the trace. */
  retries: z.partialRecord(Stage, z.number().int().min(0)).default({}),
  /** For a stage's next attempt: what was wrong, and to ask for less. */
  hints: z.array(line(2000)).max(20).default([]),
  /** Assumptions from before the outline, which adopts them. */
  assumed: z.array(line(1000)).max(50).default([]),
  /** Latest last; `planner/reads/session-reads.ts` limits them. */
  reads: z.array(SessionRead).max(200).default([]),
  /** Names of operations that searches found, latest last. */
  found: z.array(line(300)).max(20).default([]),
  /** The thread above the request, as of its latest turn. */
  thread: ThreadRead.nullable().exactOptional(),
  pattern: PatternSpec.nullable().default(null),
  rfc: Rfc.nullable().default(null),
  outline: PlanOutline.nullable().default(null),
  roadmap: Roadmap.nullable().default(null),
  schedule: Schedule.nullable().default(null),
  portfolio: PortfolioReport.nullable().default(null),
  approvals: z.partialRecord(Gate, GateApproval).default({}),
  change: ChangeRequest.nullable().default(null),
  /** The waiting plan that the draft is the next version of. */
  target: PlanVersion.nullable().exactOptional(),
  /** Refusals of its plan already processed. */
  refusals: z.number().int().min(0).exactOptional(),
  confidence: z.partialRecord(Stage, Confidence).default({}),
  /** Names of valid tool products, checked as prerequisites. */
  produced: z.array(line(60)).default([]),
  /** Ideas and options offered to the person, so that an answer can name one. */
  offered: z.array(JsonObject).max(20).default([]),
  questions_asked: z.number().int().min(0).default(0),
  pause: Pause.nullable().default(null),
  result: SessionResult.nullable().default(null),
  /** Preferences stated in this turn. */
  wish: z.object({ override: PolicyOverride, lasting: z.boolean() }).nullable().exactOptional(),
  /** Null if nothing is remembered. */
  memory: SessionMemory.nullable().exactOptional(),
  /** Words that joined while this turn was planned, oldest first. */
  joined: z.array(JoinedWords).default([]),
  /** Why a plan was or was not made (A16). */
  reason: line(4000).nullable().default(null),
  /** This turn's trace so far. */
  trace: z.array(TraceEntry).default([]),
});
export type PlanningState = z.infer<typeof PlanningState>;

/** Older results: questions without IDs, gates without a digest, RFCs without a reason. */
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

/** Parses a stored session of any version. */
export function parseStoredState(stored: unknown): z.ZodSafeParseResult<PlanningState> {
  return PlanningState.safeParse(convertEarlier(stored));
}

/** A person's decision on a paused session, from a press or an exact word, never from a model. */
export const SessionDecision = z.discriminatedUnion('kind', [
  /** Answers or talk. `joins`: it arrived too late for the previous turn; this turn keeps that turn's reads and draft. */
  z.strictObject({ kind: z.literal('said'), joins: z.literal(true).exactOptional() }),
  z.strictObject({ kind: z.literal('approve'), by: line(200), digest: line(64).nullable() }),
  z.strictObject({ kind: z.literal('reject'), by: line(200) }),
  z.strictObject({ kind: z.literal('changes'), by: line(200), feedback: line(10_000) }),
]);
export type SessionDecision = z.infer<typeof SessionDecision>;

/** The trigger of a turn and its speaker, with their time zone, organisation and standing then. */
export type TurnDecision = SessionDecision & {
  timezone?: string;
  tenant?: string;
  speaker?: Actor;
  /** Everyone else who spoke while it was planned. */
  joined?: Actor[];
};
