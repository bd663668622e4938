// Takes words about order apart: "must finish two days before the launch ends" is a finish, two days, before, "the
// launch", its end. What the words refer to, and what follows from them, is for `read-timing.ts`.
import { takeAmount } from './read-amount.ts';

export type Event = 'start' | 'finish';
export type Relation = 'after' | 'before' | 'into' | 'together' | 'needs' | 'feeds';

export type TimingWords = {
  relation: Relation;
  /** What of the node that speaks is meant; null: nothing was said. */
  own: Event | null;
  /** "cannot start before" */
  never: boolean;
  /** "must": it is demanded, not described. */
  demanded: boolean;
  /** null: no length of time was said. */
  minutes: number | null;
  reference: string;
};

export type TimingProblem = 'latest' | 'working' | 'words';

/** Words that name an order by themselves. */
export type Place = 'first' | 'last' | 'next' | 'anywhere';

const places: [Place, RegExp][] = [
  [
    'next',
    /^(?:and )?(?:(?:right|immediately|directly|straight|shortly|soon) )?(?:after(?: (?:that|this|it|the (?:previous|last|preceding) (?:one|step|task)|the one before))?|afterwards?|thereafter|then|next|subsequently|in sequence)$/i,
  ],
  [
    'first',
    /^(?:(?:at|from|in) the (?:very )?(?:start|beginning)|first(?: of all)?|at first|initially|to begin with|before (?:everything|anything|all)(?: else| (?:the )?others)?|(?:must|should|has to|to) (?:be|come|go|run) first)$/i,
  ],
  [
    'last',
    /^(?:(?:at|in) the (?:very )?end|last(?: of all)?|lastly|finally|after (?:everything|all)(?: else| (?:of )?(?:the )?others?| the rest)?(?: is (?:done|finished|complete))?|once (?:everything|all)(?: else)? is (?:done|finished|complete)|(?:must|should|has to|to) (?:be|come|go|run) last)$/i,
  ],
  [
    'anywhere',
    /^(?:any ?time|whenever(?: convenient)?|asap|as soon as possible|immediately|at once|now|right away|in parallel|independent(?:ly)?|in any order|flexible|none|n\/a|-)$/i,
  ],
];

export function readPlace(text: string): Place | null {
  return places.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

const relations: [Relation, RegExp][] = [
  [
    'needs',
    /^(?:depend(?:s|ing)? on|dependent on|needs?|requires?|wait(?:s|ing)? (?:for|on|until)|blocked by|rel(?:y|ies) on|builds? on)\s+/i,
  ],
  [
    'feeds',
    /^(?:blocks|unblocks|precedes?|(?:needed|required) (?:for|by)|feeds(?: into)?|leads to|prepares)\s+/i,
  ],
  [
    'after',
    /^(?:after(?: the moment)?|behind|following|follows|once|when|as soon as|since|past|upon|from|later than|not until|only when)\s+/i,
  ],
  [
    'before',
    /^(?:before|prior to|ahead of|in front of|in time for|by(?: the time)?|until|till|earlier than|sooner than)\s+/i,
  ],
  ['into', /^into\s+/i],
  [
    'together',
    /^(?:(?:together|along|simultaneously|concurrently|in sync) with|alongside|at the same (?:time|moment) (?:as|with)|in parallel (?:with|to)|parallel (?:with|to)|while|during)\s+/i,
  ],
];
/** "starts with X", "ends as X does": only behind a verb. */
const alike = /^(?:with|as)\s+/i;

const speaker =
  /^(?:and |but )?(?:(?:it|this|they|this (?:step|task|part)|the (?:step|task))\s+)?/i;
const negation =
  /^(?:cannot|can not|can['’]?t|(?:must|should|shall|may|will|is|are|do|does|need)(?:\s+not|n['’]?t))\s+(?:be\s+)?/i;
const demand = /^(?:must|should|shall|ha(?:s|ve) to|needs? to|is to|to)\s+(?:only\s+)?(?:be\s+)?/i;
const modest = /^(?:can|may|will|is|are)\s+(?:only\s+)?(?:be\s+)?/i;
const starts = /^(?:start|begin|commence|kick off)(?:s|ed|ing)?\s+/i;
const finishes = /^(?:finish|end|complete|conclude|close|done|over|ready)(?:s|es|d|ed|ing)?\s+/i;
const happens = /^(?:run|happen|come|go|take place|be done|execute|do it|belong)(?:s|es)?\s+/i;
const loose =
  /^(?:at least|a minimum of|minimum|exactly|about|around|roughly|approximately|right|immediately|directly|straight|shortly|soon|just|only|some|any time|at the earliest)\s+/i;
const capped = /^(?:at most|within|less than|no more than|not more than|up to|a maximum of)\s+/i;
const notEarlier = /^(?:no|not)\s+(?:earlier|sooner)\s+than\s+/i;
const notLater = /^(?:no|not)\s+later\s+than\s+|^at\s+the\s+latest\s+/i;

/** A text and what was taken off its beginning. */
class Words {
  rest: string;
  constructor(text: string) {
    this.rest = text;
  }
  take(pattern: RegExp): boolean {
    const found = pattern.exec(this.rest);
    if (found === null) return false;
    this.rest = this.rest.slice(found[0].length);
    return true;
  }
}

function takeOwn(words: Words): Event | null {
  if (words.take(starts)) return 'start';
  if (words.take(finishes)) return 'finish';
  words.take(happens);
  return null;
}

/** "the day after": one of it. */
const theUnit =
  /^(?:the (?:next |very )?)(?=(?:minute|hour|day|week|month|year) (?:after|before|following))/i;

/** What the words say; a problem where they cannot be held or are about something else. */
export function readWords(text: string): TimingWords | TimingProblem {
  const words = new Words(text.replace(speaker, ''));
  let never = words.take(negation);
  const demanded = !never && words.take(demand);
  if (!never && !demanded) words.take(modest);
  const own = takeOwn(words);
  let latest = false;
  let earliest = false;
  if (words.take(notLater)) latest = true;
  else if (words.take(notEarlier)) earliest = true;
  else if (words.take(/^(?:not|never)\s+(?=before|until|till|earlier)/i)) never = true;
  while (words.take(loose));
  const atMost = words.take(capped);
  if (never) {
    // "cannot start earlier than two days after X": two days after X, or later.
    const bare = /^(?:before|earlier than|sooner than|until|till)\s+/i;
    const inner = words.rest.replace(bare, '');
    const amount = inner === words.rest ? null : takeAmount(inner.replace(theUnit, 'a '));
    if (amount === 'working') return 'working';
    if (amount !== null && /^(?:after|before|into)\s/i.test(amount.rest)) {
      words.rest = inner;
      earliest = true;
      never = false;
    }
  }
  const amount = takeAmount(words.rest.replace(theUnit, 'a '));
  if (amount === 'working') return 'working';
  if (amount !== null) words.rest = amount.rest;
  if ((atMost || latest) && amount !== null) return 'latest';
  if (atMost) return 'words';
  while (words.take(loose));
  let relation = latest ? 'before' : relations.find(([, pattern]) => words.take(pattern))?.[0];
  if (relation === undefined && own !== null && words.take(alike)) relation = 'together';
  const bareEarliest = earliest && amount === null && relation === undefined;
  if (relation === undefined && !bareEarliest) return 'words';
  if (latest) words.take(/^by\s+/i);
  const reference = words.rest.trim();
  if (reference === '') return 'words';
  const minutes = amount?.minutes ?? null;
  // "no earlier than X" is "cannot start before X"; so is "not until X".
  const isNever = never || bareEarliest;
  return { relation: relation ?? 'before', own, never: isNever, demanded, minutes, reference };
}

const atStart =
  /^(?:the\s+)?(?:very\s+)?(?:start|beginning|begin)\s+of\s+|^(?:starting|beginning)\s+/i;
const atEnd =
  /^(?:the\s+)?(?:very\s+)?(?:end|finish|completion|conclusion|close)\s+of\s+|^(?:finishing|completing|ending)\s+/i;
const thenStarts =
  /(?:['’]s)?\s+(?:has\s+|have\s+|is\s+|are\s+)?(?:starts?|started|begins?|begun|began|commences?|runs|running|kicks off)$/i;
const thenEnds =
  /(?:['’]s)?\s+(?:has\s+|have\s+|is\s+|are\s+|was\s+)?(?:been\s+)?(?:ends?|ended|finish(?:es|ed)?|done|completed?|completes|completion|over|ready|close[sd]?|concluded)$/i;

/** The reference without the words that say which end of it is meant. */
export function splitEvent(reference: string): { name: string; event: Event | null } {
  for (const [pattern, event] of [
    [atStart, 'start'],
    [atEnd, 'finish'],
    [thenStarts, 'start'],
    [thenEnds, 'finish'],
  ] as const) {
    const name = reference.replace(pattern, '').trim();
    if (name !== reference.trim() && name !== '') return { name, event };
  }
  return { name: reference.trim(), event: null };
}
