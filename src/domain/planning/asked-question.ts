// A planner's message line by line, its questions, and which part of an answer belongs to which question.
import { z } from 'zod';
import { MemoryNote } from '../people/memory.ts';
import { PolicyOverride } from '../people/policy.ts';
import { line, StorableText } from '../text.ts';

/** An answer that is offered with a question. Any other is as good. */
export const AnswerOption = z.object({
  text: line(80),
  recommended: z.literal(true).exactOptional(),
});
export type AnswerOption = z.infer<typeof AnswerOption>;

/** Kept if the person agrees: notes in their words, or preferences. */
const Keep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('notes'), notes: z.array(MemoryNote) }),
  z.object({ kind: z.literal('policy'), override: PolicyOverride, lasting: z.boolean() }),
]);

/** A question and the name under which its answer is kept. Rewording it does not change its id. */
export const AskedQuestion = z.object({
  id: line(200),
  text: StorableText,
  options: z.array(AnswerOption).max(4).exactOptional(),
  keep: Keep.exactOptional(),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

/** The question that puts ideas or options before a person, who picks one. */
export const offersQuestionId = 'offers';

/** The question how a person likes to be talked with, asked once. */
export const styleQuestionId = 'style';

/** A line of what a planner says. `on_card`: the card of its session shows it too. */
export const SaidLine = z.strictObject({
  text: StorableText,
  on_card: z.boolean().exactOptional(),
});
export type SaidLine = z.infer<typeof SaidLine>;

/** The text of lines. */
export function joinLines(lines: SaidLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

/** A question with its id; without one of its own, its words are the id. */
export function askedQuestion(text: string, id: string | null = null): AskedQuestion {
  return { id: id ?? text.trim().slice(0, 200), text };
}

/** What a person's message says to one of the questions that were open when it was written. */
export const GivenAnswer = z.object({ question_id: line(200), text: StorableText });
export type GivenAnswer = z.infer<typeof GivenAnswer>;

/** What a number says to a question with options, alone or before the option it stands for; anything else is what it says. */
function pick({ options = [] }: AskedQuestion, text: string): string {
  const [, number, rest = ''] = /^(\d+)[.)]?(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  const option = options[Number(number) - 1]?.text;
  return option !== undefined && (rest === '' || rest === option) ? option : text;
}

/** A person's answers to open questions: one line each where there are as many lines, else all of it to the first, or to the one it is a choice of. */
export function assignAnswers(questions: AskedQuestion[], text: string): GivenAnswer[] {
  const lines = text
    .split('\n')
    .map((one) => one.trim().replace(/^(?:[-•*]|\d+[.)])\s+/, ''))
    .filter((one) => one !== '');
  const each = questions.length > 1 && lines.length >= questions.length;
  // One of the choices of a question is about that question, wherever it stands.
  const isChoice = ({ options = [] }: AskedQuestion) =>
    options.some((one) => one.text === text.trim());
  const meant = Math.max(0, questions.findIndex(isChoice));
  return questions.flatMap((question, index) => {
    const own = each ? lines[index] : index === meant ? text.trim() : undefined;
    return own === undefined || own === ''
      ? []
      : [{ question_id: question.id, text: pick(question, own) }];
  });
}
