// A planner's message and questions, and matching of answers.
import { z } from 'zod';
import { MemoryNote } from '../people/memory.ts';
import { PolicyOverride } from '../people/policy.ts';
import { line, StorableText } from '../text.ts';

/** Other answers are allowed too. */
export const AnswerOption = z.object({
  text: line(80),
  recommended: z.literal(true).exactOptional(),
});
export type AnswerOption = z.infer<typeof AnswerOption>;

/** Notes in their words, or preferences, stored on agreement. */
const Keep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('notes'), notes: z.array(MemoryNote) }),
  z.object({ kind: z.literal('policy'), override: PolicyOverride, lasting: z.boolean() }),
]);

/** Answers are stored under `id`. */
export const AskedQuestion = z.object({
  id: line(200),
  text: StorableText,
  options: z.array(AnswerOption).max(4).exactOptional(),
  keep: Keep.exactOptional(),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

export const offersQuestionId = 'offers';

/** Asked once per person. */
export const styleQuestionId = 'style';

/** `on_card`: also on the session's card. */
export const MessageLine = z.strictObject({
  text: StorableText,
  on_card: z.boolean().exactOptional(),
});
export type MessageLine = z.infer<typeof MessageLine>;

export function joinLines(lines: MessageLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

export function askedQuestion(text: string, id: string | null = null): AskedQuestion {
  return { id: id ?? text.trim().slice(0, 200), text };
}

export const GivenAnswer = z.object({ question_id: line(200), text: StorableText });
export type GivenAnswer = z.infer<typeof GivenAnswer>;

/** An option's number, alone or before its text; else the text. */
function pick({ options = [] }: AskedQuestion, text: string): string {
  const [, number, rest = ''] = /^(\d+)[.)]?(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  const option = options[Number(number) - 1]?.text;
  return option !== undefined && (rest === '' || rest === option) ? option : text;
}

/** To a question by its number, as its buttons do: `2: tomorrow`. */
const numbered = /^(\d+):[ \t]+(\S[^\n]*)$/;

export const answerTo = (place: number, text: string): string => `${place + 1}: ${text}`;

/** Line by line if counts match, else to the question with that number or choice, or the first. */
export function assignAnswers(questions: AskedQuestion[], text: string): GivenAnswer[] {
  const [, place, given = ''] = numbered.exec(text.trim()) ?? [];
  const question = questions.length > 1 ? questions[Number(place) - 1] : undefined;
  if (question !== undefined) return [{ question_id: question.id, text: pick(question, given) }];
  const lines = text
    .split('\n')
    .map((one) => one.trim().replace(/^(?:[-•*]|\d+[.:)])\s+/, ''))
    .filter((one) => one !== '');
  const each = questions.length > 1 && lines.length >= questions.length;
  // A choice answers its question, wherever it is.
  const [, number, named] = /^(\d+)[.)]\s+(.*)$/s.exec(text.trim()) ?? [];
  const isChoice = ({ options = [] }: AskedQuestion) =>
    options.some((one) => one.text === text.trim()) ||
    (named !== undefined && options[Number(number) - 1]?.text === named);
  const meant = Math.max(0, questions.findIndex(isChoice));
  return questions.flatMap((question, index) => {
    const own = each ? lines[index] : index === meant ? text.trim() : undefined;
    return own === undefined || own === ''
      ? []
      : [{ question_id: question.id, text: pick(question, own) }];
  });
}
