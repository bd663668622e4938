// Messages as data; `cards/` writes the text.
import { z } from 'zod';
import { AttachedFile } from '../attached-file.ts';
import { InteractionPolicy } from '../people/policy.ts';
import { AskedQuestion, GivenAnswer, MessageLine } from '../planning/asked-question.ts';
import { Gate } from '../planning/stages.ts';
import type { Pause } from '../planning/state.ts';
import { StorableText } from '../text.ts';
import { askedFor } from './asked.ts';

const tone = InteractionPolicy.shape.tone;
type Tone = InteractionPolicy['tone'];

export const CallToAction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plan'), tone }),
  /** Refused three times. */
  z.object({ kind: z.literal('review'), plan_id: z.string() }),
  z.object({ kind: z.literal('gate'), gate: Gate, tone }),
  z.object({ kind: z.enum(['rfc', 'budget', 'escalation']), tone }),
  z.object({ kind: z.literal('answer') }),
  z.object({ kind: z.literal('resume') }),
  z.object({ kind: z.literal('confirm') }),
  z.object({ kind: z.literal('change') }),
  z.object({ kind: z.literal('finding') }),
]);
export type CallToAction = z.infer<typeof CallToAction>;

export function callOf({ kind, gate }: Pick<Pause, 'kind' | 'gate'>, tone: Tone): CallToAction {
  if (kind === 'questions') return { kind: 'answer' };
  if (kind === 'answer') return { kind: 'confirm' };
  return kind === 'gate' ? { kind, gate: gate ?? 'outline', tone } : { kind, tone };
}

const plan = { plan_id: z.string(), title: z.string() };
const name = z.string().nullable();

const Progress = z.object({
  ...plan,
  status: z.enum(['completed', 'failed', 'stalled', 'cancelled', 'rejected']),
  summary: z.string(),
  by: name,
});
export type Progress = z.infer<typeof Progress>;

/** Waits for a person, or has an outcome only a person can find out. */
const Task = z.object({
  ...plan,
  step_id: z.string(),
  label: z.string().exactOptional(),
  status: z.enum(['waiting', 'unknown']),
  who: name,
  /** Null without a specific one. */
  question: z.string().nullable(),
  call: z.string(),
  waited: z.number().nullable(),
});
export type Task = z.infer<typeof Task>;

const Notice = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['planning_abandoned', 'planning_stopped']) }),
  z.object({
    code: z.literal('step_blocked'),
    step_id: z.string(),
    label: z.string().exactOptional(),
    description: z.string(),
    by: name,
    why: z.string(),
  }),
  /** `waited`: hours. `why`: the planner's reason. */
  z.object({
    code: z.literal('change_waits'),
    ...plan,
    by: z.string(),
    reasons: z.array(z.string()),
    waited: z.number().nullable(),
    why: StorableText.exactOptional(),
  }),
  /** `held`: steps on hold. `correcting`: a change is being planned. */
  z.object({
    code: z.literal('problem_found'),
    ...plan,
    text: StorableText,
    held: z.int(),
    correcting: z.boolean(),
  }),
  /** `text`: the question or purpose; `link`: to the card. */
  z.object({
    code: z.literal('asked'),
    ...plan,
    what: z.enum(askedFor),
    text: StorableText,
    by: z.string(),
    link: z.string().nullable(),
  }),
  z.object({ code: z.literal('plan_changed'), ...plan, by: z.string(), version: z.number() }),
  /** By someone who may not change the plan. */
  z.object({ code: z.literal('suggested'), ...plan, by: z.string(), finding_id: z.string() }),
  /** `by`: who withdrew the changes; null if they failed. */
  z.object({ code: z.literal('given_back'), ...plan, version: z.number(), by: name }),
  z.object({
    code: z.literal('undecided'),
    ...plan,
    sent_back: z.boolean(),
    days_left: z.number(),
  }),
  /** Almost a decision. `said`: the message. */
  z.object({
    code: z.literal('near_word'),
    ...plan,
    /** `change`: earlier versions only. */
    word: z.enum(['approve', 'reject', 'cancel', 'undo', 'change']),
    version: z.number(),
    started: z.boolean(),
    said: z.string(),
  }),
]);
export type Notice = z.infer<typeof Notice>;

const lines = z.array(MessageLine);
const questions = z.array(AskedQuestion);
/** The turn planned and ran nothing, despite any claim of the model. */
const unplanned = z.literal(true).exactOptional();
const action = CallToAction.nullable();
const none = z.object({});

export const MessageParts = z.discriminatedUnion('kind', [
  /** `questions`: optional ones, which block nothing. */
  z.object({
    kind: z.literal('answer'),
    facts: z.object({ lines, questions, unplanned }),
    action,
  }),
  z.object({
    kind: z.enum(['question', 'budget']),
    facts: z.object({ lines, questions }),
    action,
  }),
  /** Outline, schedule, pattern, failed turn, or answer to a step. */
  z.object({
    kind: z.enum(['gate', 'rfc', 'escalation', 'aborted', 'confirm']),
    facts: z.object({ lines, unplanned }),
    action,
  }),
  z.object({
    kind: z.literal('proposal'),
    facts: z.object({
      plan_id: z.string(),
      version: z.number(),
      summary: StorableText,
      notes: z.array(StorableText),
    }),
    action,
  }),
  z.object({ kind: z.literal('progress'), facts: Progress, action }),
  z.object({ kind: z.literal('task'), facts: Task, action }),
  z.object({ kind: z.literal('notice'), facts: Notice, action }),
  /** `rest`: without style preferences; null without any. */
  z.object({
    kind: z.literal('said'),
    facts: z.object({
      answers: z.array(GivenAnswer),
      rest: StorableText.nullable(),
      typed: StorableText.exactOptional(),
      /** The turn it joins. */
      joins: z.int().exactOptional(),
      files: z.array(AttachedFile).max(20).exactOptional(),
    }),
    action: z.null(),
  }),
  z.object({
    kind: z.literal('preference'),
    facts: z.object({ confirmation: z.string() }),
    action: z.null(),
  }),
  z.object({ kind: z.literal('text'), facts: none, action }),
]);
export type MessageParts = z.infer<typeof MessageParts>;

export const textParts: MessageParts = { kind: 'text', facts: {}, action: null };

/** Answers no question. */
export const plainMessage: MessageParts = {
  kind: 'said',
  facts: { answers: [], rest: null },
  action: null,
};

/** Null if none or written by a newer version. */
export function readParts(stored: unknown): MessageParts | null {
  const parsed = MessageParts.safeParse(stored);
  return parsed.success ? parsed.data : null;
}
