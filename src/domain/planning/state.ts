// A planning session as checkpointed after each transition (B10): exactly what a planner needs to continue.
import { z } from 'zod';
import { MemoryEntry, MemoryNote } from '../people/memory.ts';
import { memoryLimits } from '../people/memory-note.ts';
import { PolicyOverride } from '../people/policy.ts';
import { PlanPatch } from '../plan/patch.ts';
import { PatternSpec } from '../plan/pattern.ts';
import { JsonObject, JsonValue, line, StorableText } from '../text.ts';
import { AskedQuestion, askedQuestion, SaidLine } from './asked-question.ts';
import { PlanOutline } from './outline.ts';
import { Roadmap } from './roadmap.ts';
import { Infeasibility, PortfolioReport, Schedule } from './schedule.ts';
import { Gate, Stage } from './stages.ts';
import { Confidence, TraceEntry } from './trace.ts';

/** A proposed pattern or subtype that waits for a person's word, or has it (B6). */
export const Rfc = z.strictObject({
  text: line(2000),
  /** What is proposed: `proposed:daily_health_protocol_v2`. */
  proposes: line(200),
  status: z.enum(['open', 'approved', 'rejected']),
  by: line(200).nullable().default(null),
});
export type Rfc = z.infer<typeof Rfc>;

/** What a person approved of the stages: the digest binds what was shown. */
export const GateApproval = z.strictObject({
  digest: line(64),
  by: line(200),
  at: z.iso.datetime(),
});
export type GateApproval = z.infer<typeof GateApproval>;

/** What a person wants changed, and which artifact that concerns; null: the reasoner has not said yet. */
export const ChangeRequest = z.strictObject({ feedback: line(10_000), gate: Gate.nullable() });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

/** Why a session stands still, where it goes on, and what is said meanwhile. */
export const Pause = z.strictObject({
  kind: z.enum(['questions', 'rfc', 'gate', 'plan', 'budget', 'escalation', 'answer']),
  /** The stage that goes on when the person has answered. */
  resume: Stage,
  gate: Gate.nullable().default(null),
  /** Digest of what a gate shows. */
  digest: line(64).nullable().default(null),
});
export type Pause = z.infer<typeof Pause>;

/** The text line by line; left out: the card of the session shows all of it. */
const lines = z.array(SaidLine).exactOptional();

/** What a session has looked up, for later stages and turns, and for those who approve the plan. */
export const SessionRead = z.strictObject({
  /** The operation's full name. */
  operation: line(300),
  args: JsonObject,
  /** What it gave; of long outputs the beginning, as text. */
  data: JsonValue,
  /** When the turn that read it began. */
  at: z.iso.datetime().exactOptional(),
});
export type SessionRead = z.infer<typeof SessionRead>;

/**
 * What a person has said to a step that waits for it: nothing is answered until somebody who may confirms it. `attempt`: the
 * one that asked.
 */
export const GivenToStep = z.strictObject({
  plan_id: line(40),
  step_id: line(200),
  attempt: z.number().int().min(0),
  /** In words, or the values of its form. */
  answer: z.union([
    z.string().max(10_000),
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  ]),
});
export type GivenToStep = z.infer<typeof GivenToStep>;

/** How a session ended, or what it waits for. `text` is what the person reads, without a call to action. */
export const SessionResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answer'),
    text: StorableText,
    /** What is asked beside it; nothing waits for the answer. */
    asked: z.array(AskedQuestion).exactOptional(),
  }),
  /** No tool can do it. `wanted` is what was asked for, for statistics of missing tools. */
  z.strictObject({ kind: z.literal('cannot'), text: StorableText, wanted: StorableText }),
  z.strictObject({
    kind: z.literal('question'),
    text: StorableText,
    questions: z.array(AskedQuestion).min(1).max(10),
    lines,
  }),
  /** A pattern or subtype that is new and needs a person's approval; `rfc` says why it is proposed. */
  z.strictObject({ kind: z.literal('rfc'), rfc: line(2000), text: StorableText, lines }),
  /** An artifact that the person approves before the next one is made. `digest`: of what is shown. */
  z.strictObject({
    kind: z.literal('gate'),
    gate: Gate,
    digest: line(64),
    text: StorableText,
    lines,
  }),
  z.strictObject({ kind: z.literal('proposal') }),
  /** A change of a plan that runs or has run; `why` is the planner's sentence about it. */
  z.strictObject({
    kind: z.literal('patch'),
    plan_id: line(40),
    patch: PlanPatch,
    why: line(1000),
  }),
  z.strictObject({ kind: z.literal('step_answer'), given: GivenToStep, text: StorableText }),
  /** It does not fit into the time there is. */
  z.strictObject({ kind: z.literal('escalation'), text: StorableText, infeasible: Infeasibility }),
  z.strictObject({ kind: z.literal('aborted'), text: StorableText, reason: line(2000) }),
]);
export type SessionResult = z.infer<typeof SessionResult>;

/** What the person asked to keep: what is known, and what this turn keeps once its outcome is stored. */
export const SessionMemory = z.strictObject({
  known: z.array(MemoryEntry.pick({ id: true, name: true, text: true })).max(memoryLimits.entries),
  keep: z.array(MemoryNote).max(memoryLimits.message),
});
export type SessionMemory = z.infer<typeof SessionMemory>;

export const PlanningState = z.strictObject({
  /** `user_<user>:<goal or new>`. */
  thread_id: line(600),
  run_id: line(100),
  /** The run's turn this state belongs to, from 1. */
  turn: z.number().int().min(1),
  stage: Stage,
  /** When the turn began; kept over restarts, so that prompts, caps and times stay the same. */
  now: z.iso.datetime(),
  timezone: line(100),
  /** Whether there are plans to go on with: in the conversation, named in what was said, or listed. */
  has_plans: z.boolean().default(false),
  /** Model calls of this turn, over all its stages. */
  calls: z.number().int().min(0).default(0),
  /** US dollars of this turn. */
  cost_usd: z.number().min(0).default(0),
  /** The person has allowed this turn to cost more than the soft ceiling. */
  soft_budget_lifted: z.boolean().default(false),
  /** How often each stage was tried again since it was last left; by whom is in the trace. */
  retries: z.partialRecord(Stage, z.number().int().min(0)).default({}),
  /** Told to the next try of a stage: what was wrong, and to ask for less. */
  hints: z.array(line(2000)).max(20).default([]),
  /** What was assumed before there was an outline; it belongs into the one that is drafted. */
  assumed: z.array(line(1000)).max(50).default([]),
  /** The latest last; see `planner/reads/session-reads.ts` for how much is kept. */
  reads: z.array(SessionRead).max(200).default([]),
  pattern: PatternSpec.nullable().default(null),
  rfc: Rfc.nullable().default(null),
  outline: PlanOutline.nullable().default(null),
  roadmap: Roadmap.nullable().default(null),
  schedule: Schedule.nullable().default(null),
  portfolio: PortfolioReport.nullable().default(null),
  approvals: z.partialRecord(Gate, GateApproval).default({}),
  change: ChangeRequest.nullable().default(null),
  /** How many refusals of its plan this session has taken in; a later one finds the plan as it was refused. */
  refusals: z.number().int().min(0).exactOptional(),
  confidence: z.partialRecord(Stage, Confidence).default({}),
  /** Names of what tools have produced and is still good; prerequisites look here. */
  produced: z.array(line(60)).default([]),
  /** Ideas and options that were put before the person, so that an answer can name one. */
  offered: z.array(JsonObject).max(20).default([]),
  questions_asked: z.number().int().min(0).default(0),
  pause: Pause.nullable().default(null),
  result: SessionResult.nullable().default(null),
  /** What the person said this turn about how to talk and ask. */
  wish: z.object({ override: PolicyOverride, lasting: z.boolean() }).nullable().exactOptional(),
  /** null: nothing is remembered. */
  memory: SessionMemory.nullable().exactOptional(),
  /** Why a plan was or was not made (A16). */
  reason: line(4000).nullable().default(null),
  /** This turn's trace so far. */
  trace: z.array(TraceEntry).default([]),
});
export type PlanningState = z.infer<typeof PlanningState>;

/** The result as earlier versions stored it: questions without ids, gates without a digest, RFCs without their reason. */
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

/** A stored session, also one of an earlier version. */
export function parseStoredState(stored: unknown): z.ZodSafeParseResult<PlanningState> {
  return PlanningState.safeParse(convertEarlier(stored));
}

/** What a person decided about a session that stands still. It comes from a press or an exact word, never from a model. */
export const SessionDecision = z.discriminatedUnion('kind', [
  /** Answers, or simply more talk. */
  z.strictObject({ kind: z.literal('said') }),
  z.strictObject({ kind: z.literal('approve'), by: line(200), digest: line(64).nullable() }),
  z.strictObject({ kind: z.literal('reject'), by: line(200) }),
  z.strictObject({ kind: z.literal('changes'), by: line(200), feedback: line(10_000) }),
]);
export type SessionDecision = z.infer<typeof SessionDecision>;
