// Reads what a person wants changed about the order: "do X before Y", "X and Y in parallel", "swap X and Y", "X last".
// What is no such wish is left for others to read; what is one, but of parts that nobody can tell, becomes a question.

import { describeNodes } from '../roadmap/name-nodes.ts';
import type { NodeFinder } from './find-node.ts';
import { readWish } from './preference.ts';
import { findReferences } from './read-references.ts';
import { type Link, readTiming } from './read-timing.ts';
import { squeezeBlanks } from './squeeze-blanks.ts';

export type OrderChange =
  /** `links` hold from now on, and nothing between their ends the other way round does. */
  | { kind: 'link'; links: Link[] }
  /** None of these waits for another any more. */
  | { kind: 'unlink'; nodes: string[] }
  /** The first of these stops waiting for the others. */
  | { kind: 'free'; node: string; from: string[] }
  | { kind: 'swap'; nodes: [string, string] };

export type OrderReading = {
  changes: OrderChange[];
  /** Clauses that are no wish about the order of parts. */
  rest: string[];
  /** Questions about those that are, but cannot be read. */
  unclear: string[];
};

type Clause = OrderChange[] | { unclear: string } | null;
/** @param match the whole clause, and its parts */
type Reader = (match: readonly string[], finder: NodeFinder) => Clause;

const polite =
  /^(?:please|then|also|and|but|instead|rather|better|can you|could you|i(?:'d| would) (?:like|prefer)(?: it if| to)?|i want(?: you)?(?: to)?|let['’]?s|we should|you should|make sure(?: that)?|rather)\s+/i;
const doing = '(?:do|run|put|place|move|make|have|let|schedule|start|execute|perform|keep|order)';

const forms: [RegExp, Reader][] = [
  [/^(?:swap|switch|exchange|flip)\s+(?:the order of\s+)?(.+)$/i, readSwap],
  [/^reverse\s+(?:the order of\s+)?(.+)$/i, readSwap],
  [
    new RegExp(
      `^(?:${doing}\\s+)?(.+?)\\s+(?:(?:can|could|should|may|must)\\s+)?(?:be\\s+)?(?:run\\s+|start\\s+|go\\s+|happen\\s+|done\\s+)?(?:in parallel|side by side|at the same time|simultaneously|concurrently|together|independently)$`,
      'i',
    ),
    readParallel,
  ],
  [/^(?:parallelise|parallelize)\s+(.+)$/i, readParallel],
  [
    new RegExp(
      `^(?:${doing}\\s+)?(.+?\\s+)(?:(?:can|could|should|may|must)\\s+)?(?:be\\s+)?(?:run\\s+|go\\s+|happen\\s+|done\\s+)?(?:in parallel (?:with|to)|parallel to|side by side with|alongside|independently of)(\\s+.+)$`,
      'i',
    ),
    ([all = '', one, other], finder) => readParallel([all, `${one}and${other}`], finder),
  ],
  [
    /^(.+?)\s+(?:need(?:s)? not|do(?:es)?(?: not|n['’]?t) (?:need|have) to|should(?: not|n['’]?t)|must(?: not|n['’]?t))\s+wait (?:for|until)\s+(.+?)$/i,
    readFree,
  ],
  [/^(?:do(?: not|n['’]t)|never)\s+(?:let|make|have)\s+(.+?)\s+wait for\s+(.+)$/i, readFree],
  [
    new RegExp(
      `^(?:${doing}\\s+)?(.+?)\\s+(?:to the (?:very )?(?:front|start|beginning|top)|(?:should |must |has to |to )?(?:be |come |go |run |happen )?(?:very )?first|at the (?:very )?(?:start|beginning)|before (?:everything|anything|all)(?: else| (?:the )?others)?)$`,
      'i',
    ),
    (match, finder) => readEnd(match[1] ?? '', 'first', finder),
  ],
  [/^(?:start|begin) with\s+(.+)$/i, (match, finder) => readEnd(match[1] ?? '', 'first', finder)],
  [
    /^first(?: of all)?,?\s+(?:do |run )?(.+)$/i,
    (match, finder) => readEnd(match[1] ?? '', 'first', finder),
  ],
  [
    new RegExp(
      `^(?:${doing}\\s+)?(.+?)\\s+(?:to the (?:very )?(?:end|back|bottom)|(?:should |must |has to |to )?(?:be |come |go |run |happen )?(?:very )?last|at the (?:very )?end|after (?:everything|all)(?: else| (?:the )?others?)?)$`,
      'i',
    ),
    (match, finder) => readEnd(match[1] ?? '', 'last', finder),
  ],
  [/^(?:end|finish) with\s+(.+)$/i, (match, finder) => readEnd(match[1] ?? '', 'last', finder)],
  [
    /^(?:last(?:ly)?|finally),?\s+(?:do |run )?(.+)$/i,
    (match, finder) => readEnd(match[1] ?? '', 'last', finder),
  ],
  [
    new RegExp(
      `^(?:${doing}\\s+)?(.+?)\\s+((?:(?:should|must|can(?:not)?|has to|have to|needs? to|is to|may)\\s+)?(?:not\\s+)?(?:only\\s+)?(?:(?:start|begin|finish|end|come|go|run|happen|wait|be done|depend)s?\\s+)?(?:only\\s+|right\\s+|immediately\\s+|directly\\s+)?(?:(?:at least\\s+)?\\S+\\s+(?:and a half\\s+)?(?:minutes?|mins?|hours?|days?|weeks?)\\s+)?(?:after|before|once|for|on|until|together with|at the same time as|in parallel with|alongside|behind|ahead of)\\s+.+)$`,
      'i',
    ),
    readRelation,
  ],
];

const clauseEnd =
  /\s*[;\n]\s*|\.\s+|\s*,?\s+and then\s+|\s*,\s*(?:and |but |then )?(?=(?:do|run|put|move|swap|make|start|first|last|let)\s)/i;

export function readOrderChange(feedback: string, finder: NodeFinder): OrderReading {
  const reading: OrderReading = { changes: [], rest: [], unclear: [] };
  const clauses = squeezeBlanks(feedback.slice(0, 10_000))
    .split(clauseEnd)
    .map(tidy)
    .filter((one) => one !== '');
  for (const clause of clauses) {
    const read = readClause(clause, finder);
    // "One after another" is about the way as a whole, and read where ways are compared.
    if (read === null || ('unclear' in read && readWish(clause) !== null))
      reading.rest.push(clause);
    else if ('unclear' in read) reading.unclear.push(read.unclear);
    else reading.changes.push(...read);
  }
  return reading;
}

function tidy(text: string): string {
  const bare = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!,]+$/, '');
  const shorter = bare.replace(polite, '');
  return shorter === bare ? bare : tidy(shorter);
}

/** The first form whose parts are known; where none is, the question of the first that came near. */
function readClause(clause: string, finder: NodeFinder): Clause {
  let question: Clause = null;
  for (const [pattern, read] of forms) {
    const match = pattern.exec(clause);
    const found = match === null ? null : read(match, finder);
    if (found === null) continue;
    if (!('unclear' in found)) return found;
    question ??= found;
  }
  return question;
}

/** Nodes by their words; words that name none are no wish about the order, as far as can be told. */
function meant(words: string, finder: NodeFinder): number[] | { unclear: string } | null {
  const found = findReferences(words.replace(/\s+(?:step|task)$/i, ''), null, finder);
  switch (found.kind) {
    case 'found':
      return found.nodes;
    case 'ambiguous':
      return {
        unclear: `“${words}” fits ${describeNodes(finder.index, found.nodes)}. Which one is meant?`,
      };
    case 'unknown':
      return null;
    default:
      return found satisfies never;
  }
}

function idsOf(nodes: number[], { index }: NodeFinder): string[] {
  return nodes.flatMap((node) => index.nodes[node]?.id ?? []);
}

function unknownPart(words: string): { unclear: string } {
  return { unclear: `No part of the plan is called “${words}”. Which one is meant?` };
}

function readSwap(match: readonly string[], finder: NodeFinder): Clause {
  const words = match[1] ?? '';
  const nodes = meant(words.replace(/\s+(?:with|for)\s+/i, ' and '), finder);
  if (nodes === null) return unknownPart(words);
  if ('unclear' in nodes) return nodes;
  const [a, b, ...more] = idsOf(nodes, finder);
  if (a === undefined || b === undefined || more.length > 0)
    return { unclear: `“${match[0]}” must name two parts. Which two change places?` };
  return [{ kind: 'swap', nodes: [a, b] }];
}

const everything =
  /^(?:all(?: (?:of )?(?:it|them|the (?:steps|tasks)|steps|tasks))?|everything|it|them)$/i;

function readParallel(match: readonly string[], finder: NodeFinder): Clause {
  const words = (match[1] ?? '').replace(/\s+with\s+/i, ' and ');
  if (everything.test(words)) return null;
  const nodes = meant(words, finder);
  if (nodes === null) return unknownPart(words);
  if ('unclear' in nodes) return nodes;
  if (nodes.length < 2)
    return { unclear: `“${match[0]}” names one part. What should it run beside?` };
  return [{ kind: 'unlink', nodes: idsOf(nodes, finder) }];
}

function readFree(match: readonly string[], finder: NodeFinder): Clause {
  const [who, whom] = [match[1] ?? '', match[2] ?? ''];
  const self = meant(who, finder);
  const others = meant(whom.replace(/\s+(?:is|are) (?:done|finished|ready)$/i, ''), finder);
  if (self === null) return unknownPart(who);
  if (others === null) return unknownPart(whom);
  if ('unclear' in self) return self;
  if ('unclear' in others) return others;
  const from = idsOf(others, finder);
  return idsOf(self, finder).map((node): OrderChange => ({ kind: 'free', node, from }));
}

function readEnd(words: string, end: 'first' | 'last', finder: NodeFinder): Clause {
  if (everything.test(words)) return null;
  return linkEach(words, end, finder);
}

function readRelation(match: readonly string[], finder: NodeFinder): Clause {
  return linkEach(match[1] ?? '', match[2] ?? '', finder);
}

function linkEach(who: string, timing: string, finder: NodeFinder): Clause {
  const nodes = meant(who, finder);
  if (nodes === null) return unknownPart(who);
  if ('unclear' in nodes) return nodes;
  const links: Link[] = [];
  for (const node of nodes) {
    const reading = readTiming(timing, node, finder);
    if (reading.kind === 'unclear') return { unclear: reading.text };
    links.push(...reading.links);
  }
  return [{ kind: 'link', links }];
}
