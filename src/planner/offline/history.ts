// Puts an answer together with the request it belongs to. Nothing is remembered: both stand in the conversation.
import type { Utterance } from '#contracts/run.ts';
import { readPolicyWords, readStyleReply, styleQuestion } from '../policy/words.ts';
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { findPaths } from './paths.ts';
import { findQuestions } from './questions.ts';
import { shield } from './shield.ts';

export type Conversation = {
  /** The request that is still open, or the new one. */
  text: string;
  answers: Map<string, string>;
  /** Paths that were last spoken of before this request. */
  paths: string[];
  /** The person takes the request back. */
  withdrawn: boolean;
};

const withdrawal =
  /^(?:never\s?mind|forget (?:it|that|about it)|cancel(?: (?:it|that))?|drop it|leave it|no,? thanks?|abort)[.!]*$/i;

export function mergeHistory(text: string, history: Utterance[]): Conversation {
  const before = history.filter((item) => item.text.trim() !== '');
  // Some callers put the new message into the history as well.
  if (before.at(-1)?.author === 'person' && before.at(-1)?.text.trim() === text.trim())
    before.pop();
  const said = leaveOutStyle(before);
  // "Ask me nothing" answers none of the questions that are open: what was asked for is read again without.
  if (readPolicyWords(text)?.rest === '') {
    const asked = said.at(-1);
    const request = said.at(-2);
    if (asked?.author === 'bot' && request?.author === 'person')
      return mergeHistory(request.text, said.slice(0, -2));
  }
  const pairs: { questions: string[]; answer: string }[] = [];
  let current = text;
  let end = said.length;
  for (;;) {
    const bot = said[end - 1];
    const person = said[end - 2];
    const asked = bot?.author === 'bot' ? findQuestions(bot.text) : [];
    if (asked.length === 0 || person?.author !== 'person') break;
    if (pairs.length === 0 && startsAnew(current, asked)) break;
    pairs.unshift({ questions: asked, answer: current });
    current = person.text;
    end -= 2;
  }
  const answers = new Map<string, string>();
  for (const { questions, answer } of pairs) assignAnswers(questions, answer, answers);
  const withdrawn = pairs.length > 0 && withdrawal.test(text.trim());
  return { text: current, answers, paths: findEarlierPaths(said.slice(0, end)), withdrawn };
}

/** What is longer is no word about style. */
const styleAtMost = 2000;
const confirmation = /^(?:From now on|In this conversation) I /;

/** What was said without words about how to talk, and without what the bot said to them. */
function leaveOutStyle(said: Utterance[]): Utterance[] {
  return said.flatMap((item, index) => {
    if (item.text.length > styleAtMost) return [item];
    if (item.author === 'bot') return confirmation.test(item.text) ? [] : [item];
    const asked = said[index - 1];
    const style = asked?.author === 'bot' && asked.text.includes(styleQuestion);
    const wish = (style ? readStyleReply(item.text) : null) ?? readPolicyWords(item.text);
    if (wish === null) return [item];
    return wish.rest === '' ? [] : [{ ...item, text: wish.rest }];
  });
}

/** A whole instruction about a file is a new request, not the answer to a question about text. */
function startsAnew(text: string, asked: string[]): boolean {
  const { text: hidden, quotes } = shield(text.trim());
  if (asked.some((question) => /^(?:I plan fixed steps|I didn't understand)/.test(question)))
    return false;
  const lead = readLeadVerb(stripPoliteness(hidden));
  if (!lead?.known || hidden.length > 300) return false;
  if (
    !/^(?:create|write|make|delete|remove|move|rename|copy|remind|list|read|show|post|ask)$/.test(
      lead.verb,
    )
  )
    return false;
  const paths = findPaths(lead.rest, { text: hidden, quotes });
  return (
    paths.some((path) => !path.quoted) ||
    /^(?:remind me|list the|show me|post\s+[\uE000-\uF8FF])/i.test(hidden)
  );
}

/** Several questions: one line each, else the first takes all of it. */
function assignAnswers(questions: string[], answer: string, answers: Map<string, string>): void {
  const lines = answer
    .split('\n')
    .map((line) => line.trim().replace(/^(?:[-•*]|\d+[.)])\s+/, ''))
    .filter((line) => line !== '');
  questions.forEach((question, index) => {
    const own =
      questions.length > 1 && lines.length >= questions.length
        ? lines[index]
        : index === 0
          ? answer
          : undefined;
    if (own !== undefined) answers.set(question, own);
  });
}

/** Only the last thing the person said counts: "it" rarely reaches further. */
function findEarlierPaths(said: Utterance[]): string[] {
  const last = said.findLast((item) => item.author === 'person');
  if (!last || last.text.length > 2000) return [];
  const shielded = shield(last.text);
  const paths = findPaths(shielded.text, shielded)
    .map((item) => item.path)
    .filter((path) => !path.endsWith('/'));
  return paths.slice(-1);
}
