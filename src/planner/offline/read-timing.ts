// Reads precedence out of plain words: "two days after kickoff", "must finish before the launch ends". What is unknown or
// ambiguous becomes a sentence for a person, never a guess.
import type { DependencyType } from '#contracts/plan.ts';
import { shorten } from '#contracts/words.ts';
import { describeNodes } from '../roadmap/name-nodes.ts';
import type { NodeFinder } from './find-node.ts';
import { takeAmount } from './read-amount.ts';
import { findReferences } from './read-references.ts';
import {
  type Event,
  type Place,
  readPlace,
  readWords,
  splitEvent,
  type TimingWords,
} from './timing-words.ts';

/** An edge by ids of nodes, before anybody has said why it is there. */
export type Link = { from: string; to: string; type: DependencyType; lag_minutes: number };

export type TimingReading =
  | { kind: 'read'; links: Link[] }
  /** `text` is a question; `choices` the nodes that it asks to choose from, where there are some. */
  | { kind: 'unclear'; text: string; choices: number[] };

const lagAtMost = 525_600;
const waitedForAtMost = 1000;

const problems = {
  latest: 'sets a latest time, and only earliest ones are held. Which deadline should it have?',
  working: 'counts working days. How many days or hours is it?',
  words:
    'says no order I can read. Say it as “after X”, “2 days after X”, “before X” or “together with X”: which?',
};

/** @param subject the node that the words are about */
export function readTiming(words: string, subject: number, finder: NodeFinder): TimingReading {
  const text = words
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.;,!]+$/, '');
  const whole = readClause(text, subject, finder);
  if (whole.kind === 'read') return whole;
  const clauses = splitClauses(text);
  if (clauses.length < 2) return whole;
  const links: Link[] = [];
  for (const clause of clauses) {
    const reading = readClause(clause, subject, finder);
    if (reading.kind === 'unclear') return reading;
    links.push(...reading.links);
  }
  return { kind: 'read', links };
}

const clauseStart =
  /(?:\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but)\s+)(?=(?:(?:must|should|can|cannot|not|no|at least|right|start|begin|finish|end)\S*\s+)*(?:\S+\s+(?:and a half\s+)?(?:minutes?|hours?|days?|weeks?|months?)\s+)?(?:after|before|once|together with|at the same time as|until|by|alongside|in parallel with)\s)/i;

function splitClauses(text: string): string[] {
  return text
    .split(clauseStart)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

/** "two days later", "an hour after that": after what stands before. */
const laterOn = /^(?:later(?: on)?|after(?:wards?| that)?)$/i;

function ask(words: string, why: string, choices: number[] = []): TimingReading {
  return { kind: 'unclear', text: `“${shorten(words, 200)}” ${why}`, choices };
}

function readClause(text: string, subject: number, finder: NodeFinder): TimingReading {
  const later = takeAmount(text);
  const lag = later !== null && later !== 'working' && laterOn.test(later.rest) ? later.minutes : 0;
  const place = lag > 0 ? 'next' : readPlace(text);
  if (place !== null) return standAt(place, lag, text, subject, finder);
  const read = readWords(text);
  if (typeof read === 'string') return ask(text, problems[read]);
  if (Math.abs(read.minutes ?? 0) > lagAtMost)
    return ask(text, 'is longer than a year, which no wait may be. How long is it?');
  // A title may end in such a word itself: "Project start".
  const whole = findReferences(read.reference, subject, finder);
  const { name, event } =
    whole.kind === 'found' ? { name: read.reference, event: null } : splitEvent(read.reference);
  const found = event === null ? whole : findReferences(name, subject, finder);
  switch (found.kind) {
    case 'found': {
      const links = found.nodes.map((node) => linkTo(read, event, subject, node, finder));
      if (links.every((link) => link !== null)) return { kind: 'read', links };
      return ask(text, problems.words);
    }
    case 'ambiguous':
      return ask(
        text,
        `fits ${describeNodes(finder.index, found.nodes)}. Which one is meant?`,
        found.nodes,
      );
    case 'unknown':
      return ask(
        text,
        `names no other part of the plan (“${shorten(found.words, 100)}”). Which one is meant?`,
      );
    default:
      return found satisfies never;
  }
}

const typeOf: Record<Event, Record<Event, DependencyType>> = {
  start: { start: 'SS', finish: 'SF' },
  finish: { start: 'FS', finish: 'FF' },
};

/** The edge between the node that speaks and the one it speaks of; null: the words say none that can be held. */
function linkTo(
  { relation, own, never, demanded, minutes, reference }: TimingWords,
  event: Event | null,
  subject: number,
  other: number,
  { index }: NodeFinder,
): Link | null {
  const [self, far] = [index.nodes[subject]?.id, index.nodes[other]?.id];
  if (self === undefined || far === undefined) return null;
  const lag = minutes ?? 0;
  /** This node's event waits for the other's. */
  const wait = (from: Event, to: Event, lag_minutes = lag): Link => {
    return { from: far, to: self, type: typeOf[from][to], lag_minutes };
  };
  /** The other node's event waits for this one's. */
  const precede = (from: Event, to: Event): Link => {
    return { from: self, to: far, type: typeOf[from][to], lag_minutes: lag };
  };
  switch (relation) {
    case 'after':
    case 'needs':
      if (never) return /until/i.test(reference) ? wait('finish', 'start') : null;
      return wait(event ?? 'finish', own ?? 'start');
    case 'feeds':
      return precede('finish', event ?? 'start');
    case 'into':
      return wait('start', own ?? 'start');
    case 'together':
      return own === 'finish' ? wait('finish', 'finish') : wait(event ?? 'start', 'start');
    case 'before': {
      // "cannot end before Y starts", "cannot start two hours before Y ends".
      if (never) return wait(event ?? 'finish', own ?? 'start', minutes === null ? 0 : -minutes);
      const before = event ?? 'start';
      if (own === 'finish') return precede('finish', before);
      // "30 minutes before X ends" says when this begins; demanded, it says by when.
      if (before === 'finish' && minutes !== null && !demanded)
        return wait('finish', 'start', -minutes);
      return precede(own ?? 'finish', before);
    }
    default:
      return relation satisfies never;
  }
}

/** Before, after or between the nodes beside it. */
function standAt(
  place: Place,
  lag_minutes: number,
  text: string,
  subject: number,
  { index }: NodeFinder,
): TimingReading {
  const { nodes, parents, children, order } = index;
  const parent = parents[subject] ?? -1;
  const beside =
    parent === -1 ? order.filter((node) => parents[node] === -1) : (children[parent] ?? []);
  const self = nodes[subject]?.id ?? '';
  const link = (from: string, to: string): Link => ({ from, to, type: 'FS', lag_minutes });
  if (place === 'anywhere') return { kind: 'read', links: [] };
  if (place === 'next') {
    const before = nodes[beside[beside.indexOf(subject) - 1] ?? -1]?.id;
    return before === undefined
      ? ask(text, 'names nothing, and nothing stands before this part. What does it come after?')
      : { kind: 'read', links: [link(before, self)] };
  }
  // What goes on all the time, or again and again, is not waited for.
  const others = beside.flatMap((node) => {
    const other = nodes[node];
    const inLine = other?.rhythm === 'one_off' || other?.rhythm === 'cumulative';
    return other !== undefined && node !== subject && inLine ? [other] : [];
  });
  const awaited = new Set(others.flatMap(({ after }) => after.map(({ id }) => id)));
  const ends =
    place === 'last'
      ? others.filter(({ id }) => !awaited.has(id))
      : others.filter(({ after }) => after.length === 0);
  const links = (ends.length > 0 ? ends : others).map(({ id }) =>
    place === 'last' ? link(id, self) : link(self, id),
  );
  return links.length > waitedForAtMost
    ? ask(text, `is about more than ${waitedForAtMost} other parts. Which ones matter?`)
    : { kind: 'read', links };
}
