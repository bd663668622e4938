// Splits a request into clauses, one instruction each, and keeps how they follow each other.
// A piece of text that somebody wants written is never taken apart, unless what follows is plainly an instruction.
import { type LeadVerb, prohibition, pronoun, readLeadVerb, stripPoliteness } from './lexicon.ts';
import { pathPattern } from './paths.ts';
import { sameAgain } from './same-again.ts';
import { markClass } from './shield.ts';

export type Clause = {
  /** Shielded text, without politeness. */
  text: string;
  /** `sequence`: after everything before it; `sibling`: beside the clause before it. */
  link: 'start' | 'sequence' | 'sibling';
  /** "…, but first …": it comes before what was said before it. */
  early?: boolean;
};

/** Verbs that operations of the manifest add to the planner's own. */
export type Verbs = ReadonlySet<string>;

type Cut = {
  start: number;
  end: number;
  link: 'sequence' | 'sibling';
  strength: 'strong' | 'weak' | 'sentence';
};

const strong =
  /\s*[,;.:–—-]?\s*\b(?:and|but)?\s*(?:then|after\s*(?:that|this|which|wards?)|subsequently|once\s+(?:that|this|it)(?:['’]s|\s+is)\s+done|when\s+(?:that|this|it)(?:['’]s|\s+is)\s+done|when\s+(?:done|finished)|as\s+(?:a|the)\s+(?:next|last|final)\s+step|(?:after|once|when|as\s+soon\s+as)\s+\p{L}+\s+(?:(?:has|have|had|is|are)\s+)?(?:answered|replied|confirmed|responded|finished|agreed|signed))\b\s*[,:]?\s*/giu;
const strongByPlace =
  /(?:[.,;]\s*(?:and\s+)?|\band\s+)(?:next|finally|lastly|in the end)\b\s*[,:]?\s*/gi;
const sentenceEnd = /(?:[.!?]+\s+|\s*\n+\s*|\s*;\s*)/g;
const weak =
  /(?:\s*,\s*(?:and\s+|but\s+|plus\s+)?|\s+(?:and|but|plus|as well as)\s+(?:also\s+)?|\s+&\s+)/gi;

/** After one of these words the rest is text, as long as no instruction plainly follows. */
const contentTail = new RegExp(
  `\\b(?:saying|says?|contains?|containing|reading|reads|with(?: the)? (?:text|contents?|words?|message|body|line)(?: of)?|content|text|with)\\b:?\\s+(?![${markClass}]\\s*$)\\S|${pathPattern}\\s*:\\s+\\S`,
  'iu',
);
/** "If a.txt exists, delete it" is one clause. */
const opensCondition =
  /^(?:if|unless|when|whenever|as soon as|until|while|in case|once|before|provided)\b(?![\s\S]*[,;]\s*\p{L}+\s)/iu;
/** "On Friday at 5pm, move …": says when or where, and is nothing without what follows. */
const opensCircumstance =
  /^(?:(?:on|at|in|by|after|from|every|each|next|this|starting)\s|(?:tomorrow|today|tonight|noon|midnight|mon|tues|wednes|thurs|fri|satur|sun|daily|weekly)(?:day)?\b)[^.;\n]{0,60}$/i;
const circumstance =
  /^(?:(?:in|after)\s+\S+\s+(?:seconds?|minutes?|mins?|hours?|days?|weeks?)|(?:tomorrow|today|tonight|on\s+\p{Lu}\p{L}+)(?:\s+at\s+\S+)?|at\s+\d\S*(?:\s*[ap]m)?)\s*,?\s+/iu;
/** Text for people: a reminder, a message or a question runs on to the next sentence. */
const personTail =
  /^(?:remind|tell|ask|announce|post|notify|say|message|ping|send|note|assign|have)\b/i;

export function splitClauses(shieldedText: string, verbs: Verbs): Clause[] {
  const clauses: Clause[] = [];
  for (const part of splitLists(shieldedText)) {
    splitFlow(part.text, verbs).forEach((clause, index) => {
      const text = stripPoliteness(clause.text.replace(/^[\s,;:]+|[\s,;]+$/g, ''));
      if (/^[\s.,;:!?]*$/.test(text)) return;
      const link = index === 0 ? part.link : clause.link;
      const early =
        index > 0 && /^[\s,;:]*(?:but\s+)?(?:first|before that|beforehand)\b/i.test(clause.text);
      clauses.push({
        text: early ? text.replace(/^(?:before that|beforehand)\s*,?\s*/i, '') : text,
        link: clauses.length === 0 ? 'start' : link,
        ...(early ? { early } : {}),
      });
    });
  }
  return clauses;
}

type Part = { text: string; link: 'sequence' | 'sibling' };

const itemStart = /^\s*(?:(\d{1,3})[.)]|[-*•–])\s+/;

/** Takes numbered and bulleted lists apart. Items without a verb take the one of the line above them. */
function splitLists(text: string): Part[] {
  const lines = text
    .replace(/\s+(?=(?:[2-9]|1\d)[.)]\s+\p{L})/gu, startsNumbered(text) ? '\n' : '$&')
    .split('\n');
  if (!lines.some((line) => itemStart.test(line))) return [{ text, link: 'sequence' }];
  const parts: Part[] = [];
  let intro = '';
  for (const line of lines) {
    const item = line.match(itemStart);
    if (!item) {
      const introduces = /:\s*$/.test(line);
      if (introduces) intro = line.replace(/\s*:\s*$/, '');
      else if (line.trim() !== '') parts.push({ text: line, link: 'sequence' });
      continue;
    }
    const body = line.slice(item[0].length);
    const lead = readLeadVerb(stripPoliteness(body));
    const verb = readLeadVerb(stripPoliteness(intro));
    parts.push({
      text: lead || !verb ? body : `${verb.verb} ${body}`,
      link: item[1] === undefined ? 'sibling' : 'sequence',
    });
  }
  return parts;
}

function startsNumbered(text: string): boolean {
  return /(?:^|[:\n])\s*1[.)]\s+\p{L}/u.test(text);
}

type Piece = { text: string; link: 'sequence' | 'sibling' };

function splitFlow(text: string, verbs: Verbs): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let link: 'sequence' | 'sibling' = 'sequence';
  for (const cut of findCuts(text)) {
    if (cut.start < start) continue;
    const left = text.slice(start, cut.start);
    if (left.trim() === '') {
      // Nothing stands before a leading "then": it belongs to the clause that follows.
      if (cut.strength === 'strong') {
        start = cut.end;
        link = 'sequence';
      }
      continue;
    }
    if (!separates(left, text.slice(cut.end), cut, verbs)) continue;
    pieces.push({ text: left, link });
    link = cut.link;
    start = cut.end;
  }
  pieces.push({ text: text.slice(start), link });
  return pieces;
}

function findCuts(text: string): Cut[] {
  const cuts: Cut[] = [];
  const collect = (pattern: RegExp, link: Cut['link'], strength: Cut['strength']) => {
    for (const match of text.matchAll(pattern)) {
      cuts.push({ start: match.index, end: match.index + match[0].length, link, strength });
    }
  };
  collect(strong, 'sequence', 'strong');
  collect(strongByPlace, 'sequence', 'strong');
  collect(sentenceEnd, 'sequence', 'sentence');
  collect(weak, 'sibling', 'weak');
  const rank = { strong: 0, sentence: 1, weak: 2 };
  return cuts.sort(
    (a, b) => a.start - b.start || rank[a.strength] - rank[b.strength] || b.end - a.end,
  );
}

/** "It should say hello." belongs to the file that was spoken of before it. */
const describesContent =
  /^\s*(?:it|they|each(?: one)?|both|(?:the|its|their) (?:files?|text|contents?))\s+(?:should|must|shall|needs? to|has to|have to|will)\s+(?:say|contain|read|hold|be empty)\b/i;

/** Whether the text is really cut here: what follows must be an instruction of its own. */
function separates(left: string, rest: string, cut: Cut, verbs: Verbs): boolean {
  if (cut.strength === 'sentence' && describesContent.test(rest)) return false;
  const right = stripPoliteness(rest.slice(0, 400).replace(/^(?:and|but|then)\s+/i, ''));
  if (right === '') return cut.strength !== 'weak' && rest.trim() === '';
  if (opensCondition.test(stripPoliteness(left))) return cut.strength === 'sentence';
  if (cut.strength === 'weak' && opensCircumstance.test(stripPoliteness(left))) return false;
  if (sameAgain.test(right)) return true;
  const forbids = prohibition.test(right);
  const lead = forbids ? null : readLeadVerb(right.replace(circumstance, ''), verbs);
  const open = contentTail.test(left);
  // A text in quotation marks has ended where they end.
  const closed = new RegExp(
    `[${markClass}]\\s*(?:here|(?:to|in|for)\\s+(?:the\\s+)?\\S+)?\\s*$`,
    'u',
  ).test(left);
  const forPeople = !closed && personTail.test(stripPoliteness(left));
  switch (cut.strength) {
    case 'strong':
      // What one is to be reminded of may well have a second part; doing it at once would not be what was asked.
      if (/^remind\b/i.test(stripPoliteness(left))) return forbids;
      return forbids || lead !== null || !open;
    case 'sentence':
      if (open || forPeople) return forbids || (lead !== null && startsInstruction(lead));
      return true;
    case 'weak':
      if (forbids) return true;
      if (lead === null || isNoun(lead)) return false;
      if (forPeople) return false;
      if (open) return (lead.known && hasFirmObject(lead)) || /^(?:me|us)\s/i.test(lead.rest);
      return lead.known || lead.rest !== '';
    default:
      return cut.strength satisfies never;
  }
}

/** "a list", "the copy of …": the verb is a noun here. */
function isNoun(lead: LeadVerb): boolean {
  return /^(?:of|is|are|was|were|has|will|should|that|which)\b/i.test(lead.rest);
}

function startsInstruction(lead: LeadVerb): boolean {
  return (
    lead.known &&
    (hasFirmObject(lead) ||
      /^(?:me|a|an|the|all|every|each|to|in|files?|folders?)\b/i.test(lead.rest))
  );
}

const firmObject = new RegExp(
  `^(?:(?:a|an|the|this|that|all|every|each|new|two|three|\\d+)\\s+)*(?:files?|folder|workspace|directory|everything)\\b|^${pathPattern}|^(?:out|down)?\\s*(?:it|them|that|this|both)\\b|^me\\b|https?://`,
  'iu',
);

/** The verb is followed by something that can be acted on: a path, an address, "it", "the workspace". */
function hasFirmObject(lead: LeadVerb): boolean {
  return firmObject.test(lead.rest) || pronoun.test(lead.rest);
}
