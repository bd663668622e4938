// Tells new requests from answers, by question IDs rather than text.
import { type AskedQuestion, assignAnswers } from '#domain/planning/asked-question.ts';
import type { PlanningRequest, Utterance } from '#domain/planning/run.ts';
import { trimTail } from '#domain/words.ts';
import { forms } from '../commands/forms.ts';
import { compile } from '../commands/match.ts';

export type Conversation = {
  text: string;
  answers: ReadonlyMap<string, string>;
  withdrawn: boolean;
};

const withdrawal =
  /^(?:never ?mind|cancel|forget it|drop it|i['’]ll narrow it down|(stop|no))[.!]*$/i;
const textSlots = new Set(
  forms.flatMap(({ spellings }) =>
    spellings
      .flatMap((one) => compile(one))
      .flatMap((one) =>
        one.kind === 'slot' && (one.type === 'text' || one.type === 'rest') ? [one.name] : [],
      ),
  ),
);

function withdraws(word: string, { id, options = [] }: AskedQuestion): boolean {
  const found = withdrawal.exec(word);
  const input = trimTail(word, /[.!]/).toLowerCase();
  const [kind = ''] = id.split(' ', 1);
  const isAnswer =
    (kind !== 'incomplete' && options.some((one) => one.text.toLowerCase() === input)) ||
    (found?.[1] !== undefined && (kind === 'argument' || textSlots.has(kind)));
  return found !== null && !isAnswer;
}

/** Only a new command answers this. */
export const unreadId = 'command';

/** @param isCommand whether a text is a whole command */
export function readConversation(
  { text, answers: given, history }: Pick<PlanningRequest, 'text' | 'answers' | 'history'>,
  isCommand: (text: string) => boolean,
  settled: boolean,
): Conversation {
  const before = history.filter((one) => one.text.trim() !== '');
  const answers = new Map<string, string>();
  let end = before.length;
  const open = questionsOf(before[end - 1]);
  const unread = open.filter(({ id }) => id === unreadId);
  let current: Pick<Utterance, 'text' | 'answers'> = {
    // An offered command may be named by its number.
    text: assignAnswers(unread, text)[0]?.text ?? text,
    ...(given === undefined ? {} : { answers: given }),
  };
  const isNew = open.length === 0 || unread.length > 0 || (!settled && isCommand(text));
  for (let first = true; !isNew; first = false) {
    const [asked, person] = [questionsOf(before[end - 1]), before[end - 2]];
    if (
      asked.length === 0 ||
      asked.some(({ id }) => id === unreadId) ||
      person?.author !== 'person'
    )
      break;
    const assigned = current.answers ?? assignAnswers(asked, current.text);
    if (!(first && settled))
      for (const { question_id, text: words } of assigned)
        if (!answers.has(question_id)) answers.set(question_id, words);
    current = person;
    end -= 2;
  }
  return {
    text: isNew ? joinUnanswered(before, current.text, isCommand) : current.text,
    answers,
    withdrawn: open[0] !== undefined && withdraws(text.trim(), open[0]),
  };
}

/** Consecutive unanswered commands are one request. */
function joinUnanswered(
  before: Utterance[],
  text: string,
  isCommand: (text: string) => boolean,
): string {
  const commands = before.flatMap((one) =>
    one.unanswered === true && isCommand(one.text) ? [one.text] : [],
  );
  const joined = [...commands, text].join('\n');
  return commands.length > 0 && isCommand(joined) ? joined : text;
}

const questionsOf = (utterance: Utterance | undefined) =>
  utterance?.author === 'bot' && utterance.kind === 'question' ? (utterance.questions ?? []) : [];
