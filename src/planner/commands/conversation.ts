// Which request a message belongs to: a new one, or the one whose questions it answers. Messages carry the ids of what was
// asked in them, so nothing is read out of the bot's own sentences.
import { assignAnswers } from '#domain/planning/asked-question.ts';
import type { PlanningRequest, Utterance } from '#domain/planning/run.ts';
import type { Asked } from './decide.ts';
import { tokenize } from './tokens.ts';

export type Conversation = Asked & {
  withdrawn: boolean;
};

const withdrawal =
  /^(?:no,? )?(?:never ?mind|forget (?:it|that)|cancel(?: (?:it|that))?|drop it|leave it|no,? thanks?|don['’]?t(?: do it)?|stop|abort)(?:,? (?:please|thanks))?[.!]*$/i;

/**
 * @param isCommand whether a text is a whole command by itself: it is a new request then, unless a command was asked for
 * @param settled the questions that are open count as answered, though nothing was said to them
 */
export function readConversation(
  { text, answers: given, history }: Pick<PlanningRequest, 'text' | 'answers' | 'history'>,
  isCommand: (text: string) => boolean,
  settled: boolean,
): Conversation {
  const before = history.filter((one) => one.text.trim() !== '');
  const answers = new Map<string, string>();
  let current: Pick<Utterance, 'text' | 'answers'> = {
    text,
    ...(given === undefined ? {} : { answers: given }),
  };
  let end = before.length;
  const open = questionsOf(before[end - 1]);
  const wantsCommand = open.some(({ id }) => id.startsWith('command '));
  const isNew = open.length === 0 || (!settled && !wantsCommand && isCommand(text));
  for (let first = true; !isNew; first = false) {
    const [asked, person] = [questionsOf(before[end - 1]), before[end - 2]];
    if (asked.length === 0 || person?.author !== 'person') break;
    const said = current.answers ?? assignAnswers(asked, current.text);
    if (!(first && settled))
      for (const { question_id, text: words } of said)
        if (!answers.has(question_id)) answers.set(question_id, words);
    current = person;
    end -= 2;
  }
  return {
    text: isNew ? joinUnanswered(before, current.text, isCommand) : current.text,
    answers,
    paths: findPaths(before.slice(0, end)),
    withdrawn: end < before.length && withdrawal.test(text.trim()),
  };
}

/** Commands that came one after the other before anything was said to the first of them are one request. */
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

function questionsOf(said: Utterance | undefined) {
  return said?.author === 'bot' && said.kind === 'question' ? (said.questions ?? []) : [];
}

/** What "it" may mean in a new request: the last file that the person's last message named. */
function findPaths(said: Utterance[]): string[] {
  const last = said.findLast(({ author }) => author === 'person');
  if (last === undefined || last.text.length > 2000) return [];
  const paths = tokenize(last.text).filter(
    ({ kind, value }) => kind === 'path' && !value.endsWith('/') && !value.includes('*'),
  );
  return paths.slice(-1).map(({ value }) => value);
}
