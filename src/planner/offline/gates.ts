// What waits for a person: "delete a.txt only after Ana has confirmed". The person is asked first; what was asked for runs
// after a Yes. Works on shielded text, sentence by sentence; what it cannot read as a gate is left as it is.
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { pathPattern } from './paths.ts';
import { restoreQuotes, shield } from './shield.ts';

type Gate = {
  people: (string | null)[];
  question: string;
  /** Whether it is answered with Yes or No. */
  choice: boolean;
};

/** A stretch of a request: as it is, or behind a gate, with the answer it needs (null: any). */
export type Piece =
  | { kind: 'plain'; text: string }
  | { kind: 'gate'; gate: Gate; about: string }
  | { kind: 'gated'; text: string; needs: 'Yes' | 'No' | null };

const notNames =
  '(?!(?:It|This|That|There|The|They|He|She|You|We|All|Every\\p{L}*|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\\b)';
const name = `${notNames}@?\\p{Lu}[\\p{L}\\p{N}_-]*(?:\\s\\p{Lu}[\\p{L}\\p{N}_-]+)?`;
const people = `(?:both\\s+)?${name}(?:\\s*,\\s*(?:and\\s+)?${name}|\\s+and\\s+${name})*`;
const has = '(?:both\\s+|all\\s+)?(?:(?:has|have|had)\\s+(?:both\\s+|all\\s+)?)?';
const object = '(?:\\s+(?:it|this|that|so|to\\s+it|on\\s+(?:it|this|that)))?';
const agree = `${has}(?:confirm(?:s|ed)?|approve[sd]?|agree[sd]?|accept(?:s|ed)?|sign(?:s|ed)?\\s+(?:it\\s+)?off|ok(?:ay)?(?:s|ed|['’]d)?|sa(?:ys?|id)\\s+(?:(?:that\\s+)?it['’]?s\\s+)?(?:ok|okay|OK|yes|so|go|fine)|(?:is|are)\\s+(?:ok|okay|fine|happy)(?:\\s+with\\s+(?:it|this|that))?|g(?:ave|ives?|iven)\\s+(?:(?:the|her|his|their|an?|me|us)\\s+)*(?:ok|okay|OK|go-?ahead|approval|green\\s+light|permission|consent))${object}`;
const reply = `${has}(?:repl(?:y|ies|ied)|answer(?:s|ed)?|respond(?:s|ed)?|(?:got|gets?|comes?|came|is|are)\\s+back(?:\\s+to\\s+(?:me|us|you))?)${object}`;
const word = `(?<people>${people})\\s+(?:(?<agree>${agree})|(?<reply>${reply}))`;
const approval = '(?:ok|okay|OK|approval|confirmation|go-?ahead|sign-?off|permission|consent)';
const theirs = `(?<people>${name})['’]s\\s+(?<agree>${approval})`;
const conjunction =
  '(?:after|once|when|if|as\\s+soon\\s+as|provided(?:\\s+that)?|assuming(?:\\s+that)?|on\\s+condition\\s+that|as\\s+long\\s+as)';
const hold =
  "(?:don['’]?t|do\\s+not)\\s+(?:do|start|begin|touch|change|run|delete|move)(?:\\s+(?:anything|a\\s+thing|yet|it))*\\s+(?:until|till|before|unless)";

const make = (pattern: string) => new RegExp(`^${pattern}$`, 'u');

const trailing = [
  make(`(?<body>[\\s\\S]+?)[,;]?\\s+(?:but\\s+|and\\s+)?(?:only\\s+)?${conjunction}\\s+${word}`),
  make(
    `(?<body>[\\s\\S]+?)[,;]?\\s+(?:but\\s+)?(?:only\\s+)?(?:with|after|upon|once\\s+(?:we|you)\\s+have)\\s+${theirs}`,
  ),
];
const leading = [
  make(
    `(?:only\\s+)?(?:${conjunction}|wait\\s+(?:until|till)|${hold})\\s+${word}\\s*(?:[,;.]|\\band\\b)\\s*(?:(?:and\\s+)?then\\b|after(?:\\s+that|wards))?,?\\s*(?<body>[\\s\\S]+)`,
  ),
  make(`(?:only\\s+)?(?:with|after)\\s+${theirs}\\s*,\\s*(?<body>[\\s\\S]+)`),
  make(
    `wait\\s+for\\s+(?<people>${people})\\s+to\\s+(?:(?<agree>${agree})|(?<reply>${reply}))\\s*(?:[,;.]|\\band\\b)\\s*(?:(?:and\\s+)?then\\b)?,?\\s*(?<body>[\\s\\S]+)`,
  ),
  make(
    `before\\s+(?:you\\s+)?(?<body>[^,;]+?),\\s*(?:please\\s+)?(?:ask|check\\s+with|get\\s+(?:the\\s+|an?\\s+)?${approval}\\s+(?:from|of))\\s+(?<people>${people})(?:\\s+(?:first|to\\s+confirm|for\\s+(?:an?\\s+|the\\s+)?${approval}))?(?<agree>)`,
  ),
];
const asked = make(
  `(?:ask|check\\s+with)\\s+(?<people>${people})\\s*,?\\s+(?<question>(?:whether|if)\\s[\\s\\S]+?)\\s*[;,.?]\\s*(?:and\\s+)?(?:if|when|once)\\s+(?:(?:s?he|they|it|so|not|the\\s+answer|${name})\\s*)(?:(?:says?|answers?|replies|is|does|do|agrees?|approves?|confirms?)\\s*)?(?<answer>[Yy]es|ok|okay|OK|[Nn]o)?\\s*,\\s*(?:then\\s+)?(?<body>[\\s\\S]+)`,
);
const task = make(
  `(?:ask|get|have|tell)\\s+(?<people>${people})\\s+(?:both\\s+|all\\s+)?(?:to\\s+)?(?<task>[^;]+?)\\s*[;,.]?\\s*(?:and\\s+)?(?:then\\s+)?(?:once|when|after|as\\s+soon\\s+as|if)\\s+(?:s?he|they|that|it|${name})\\s*(?:['’]s|has|have|does|do|did|is)(?:\\s+(?:done(?:\\s+(?:so|it|that))?|agreed|approved|confirmed|signed(?:\\s+off)?|finished))?\\s*,\\s*(?<body>[\\s\\S]+)`,
);
const taskBefore = make(
  `(?:have|get|let|ask|make\\s+sure)\\s+(?<people>${people})\\s+(?:both\\s+|all\\s+)?(?:to\\s+)?(?<task>[^;]+?)\\s+before\\s+(?:(?:you|we)\\s+)?(?<body>[\\s\\S]+)`,
);

const answered = make(
  `(?:ask|check\\s+with)\\s+(?<people>${people})\\s*,?\\s+(?<question>[\\s\\S]+?)\\s*[;,.?]?\\s+(?:and\\s+)?(?:then\\s+)?(?:after|once|when|as\\s+soon\\s+as)\\s+(?:s?he|they|${name})\\s+(?:${reply})\\s*,?\\s+(?!(?:yes|no|ok|okay)\\b)(?<body>[\\s\\S]+)`,
);

const approving = /^(?:approve|confirm|sign\s*off|agree|accept|ok|okay|give)\b/i;
const otherwise =
  /^([\s\S]+?)\s*[;,.]\s*(?:and\s+)?(?:otherwise|else|if\s+not|if\s+(?:s?he|they)\s+(?:says?|answers?)\s+no)\s*,?\s*([\s\S]+)$/i;

function startsWork(text: string): boolean {
  return readLeadVerb(stripPoliteness(text))?.known === true;
}

/** Whether the words end in text that somebody wants written, so that a condition behind them may be part of it. */
function isOpenText(body: string): boolean {
  const text = stripPoliteness(body);
  const closed = new RegExp(
    `[\\uE000-\\uF8FF}\\]]|https?://|\\s(?:to|in|into|as)\\s+${pathPattern}`,
    'u',
  ).test(text);
  if (/^remind\b/i.test(text)) return true;
  const speaks = /^(?:post|say|announce|tell|ask|notify|message|send|share|reply)\b/i.test(text);
  const dictates = /\b(?:saying|says?|containing|contains?|that|text|content)\s|:\s/i.test(text);
  return (speaks || dictates) && !closed;
}

function namesIn(text: string): (string | null)[] {
  return text
    .replace(/^both\s+/, '')
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/)
    .map((one) => one.replace(/^@/, '').trim())
    .map((one) => (one === 'I' ? null : one));
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const lower = (text: string) =>
  /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
const toSentence = (text: string) => `${upper(text.trim().replace(/[.?!,;]+$/, ''))}?`;

/** "Publish it to public/a.md" puts a copy there. */
const publishing = new RegExp(
  `^publish(?:ing)?(?=\\s+\\S+\\s+(?:to|in|into|as)\\s+${pathPattern})`,
  'iu',
);

function behind(gate: Gate, about: string, body: string, needs: 'Yes' | 'No' | null): Piece[] {
  const parts = needs === null ? null : otherwise.exec(body);
  const [main = body, other] = parts === null ? [body] : parts.slice(1);
  if (!startsWork(main) || (other !== undefined && !startsWork(other))) return [];
  const gated = (text: string, answer: typeof needs): Piece => ({
    kind: 'gated',
    text: stripPoliteness(text).replace(publishing, 'copy'),
    needs: answer,
  });
  return [
    { kind: 'gate', gate, about },
    gated(main, needs),
    ...(other === undefined ? [] : [gated(other, needs === 'Yes' ? 'No' : 'Yes')]),
  ];
}

/** One sentence as a gate and what stands behind it; empty: it has none. */
function readSentence(given: string): Piece[] {
  const bare = stripPoliteness(given).replace(/[.!?\s]+$/, '');
  const sentence = lower(bare);
  for (const [forms, isLeading] of [
    [leading, true],
    [trailing, false],
  ] as const) {
    for (const form of forms) {
      const found = form.exec(sentence)?.groups;
      const body = found?.body?.trim();
      if (found === undefined || body === undefined || found.people === undefined) continue;
      if (!isLeading && isOpenText(body)) continue;
      const choice = found.reply === undefined;
      const question = choice
        ? `May I ${lower(stripPoliteness(body))}?`
        : `Please reply, so that this can be done: ${lower(stripPoliteness(body))}.`;
      const pieces = behind(
        { people: namesIn(found.people), question, choice },
        body,
        body,
        choice ? 'Yes' : null,
      );
      if (pieces.length > 0) return pieces;
    }
  }
  const any = answered.exec(sentence)?.groups;
  if (any?.people !== undefined && any.question !== undefined && any.body !== undefined) {
    const words = any.question.replace(/^to\s+/, '');
    const isQuestion = words === any.question;
    const question = isQuestion ? toSentence(words) : upper(words.trim());
    const gate = { people: namesIn(any.people), question, choice: false };
    return behind(gate, any.question, any.body.trim(), null);
  }
  const said = asked.exec(sentence)?.groups;
  if (said?.people !== undefined && said.question !== undefined && said.body !== undefined) {
    const no = /^no$/i.test(said.answer ?? '') || /\b(?:if|when)\s+not\s*,/i.test(sentence);
    const gate = {
      people: namesIn(said.people),
      question: toSentence(said.question),
      choice: true,
    };
    return behind(gate, said.question, said.body.trim(), no ? 'No' : 'Yes');
  }
  const done = (task.exec(sentence) ?? taskBefore.exec(sentence))?.groups;
  if (done?.people !== undefined && done.task !== undefined && done.body !== undefined) {
    const choice = approving.test(done.task);
    const question = choice ? toSentence(done.task) : upper(done.task.trim());
    const gate = { people: namesIn(done.people), question, choice };
    return behind(gate, done.task, done.body.trim(), choice ? 'Yes' : null);
  }
  return [];
}

const item = /^\s*(?:\d{1,3}[.)]|[-*•–])\s+/;

/** The request in pieces, with what waits for a person behind its gate; null: nothing does, as far as can be read. */
export function readGates(text: string): Piece[] | null {
  const { text: shielded, quotes } = shield(text);
  const sentences = shielded
    .split(/\n+|(?<=[^\s\d][.!?])\s+(?=\S)/)
    .map((sentence) => sentence.replace(item, '').trim())
    .filter((sentence) => sentence !== '');
  const pieces: Piece[] = [];
  let found = false;
  for (let at = 0; at < sentences.length; at++) {
    const sentence = sentences[at] ?? '';
    const next = sentences[at + 1];
    const alone = readSentence(sentence);
    // "Ask Sam whether … . If he says yes, …" are two sentences and one gate.
    const joined =
      alone.length > 0 || next === undefined
        ? []
        : readSentence(`${sentence.replace(/[.!?]+$/, '')}. ${lower(next)}`);
    if (joined.length > 0) at++;
    const read = alone.length > 0 ? alone : joined;
    found ||= read.length > 0;
    pieces.push(...(read.length > 0 ? read : [{ kind: 'plain' as const, text: sentence }]));
  }
  if (!found) return null;
  const restore = (words: string) => restoreQuotes(words, quotes);
  return pieces.map((piece) =>
    piece.kind === 'gate'
      ? {
          ...piece,
          about: restore(piece.about),
          gate: { ...piece.gate, question: restore(piece.gate.question) },
        }
      : { ...piece, text: restore(piece.text) },
  );
}

const person = `${notNames}(?:@?\\p{Lu}[\\p{L}\\p{N}_-]*|I|s?he|they|we|every(?:one|body)|some(?:one|body)|the\\s+team)`;
const conditional = new RegExp(
  `\\b(?:[Oo]nly\\s+(?:after|if|when|once|with)\\b|[Uu]nless\\b|[Uu]ntil\\b|[Tt]ill\\b|[Pp]rovided\\b|[Aa]s\\s+long\\s+as\\b|[Ii]n\\s+case\\b|[Oo]therwise\\b|[Dd]epending\\s+on\\b|[Aa]ssuming\\b|[Aa]s\\s+soon\\s+as\\b|[Ii]f\\b|[Bb]efore\\s+(?:you|we)\\b|(?:[Oo]nce|[Aa]fter|[Ww]hen)\\s+${person}\\s+(?:both\\s+)?\\p{Ll})`,
  'gu',
);
const tailWords = 4;
const harmless =
  /^(?:if it (?:does not|doesn['’]t) exist|unless it (?:already )?exists|if (?:you (?:can|could|would|don['’]?t mind|please)|possible|that['’]?s ok|necessary|needed)|otherwise$)/i;
const dateAhead =
  /^(?:until|till)\s+(?:the\s+)?(?:end\s+of\s+)?(?:\d|(?:next|this|tomorrow|tonight|noon|midnight)\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)\p{L}*\b)/iu;

const limiting = /^(?:only|unless|provided|assuming|as long as)\b/i;

const normal = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * The first words of `text` that say a condition and are in none of `kept`: texts that steps write, and what was read
 * as an order or a time. null: none is lost.
 */
export function findLostCondition(text: string, kept: string[]): string | null {
  const { text: shielded, quotes } = shield(text);
  const known = kept.map(normal);
  for (const match of shielded.matchAll(conditional)) {
    const words =
      restoreQuotes(shielded.slice(match.index), quotes).split(/\n|(?<=[.!?])\s/, 1)[0] ?? '';
    if (harmless.test(words) || dateAhead.test(words)) continue;
    const first = normal(words.split(/\s+/).slice(0, tailWords).join(' '));
    // Set off by a comma it is about the instruction, even where the words before it are somebody's text.
    const isApart = /,\s*(?:but\s+)?$/.test(shielded.slice(0, match.index)) && limiting.test(words);
    if (!isApart && known.some((one) => one.includes(first))) continue;
    return words.slice(0, 80).replace(/[.,;!?\s]+$/, '');
  }
  return null;
}
