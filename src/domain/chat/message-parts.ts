// A message as data: kind, facts and one call to action. `cards/` writes the text, which is never parsed back. Messages stored
// before parts existed have none and are shown as text.
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

/** The call to action under a message. */
export const CallToAction = z.discriminatedUnion('kind', [
  /** Decide on a proposed plan. */
  z.object({ kind: z.literal('plan'), tone }),
  /** Decide on a plan that was refused three times. */
  z.object({ kind: z.literal('review'), plan_id: z.string() }),
  z.object({ kind: z.literal('gate'), gate: Gate, tone }),
  z.object({ kind: z.enum(['rfc', 'budget', 'escalation']), tone }),
  /** Answer the questions. */
  z.object({ kind: z.literal('answer') }),
  /** Resume or cancel a stalled plan. */
  z.object({ kind: z.literal('resume') }),
  /** Confirm an answer to a step. */
  z.object({ kind: z.literal('confirm') }),
  /** Decide on a plan's change on its card. */
  z.object({ kind: z.literal('change') }),
  /** Decide on the card about steps on hold. */
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
  /** Who decided, or null. */
  by: name,
});
export type Progress = z.infer<typeof Progress>;

/** A step that waits for a person, or whose outcome only a person can find out. */
const Task = z.object({
  ...plan,
  step_id: z.string(),
  /** The step's label; absent in older messages. */
  label: z.string().exactOptional(),
  status: z.enum(['waiting', 'unknown']),
  who: name,
  /** Null without a specific question. */
  question: z.string().nullable(),
  /** The call, in words. */
  call: z.string(),
  /** In a reminder: hours waited. */
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
  /** `waited`: hours, in a reminder. `why`: the planner's sentence on a change requested here. */
  z.object({
    code: z.literal('change_waits'),
    ...plan,
    by: z.string(),
    reasons: z.array(z.string()),
    waited: z.number().nullable(),
    why: StorableText.exactOptional(),
  }),
  /** A problem with a running plan. `held`: steps on hold. `correcting`: the plan is being changed for it. */
  z.object({
    code: z.literal('problem_found'),
    ...plan,
    text: StorableText,
    held: z.int(),
    correcting: z.boolean(),
  }),
  /** To one person: a plan waits for them. `text`: the question or purpose; `link`: to its card. */
  z.object({
    code: z.literal('asked'),
    ...plan,
    what: z.enum(askedFor),
    text: StorableText,
    by: z.string(),
    link: z.string().nullable(),
  }),
  z.object({ code: z.literal('plan_changed'), ...plan, by: z.string(), version: z.number() }),
  /** Someone who may not change the plan suggests a change; its card has their words. */
  z.object({ code: z.literal('suggested'), ...plan, by: z.string(), finding_id: z.string() }),
  /** `by`: who withdrew the changes, or null if they failed. */
  z.object({ code: z.literal('given_back'), ...plan, version: z.number(), by: name }),
  z.object({
    code: z.literal('undecided'),
    ...plan,
    /** Refused, without a new version yet. */
    sent_back: z.boolean(),
    days_left: z.number(),
  }),
  /** A near-miss of a decision on a plan. `said`: the message. */
  z.object({
    code: z.literal('near_word'),
    ...plan,
    /** `change`: only in messages of earlier versions. */
    word: z.enum(['approve', 'reject', 'cancel', 'undo', 'change']),
    version: z.number(),
    started: z.boolean(),
    said: z.string(),
  }),
]);
export type Notice = z.infer<typeof Notice>;

const lines = z.array(MessageLine);
const questions = z.array(AskedQuestion);
/** A model's message in a turn that planned and ran nothing, regardless of what it claims. */
const unplanned = z.literal(true).exactOptional();
const action = CallToAction.nullable();
const none = z.object({});

export const MessageParts = z.discriminatedUnion('kind', [
  /** A planner's answer, or why it plans nothing. `questions`: optional ones, which block nothing. */
  z.object({
    kind: z.literal('answer'),
    facts: z.object({ lines, questions, unplanned }),
    action,
  }),
  /** Questions that a run waits for, including those on planning costs. */
  z.object({
    kind: z.enum(['question', 'budget']),
    facts: z.object({ lines, questions }),
    action,
  }),
  /** An outline, order or schedule; a new pattern; what doesn't fit into the time; a failed turn; an answer to a step. */
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
      /** Notes to read before deciding. */
      notes: z.array(StorableText),
    }),
    action,
  }),
  z.object({ kind: z.literal('progress'), facts: Progress, action }),
  z.object({ kind: z.literal('task'), facts: Task, action }),
  z.object({ kind: z.literal('notice'), facts: Notice, action }),
  /** A person's message. `answers`: to the open questions. `rest`: the text without style preferences, or null if it has none. */
  z.object({
    kind: z.literal('said'),
    facts: z.object({
      answers: z.array(GivenAnswer),
      rest: StorableText.nullable(),
      /** The person's own words, if the message quotes another. */
      typed: StorableText.exactOptional(),
      /** The turn of its run that it came in and joins. */
      joins: z.int().exactOptional(),
      /** Attached to it. */
      files: z.array(AttachedFile).max(20).exactOptional(),
    }),
    action: z.null(),
  }),
  /** A change of communication preferences. */
  z.object({
    kind: z.literal('preference'),
    facts: z.object({ confirmation: z.string() }),
    action: z.null(),
  }),
  /** Anything else, as text. */
  z.object({ kind: z.literal('text'), facts: none, action }),
]);
export type MessageParts = z.infer<typeof MessageParts>;

export const textParts: MessageParts = { kind: 'text', facts: {}, action: null };

/** For a person's message that answers no question, such as a decision. */
export const plainMessage: MessageParts = {
  kind: 'said',
  facts: { answers: [], rest: null },
  action: null,
};

/** Stored parts, or null if there are none or a newer version wrote them. */
export function readParts(stored: unknown): MessageParts | null {
  const parsed = MessageParts.safeParse(stored);
  return parsed.success ? parsed.data : null;
}
