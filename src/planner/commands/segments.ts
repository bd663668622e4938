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
const standAt = (tokens: readonly Token[], at: number, end: number) => (words: string[]) =>
  at + words.length <= end && words.every((word, k) => value(tokens[at + k]) === word);
/** In front of a command that comes after the one before it. */
const following = phrases(
  'and after that|after that|after this|and then|and finally|then|next|afterwards|finally|lastly|second|third|fourth|secondly|thirdly',
);
/** In front of a whole sentence. */
const interjections = phrases(
  'hey there|hi there|hello there|hey|hi|hello|oh|hm|hmm|so|thanks|ok|okay|@ countersign|countersign',
);
/** In front of any command. */
const openings = phrases(
  "and also|and|also|first|firstly|now|please|pls|kindly|could you|can you|can u|would you be so kind as to|would you|will you|i was wondering if you could|i'd like you to|i would like you to|i want you to|i need you to|i'd like to|i would like to|i want to|just|go ahead and|let's|while you're at it",
);
const thanks = phrases('please|pls|plz|thank you|thanks a lot|thanks|thx|cheers');
/** Between the words of a command. */
const courtesy = phrases('please|pls|plz|kindly|for me');
/** At the end of one. */
const closings = [...thanks, ...phrases('for me|at the moment|as well|too')];

/** Behind these a full stop ends no sentence: "call Dr. Ruiz". */
const titles = /^(?:dr|mr|mrs|ms|prof|st)$/;

/** Ends of sentences, lines, semicolons and "then" always divide commands. */
export function splitSegments(tokens: readonly Token[], first: number): Segment[] {
  const segments: Segment[] = [];
  let [from, follows] = [first, false];
  const waitsUntil = (at: number) => standAt(tokens, at, tokens.length)(['wait', 'until']);
  const close = (to: number, next: number, before: boolean): void => {
    if (to > from) segments.push({ from, to, follows });
    [from, follows] = [next, before];
  };
  for (let at = first; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const next = tokens[at + 1];
    const ends = token.kind === 'quote' && /[.!?].$/.test(token.text) && next?.kind === 'word';
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
    } else if (ends && next.start > token.end && /^\p{Lu}/u.test(next.text)) {
      // 'Ask Ana "Ready?" If she says yes, …': the mark is inside.
      close(at + 1, at + 1, true);
    } else if (token.value === 'then' && token.kind === 'word') {
      // "wait until 18:00 and then …" says when, and is no command of its own.
      if (waitsUntil(skipOpening(tokens, from, at).at)) continue;
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

/** Without the marks that end a sentence, and thanks behind a comma or a name. */
export function trimEnd(tokens: readonly Token[], from: number, given: number): number {
  let to = given;
  for (let round = 0; round < 6 && to > from; round += 1) {
    const last = tokens[to - 1];
    const words = thanks.find((one) => standAt(tokens, to - one.length, to)(one));
    const before = tokens[to - (words?.length ?? 0) - 1];
    const apart = value(before) === ',' || /^(?:path|quote|url|channel)$/.test(before?.kind ?? '');
    if (last?.kind === 'line' || (last?.kind === 'mark' && /^[.!?,;]$/.test(last.text))) to -= 1;
    else if (words !== undefined && apart) to -= words.length;
    else break;
  }
  return to;
}

/** Behind words that only say please, if there are any at `from`, between the words of a command or at its end. */
export function skipCourtesy(tokens: readonly Token[], from: number, end: number): number {
  const at = value(tokens[from]) === ',' ? from + 1 : from;
  const last = closings.filter(standAt(tokens, at, end)).find((one) => at + one.length === end);
  const words = last ?? courtesy.find(standAt(tokens, at, end));
  return words === undefined ? from : skipCourtesy(tokens, at + words.length, end);
}

/** Polite words and words of order before a command; at the beginning of a sentence, interjections too. */
export function skipOpening(
  tokens: readonly Token[],
  from: number,
  to: number,
  begins = false,
): { at: number; ordered: boolean } {
  let [at, ordered] = [from, false];
  for (let round = 0; round < 12; round += 1) {
    const starts = standAt(tokens, at, to - 1);
    const order = following.find(starts);
    const words =
      order ?? openings.find(starts) ?? (begins ? interjections.find(starts) : undefined);
    const isMark = /^[,!.:]$/.test(value(tokens[at])) && at + 1 < to;
    if (words === undefined && !(at > from && isMark)) break;
    at += words?.length ?? 1;
    ordered ||= order !== undefined;
  }
  return { at, ordered };
}
