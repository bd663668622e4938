// Reads words about how to talk and ask: "be brief today", "ask me nothing", "walk me through it". They count only on their own,
// never inside a task: "write a brief note" changes nothing.
import { defaultPolicy, type PolicyOverride, type PolicyWish } from '#domain/people/policy.ts';
import { listOf } from '#domain/words.ts';
import { type Phrase, readPhrase } from './policy-phrases.ts';
import { restoreQuotes, shield } from './quoted-parts.ts';

/** Words about style stand at the beginning or the end; what is longer is a text of its own. */
const pieceAtMost = 160;
const separator = /(\s*[.!?;]+(?=\s|$)\s*|\s*\n+\s*|\s+[–—-]\s+|:\s+|,\s+)/;
/** Words that say how long it holds; alone, they belong to what follows. */
const alone =
  /^(?:always|from now on|going forward|henceforth|in (?:the )?future|by default|generally|in general|today|for today|for now|this time|from here on|please|ok(?:ay)?|hey|hi|hello|thanks|thank you)$/i;
/** From here on words may be text that somebody wants written, word for word. */
const dictates =
  /\b(?:saying|says?|containing|contains?|reading|reads|with the (?:text|content|words|message|body|following)|text|content|post|announce|tell|message|remind|(?:note|jot|write) (?:down|that)|titled|called|named|subject)\b|:\s*$/gi;
/** What comes of it is a text, and words about style may be about that. */
const composes =
  /\b(?:write|draft|compose|summari[sz]e|rewrite|translate|describe|explain|prepare)\b/i;

type Piece = { words: string; separator: string };

function cut(text: string): Piece[] {
  const parts = text.split(separator);
  const pieces: Piece[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    pieces.push({ words: (parts[at] ?? '').trim(), separator: parts[at + 1] ?? '' });
  }
  while (pieces.length > 1 && pieces.at(-1)?.words === '') pieces.pop();
  return pieces;
}

function join(pieces: Piece[]): string {
  return pieces.map((piece) => piece.words + piece.separator).join('');
}

type Read = { phrases: Phrase[]; lasting: boolean };

/** A piece that is style and nothing else, "be brief and friendly" included. */
function readPiece(words: string, followsStyle: boolean): Read | null {
  if (words.length > pieceAtMost) return null;
  const whole = readPhrase(words, followsStyle);
  if (whole !== null) return { phrases: [whole.phrase], lasting: whole.lasting };
  const parts = words.split(/\s+(?:and|but)\s+(?:also\s+)?/i);
  if (parts.length < 2 || parts.length > 4) return null;
  const read: Read = { phrases: [], lasting: false };
  for (const [index, part] of parts.entries()) {
    const one = readPhrase(part, followsStyle || index > 0);
    if (one === null) return null;
    read.phrases.push(one.phrase);
    read.lasting ||= one.lasting;
  }
  return read;
}

/** Takes style off the beginning. @returns what was read, and the pieces that are left */
function readLead(pieces: Piece[]): { read: Read; rest: Piece[] } {
  const read: Read = { phrases: [], lasting: false };
  let taken = 0;
  let announced = false;
  for (const [index, { words, separator: after }] of pieces.entries()) {
    if (words === '' || (alone.test(words) && index < pieces.length - 1)) {
      announced ||= lastingWords.test(words);
      continue;
    }
    const one = readPiece(words, read.phrases.length > 0);
    if (one !== null) {
      read.phrases.push(...one.phrases);
      read.lasting ||= one.lasting || announced;
      taken = index + 1;
      continue;
    }
    // "be brief and create a.txt"
    const joined = /^(.+?)\s+and\s+(?:then\s+)?(.+)$/i.exec(words);
    const head = joined?.[1] === undefined ? null : readPiece(joined[1], read.phrases.length > 0);
    if (head !== null && joined?.[2] !== undefined && isTask(joined[2])) {
      read.phrases.push(...head.phrases);
      read.lasting ||= head.lasting || announced;
      return { read, rest: [{ words: joined[2], separator: after }, ...pieces.slice(index + 1)] };
    }
    break;
  }
  return { read, rest: pieces.slice(taken) };
}

const lastingWords = /\b(?:always|from now on|going forward|henceforth|future|by default|general)/i;

/** "be brief and to the point" goes on about style; "be brief and move a.txt" begins a task. */
function isTask(words: string): boolean {
  return /\s/.test(words.trim());
}

/** Takes style off the end, where no text is being dictated. */
function readTail(pieces: Piece[]): { read: Read; rest: Piece[] } {
  const read: Read = { phrases: [], lasting: false };
  let rest = pieces;
  for (;;) {
    const last = rest.at(-1);
    if (last === undefined) break;
    const before = rest.slice(0, -1);
    const sentence = /[.!?;\n]/.test(before.at(-1)?.separator ?? '');
    const open = dictatesOpenly(join(before));
    const one = before.length === 0 || open ? null : readPiece(last.words, false);
    const aboutUs = sentence && !composes.test(join(before));
    const fits = one?.phrases.every(
      ({ tail }) => tail === 'clause' || (tail === 'sentence' && aboutUs),
    );
    if (one !== null && fits === true) {
      read.phrases.unshift(...one.phrases);
      read.lasting ||= one.lasting;
      rest = before;
      continue;
    }
    // "move a.txt to b/ and walk me through it"
    const joined = /^(.+?)\s*,?\s+(?:and|but)\s+((?:(?!\s+(?:and|but)\s+).)+)$/i.exec(last.words);
    const tail = joined?.[2] === undefined ? null : readPiece(joined[2], false);
    if (
      joined?.[1] === undefined ||
      tail === null ||
      dictatesOpenly(`${join(before)}${joined[1]}`) ||
      !tail.phrases.every((phrase) => phrase.tail === 'clause')
    )
      break;
    read.phrases.unshift(...tail.phrases);
    read.lasting ||= tail.lasting;
    rest = [...before, { words: joined[1], separator: last.separator }];
    break;
  }
  return { read, rest };
}

/** Unquoted words follow a word such as "saying": what comes next may be part of them. */
function dictatesOpenly(text: string): boolean {
  const found = [...text.matchAll(dictates)].at(-1);
  if (found === undefined) return false;
  const after = text.slice(found.index + found[0].length).trim();
  // Quoted text has its own end.
  return !/^(?:that\s+)?[\uE000-\uF8FF][\s.,;!]*$/u.test(after) && !endsWithQuote(text);
}

function endsWithQuote(text: string): boolean {
  return /[\uE000-\uF8FF](?:\s+(?:to|in|into|as)\s+\S+)?[\s.,;!]*$/u.test(text);
}

function readPhrases(text: string): PolicyWish | null {
  const { text: hidden, quotes } = shield(text);
  const lead = readLead(cut(hidden.trim()));
  const tail = readTail(lead.rest);
  const phrases = [...lead.read.phrases, ...tail.read.phrases];
  if (phrases.length === 0) return null;
  const rest = restoreQuotes(join(tail.rest), quotes)
    .replace(/^[\s,;:.–—-]+/, '')
    .replace(/[\s,;:–—-]+$/, '');
  const lasting = lead.read.lasting || tail.read.lasting;
  const override = mergePhrases(phrases);
  return {
    override,
    lasting,
    confirmation: confirm(phrases, override, lasting),
    rest,
    settlesQuestions: override.probing_depth === 0 || override.autonomy === 'high',
  };
}

/** Later words win. */
function mergePhrases(phrases: Phrase[]): PolicyOverride {
  return Object.assign({}, ...phrases.map(({ sets }) => sets));
}

function confirm(phrases: Phrase[], override: PolicyOverride, lasting: boolean): string {
  const said = phrases
    .filter((phrase, index) => {
      // What later words have changed again is not said.
      const later = new Set(phrases.slice(index + 1).flatMap(({ sets }) => Object.keys(sets)));
      return Object.keys(phrase.sets).some((slider) => !later.has(slider));
    })
    .map(({ says }) => says);
  const when = lasting ? 'From now on' : 'In this conversation';
  const limit = override.autonomy === 'high' ? '; a plan still waits for your approval' : '';
  return `${when} I ${listOf([...new Set(said)])}${limit}.`;
}

/** What an answer to the question of style sets; null: it says something else. */
export function readStyleAnswer(answer: string): PolicyOverride | null {
  const words = answer
    .toLowerCase()
    .replace(/[.!,;]+/g, ' ')
    .replace(
      /\b(?:please|be|the|i|prefer|like|rather|would|d|one|option|more|always|a|bit|answers?|replies)\b/g,
      ' ',
    )
    .replace(/[’'\s]+/g, ' ')
    .trim();
  if (/^(?:concise|brief|short|shorter|first|1|terse|to point)$/.test(words))
    return { conversation_style: 'concise', talkativeness: 0.3 };
  if (
    /^(?:conversational|chatty|talkative|second|2|longer|detailed|friendly|explanations?|details?|reasoning)$/.test(
      words,
    )
  )
    return { conversation_style: 'conversational', talkativeness: 0.7 };
  if (
    /^(?:either|both|whatever|(?:don ?t|do not) (?:care|mind)|no preference|normal|standard|neither|as usual)$/.test(
      words,
    )
  )
    return { conversation_style: defaultPolicy.conversation_style };
  return null;
}

/** The answer to the question of style as a wish that holds for good; null: it says something else. */
export function readStyleReply(answer: string): PolicyWish | null {
  const override = readStyleAnswer(answer);
  if (override === null) return null;
  const said = {
    concise: 'keep it brief',
    standard: 'talk as usual',
    conversational: 'talk more freely',
    coach: 'explain each step as we go',
  }[override.conversation_style ?? defaultPolicy.conversation_style];
  return {
    override,
    lasting: true,
    confirmation: `From now on I ${said}.`,
    rest: '',
    settlesQuestions: false,
  };
}

/** A number may as well pick one of the things that stand beside the question of style. */
const bareNumber = /^\W*(?:the\s+)?(?:option\s+)?(?:\d|first|second|one|two)\W*(?:one)?\W*$/i;

/** The answer to the question of style, where that was asked: the whole reply, or one line of several. */
function readStyleAmong(text: string, alone: boolean): PolicyWish | null {
  const whole = alone || !bareNumber.test(text) ? readStyleReply(text) : null;
  if (whole !== null) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  for (const [index, line] of lines.entries()) {
    const read = readStyleReply(line.replace(/^\s*(?:[-•*]|\d+[.)])\s+/, ''));
    if (read !== null) return { ...read, rest: lines.toSpliced(index, 1).join('\n') };
  }
  return null;
}

/**
 * What `text` says about how to talk and ask, and what it asks for besides; null: nothing about it.
 * @param styleAsked whether the bot has just asked for the style: beside something else, or alone
 */
export function readPolicyWish(
  text: string,
  styleAsked: 'no' | 'beside' | 'alone' = 'no',
): PolicyWish | null {
  const answer = styleAsked === 'no' ? null : readStyleAmong(text, styleAsked === 'alone');
  return answer ?? readPhrases(text);
}
