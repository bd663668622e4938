// A message as data: its kind, its facts and the one thing it asks of a person. `cards/` writes the text; nothing reads the text back.
// Messages stored before parts existed have none and are shown as text.
import { z } from 'zod';
import { InteractionPolicy } from '../people/policy.ts';
import { AskedQuestion, GivenAnswer, SaidLine } from '../planning/asked-question.ts';
import { Gate } from '../planning/stages.ts';
import type { Pause } from '../planning/state.ts';
import { StorableText } from '../text.ts';
import { askedFor } from './asked.ts';

const tone = InteractionPolicy.shape.tone;
type Tone = InteractionPolicy['tone'];

/** The one thing a person is asked to do under a message. */
export const CallToAction = z.discriminatedUnion('kind', [
  /** Decide about a plan that is proposed. */
  z.object({ kind: z.literal('plan'), tone }),
  /** Decide about a plan whose versions were refused three times. */
  z.object({ kind: z.literal('review'), plan_id: z.string() }),
  z.object({ kind: z.literal('gate'), gate: Gate, tone }),
  z.object({ kind: z.enum(['rfc', 'budget', 'escalation']), tone }),
  /** Answer the questions. */
  z.object({ kind: z.literal('answer') }),
  /** Resume or cancel a plan that stands still. */
  z.object({ kind: z.literal('resume') }),
  /** Confirm an answer to a step. */
  z.object({ kind: z.literal('confirm') }),
  /** Decide about a change of a plan on its card. */
  z.object({ kind: z.literal('change') }),
  /** Say on the card what becomes of the steps on hold. */
  z.object({ kind: z.literal('finding') }),
]);
export type CallToAction = z.infer<typeof CallToAction>;

/** What a session that stands still asks a person to do. */
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
  /** Who decided; null: nobody did. */
  by: name,
});
export type Progress = z.infer<typeof Progress>;

/** A step that waits for a person, or of which only a person knows what became of it. */
const Task = z.object({
  ...plan,
  step_id: z.string(),
  /** What the step is called; left out of messages that are older than that. */
  label: z.string().exactOptional(),
  status: z.enum(['waiting', 'unknown']),
  who: name,
  /** null: it asks nothing in particular. */
  question: z.string().nullable(),
  /** What was called, in words. */
  call: z.string(),
  /** Hours it has waited, of a reminder. */
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
  /** `waited`: hours, of a reminder. `why`: of a change that was asked for here, the planner's sentence about it. */
  z.object({
    code: z.literal('change_waits'),
    ...plan,
    by: z.string(),
    reasons: z.array(z.string()),
    waited: z.number().nullable(),
    why: StorableText.exactOptional(),
  }),
  /** What was found wrong with a plan that is under way. `held`: steps on hold. `correcting`: the plan is being changed for it. */
  z.object({
    code: z.literal('problem_found'),
    ...plan,
    text: StorableText,
    held: z.int(),
    correcting: z.boolean(),
  }),
  /** To one person: a plan waits for them. `text`: the question, or what it is for; `link` leads to its card. */
  z.object({
    code: z.literal('asked'),
    ...plan,
    what: z.enum(askedFor),
    text: StorableText,
    by: z.string(),
    link: z.string().nullable(),
  }),
  z.object({ code: z.literal('plan_changed'), ...plan, by: z.string(), version: z.number() }),
  /** `by`: who took the changes back; null: they could not be made. */
  z.object({ code: z.literal('given_back'), ...plan, version: z.number(), by: name }),
  z.object({
    code: z.literal('undecided'),
    ...plan,
    /** It was sent back and has no new version yet. */
    sent_back: z.boolean(),
    days_left: z.number(),
  }),
  /** A word that comes close to a decision about a plan. `said`: the message. */
  z.object({
    code: z.literal('near_word'),
    ...plan,
    word: z.enum(['approve', 'reject', 'cancel', 'undo', 'change']),
    version: z.number(),
    started: z.boolean(),
    said: z.string(),
  }),
]);
export type Notice = z.infer<typeof Notice>;

const lines = z.array(SaidLine);
const questions = z.array(AskedQuestion);
const action = CallToAction.nullable();
const none = z.object({});

export const MessageParts = z.discriminatedUnion('kind', [
  /** A planner's answer, or why it plans nothing. `questions`: asked beside it; they keep nothing waiting. */
  z.object({ kind: z.literal('answer'), facts: z.object({ lines, questions }), action }),
  /** Questions that a run waits with; the cost of planning is asked about like that too. */
  z.object({
    kind: z.enum(['question', 'budget']),
    facts: z.object({ lines, questions }),
    action,
  }),
  /**
   * An outline, an order or a schedule; a new pattern; what does not fit into the time; a turn that came to nothing; an
   * answer to a step.
   */
  z.object({
    kind: z.enum(['gate', 'rfc', 'escalation', 'aborted', 'confirm']),
    facts: z.object({ lines }),
    action,
  }),
  z.object({
    kind: z.literal('proposal'),
    facts: z.object({
      plan_id: z.string(),
      version: z.number(),
      summary: StorableText,
      /** What a person should know before they decide. */
      notes: z.array(StorableText),
    }),
    action,
  }),
  z.object({ kind: z.literal('progress'), facts: Progress, action }),
  z.object({ kind: z.literal('task'), facts: Task, action }),
  z.object({ kind: z.literal('notice'), facts: Notice, action }),
  /**
   * What a person said. `answers`: to the questions that were open then. `rest`: what is left without words about how to
   * talk with them; null: there are none.
   */
  z.object({
    kind: z.literal('said'),
    facts: z.object({
      answers: z.array(GivenAnswer),
      rest: StorableText.nullable(),
      /** The person's own words, if the message quotes another. */
      typed: StorableText.exactOptional(),
    }),
    action: z.null(),
  }),
  /** How the person is talked with from now on. */
  z.object({
    kind: z.literal('preference'),
    facts: z.object({ confirmation: z.string() }),
    action: z.null(),
  }),
  /** Anything else, as the text says it. */
  z.object({ kind: z.literal('text'), facts: none, action }),
]);
export type MessageParts = z.infer<typeof MessageParts>;

/** Of a message that is its text and nothing else. */
export const textParts: MessageParts = { kind: 'text', facts: {}, action: null };

/** Of what a person says that answers no question, such as a decision. */
export const heardParts: MessageParts = {
  kind: 'said',
  facts: { answers: [], rest: null },
  action: null,
};

/** Parts as they are stored; null: there are none, or a newer version wrote them. */
export function readParts(stored: unknown): MessageParts | null {
  const parsed = MessageParts.safeParse(stored);
  return parsed.success ? parsed.data : null;
}
