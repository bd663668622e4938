// Where one command ends and the next begins: ends of sentences, lines, items of a list, semicolons and "then"; and the words
// around a command that say nothing but its order.
import { type Token, value } from './tokens.ts';

/** Tokens between two of those places. `follows`: it runs behind what was before it. */
export type Segment = {
  from: number;
  to: number;
  follows: boolean;
  /** The lines below "create list.md with:" are its text, up to the last mark. */
  block?: boolean;
};

const phrases = (words: string) => words.split('|').map((phrase) => phrase.split(' '));
/** In front of a command that comes after the one before it. */
const following = phrases(
  'and after that|after that|after this|and then|and finally|then|next|afterwards|finally|lastly|second|third|fourth|secondly|thirdly',
);
/** In front of any command. */
const openings = phrases(
  "and also|and|also|first|firstly|now|please|pls|kindly|hey there|hi there|hello there|hey|hi|hello|could you|can you|can u|would you|will you|i'd like you to|i would like you to|i want you to|i need you to|just|ok|okay|@ countersign|countersign|go ahead and|let's",
);

/** Behind these a full stop ends no sentence: "call Dr. Ruiz". */
const titles = /^(?:dr|mr|mrs|ms|prof|st)$/;

/** Ends of sentences, lines, semicolons and "then" always divide commands. */
export function splitSegments(tokens: readonly Token[], first: number): Segment[] {
  const segments: Segment[] = [];
  let [from, follows] = [first, false];
  const close = (to: number, next: number, before: boolean): void => {
    if (to > from) segments.push({ from, to, follows });
    [from, follows] = [next, before];
  };
  for (let at = first; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const next = tokens[at + 1];
    if (token.kind === 'line') {
      if (opensBlock(tokens, from, at))
        return [...segments, { from, to: tokens.length, follows, block: true }];
      // Bulleted lines stand beside each other; numbered and plain ones follow each other.
      const bulleted = next?.kind === 'item' && !/\d/.test(next.value);
      close(at, at + 1, !bulleted && segments.length + (at > from ? 1 : 0) > 0);
    } else if (token.kind === 'item') {
      if (at > from) close(at, at, /\d/.test(token.value));
      from = at + 1;
      if (!/\d/.test(token.value)) follows = false;
    } else if (token.text === ';') close(at, at + 1, true);
    else if (/^[.!?]$/.test(token.text) && token.kind === 'mark') {
      if (next === undefined || next.kind === 'line') continue;
      const short = token.text === '.' && titles.test(value(tokens[at - 1]));
      if (next.start > token.end && !short) close(at, at + 1, true);
    } else if (token.value === 'then' && token.kind === 'word') {
      const joint = ['and', ','].includes(value(tokens[at - 1])) ? 1 : 0;
      const comma =
        joint === 1 && value(tokens[at - 1]) === 'and' && value(tokens[at - 2]) === ',' ? 1 : 0;
      if (at - joint - comma > from) close(at - joint - comma, at + 1, true);
    }
  }
  close(tokens.length, tokens.length, false);
  return segments;
}

/** "Create list.md with:" and an end of line: what follows is its text, unless a command may be among it. */
function opensBlock(tokens: readonly Token[], from: number, at: number): boolean {
  const last = tokens[at - 1];
  const before = tokens[at - 2];
  const marks = /^(?:saying|containing|with|content|text)$/;
  const opens =
    last?.text === ':'
      ? before?.kind === 'path' || marks.test(value(before))
      : marks.test(value(last));
  const isWrite = tokens
    .slice(from, at)
    .some(
      ({ kind, value: word }) =>
        kind === 'word' && /^(?:create|make|write|save|put|add|append)$/.test(word),
    );
  return opens && isWrite;
}

export function trimLines(tokens: readonly Token[], from: number, given: number): number {
  let to = given;
  while (to > from && tokens[to - 1]?.kind === 'line') to -= 1;
  return to;
}

/** Without the marks that end a sentence, and thanks behind a comma. */
export function trimEnd(tokens: readonly Token[], from: number, given: number): number {
  let to = given;
  const is = (back: number, ...words: string[]) => words.includes(value(tokens[to - back]));
  for (let round = 0; round < 6 && to > from; round += 1) {
    if (is(1, '.', '!', '?', ',', ';') && tokens[to - 1]?.kind === 'mark') to -= 1;
    else if (tokens[to - 1]?.kind === 'line') to -= 1;
    else if (is(1, 'please', 'pls', 'thanks', 'cheers') && is(2, ',')) to -= 2;
    else if (is(1, 'you') && is(2, 'thank') && is(3, ',')) to -= 3;
    else if (is(1, 'lot') && is(2, 'a') && is(3, 'thanks') && is(4, ',')) to -= 4;
    else if (is(1, 'please', 'pls') && /^(?:path|quote|url)$/.test(tokens[to - 2]?.kind ?? ''))
      to -= 1;
    else break;
  }
  return to;
}

/** Polite words and words of order before a command. */
export function skipOpening(
  tokens: readonly Token[],
  from: number,
  to: number,
): { at: number; ordered: boolean } {
  let [at, ordered] = [from, false];
  const starts = (words: string[]) =>
    at + words.length < to && words.every((word, k) => value(tokens[at + k]) === word);
  for (let round = 0; round < 12; round += 1) {
    const order = following.find(starts);
    const words = order ?? openings.find(starts);
    const isMark = /^[,!.:]$/.test(value(tokens[at])) && at + 1 < to;
    if (words === undefined && !(at > from && isMark)) break;
    at += words?.length ?? 1;
    ordered ||= order !== undefined;
  }
  return { at, ordered };
}
