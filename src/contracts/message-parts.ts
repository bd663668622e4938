// What a message says, as data: its kind, its facts and the one thing it asks a person to do. `cards/` writes the text from
// this; nothing reads the text back. A message stored before messages had parts has none and is shown as its text.
import { z } from 'zod';
import { AskedQuestion, GivenAnswer } from './asked-question.ts';
import { Gate } from './planning/stages.ts';
import { InteractionPolicy } from './policy.ts';
import { StorableText } from './text.ts';

const tone = InteractionPolicy.shape.tone;

/** The one thing a person is asked to do under a message. */
export const CallToAction = z.discriminatedUnion('kind', [
  /** Decide about a plan that is proposed. */
  z.object({ kind: z.literal('plan'), tone }),
  /** Decide about a plan whose versions were refused three times. */
  z.object({ kind: z.literal('review'), plan_id: z.string() }),
  z.object({ kind: z.literal('gate'), gate: Gate, tone }),
  z.object({ kind: z.literal('rfc'), tone }),
  z.object({ kind: z.literal('budget'), tone }),
  z.object({ kind: z.literal('escalation'), tone }),
  /** Answer questions that were asked further up. */
  z.object({ kind: z.literal('answer') }),
]);
export type CallToAction = z.infer<typeof CallToAction>;

/** A line that a planner wrote. `on_card`: the card of its session shows it too. */
export const SaidLine = z.object({ text: StorableText, on_card: z.boolean().exactOptional() });
export type SaidLine = z.infer<typeof SaidLine>;

const none = z.object({});
const action = CallToAction.nullable();

export const MessageParts = z.discriminatedUnion('kind', [
  /** A planner's answer, or why it plans nothing. `questions`: asked beside it; they keep nothing waiting. */
  z.object({
    kind: z.literal('answer'),
    facts: z.object({ lines: z.array(SaidLine), questions: z.array(AskedQuestion) }),
    action,
  }),
  /** Questions that a run waits with; the cost of planning is asked about like that too. */
  z.object({
    kind: z.enum(['question', 'budget']),
    facts: z.object({ lines: z.array(SaidLine), questions: z.array(AskedQuestion) }),
    action,
  }),
  /** An outline, an order or a schedule; a new pattern; what does not fit into the time; a turn that came to nothing. */
  z.object({
    kind: z.enum(['gate', 'rfc', 'escalation', 'aborted']),
    facts: z.object({ lines: z.array(SaidLine) }),
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
  /**
   * What a person said. `answers`: to the questions that were open then. `rest`: what is left without words about how to
   * talk with them; null: there are none.
   */
  z.object({
    kind: z.literal('said'),
    facts: z.object({ answers: z.array(GivenAnswer), rest: StorableText.nullable() }),
    action: z.null(),
  }),
  /** How the person is talked with from now on. */
  z.object({ kind: z.literal('preference'), facts: none, action: z.null() }),
  /** Anything else, as the text says it. */
  z.object({ kind: z.literal('text'), facts: none, action }),
]);
export type MessageParts = z.infer<typeof MessageParts>;
export type MessageKind = MessageParts['kind'];

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
