// A request that is more than a list of instructions: parts with names, an order that was said, dates, a rhythm. null for
// everything else, which stays as plain as it is.
import type { Structure } from '#contracts/planning/outline.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { type NamedPattern, readNamedPattern } from './named-pattern.ts';
import {
  noTimes,
  readRule,
  readSaidTimes,
  type SaidTimes,
  saysNothing,
  type TimeContext,
} from './said-times.ts';
import { type ClauseContext, readTimedClauses, takeTimes } from './scheme-clauses.ts';
import { readLines, type SchemeLine } from './scheme-lines.ts';
import { restoreQuotes, shield } from './shield.ts';
import { findStatements, type Statement } from './statements.ts';

export type SchemePart = {
  structure: Structure;
  /** null: what its steps do names it. */
  title: string | null;
  /** The instruction, as it was written; '' for what only holds others. */
  text: string;
  times: SaidTimes;
  /** It waits for the part before it, because the words have them one after the other. */
  waits: boolean;
  parts: SchemePart[];
};

export type Scheme = {
  title: string | null;
  pattern: NamedPattern | null;
  /** Times of the whole. */
  times: SaidTimes;
  parts: SchemePart[];
  /** "The review must finish before the launch ends": about parts, by their names. */
  statements: Statement[];
};

type Context = TimeContext & {
  manifest: OperationSpec[];
  answers: ReadonlyMap<string, string>;
};

/** Instructions longer than this are mostly text that somebody wants written. */
const readAtMost = 20_000;

export function readScheme(text: string, context: Context): Scheme | null {
  if (text.length > readAtMost) return null;
  const shielded = shield(text);
  const named = readNamedPattern(shielded.text);
  const { rest, times, statements } = findStatements(named?.rest ?? shielded.text, context);
  const clauses: ClauseContext = { ...context, shielded, repeats: named !== null };
  const lines = readLines(rest);
  if (lines !== null) {
    const { title, parts } = readTree(lines, { ...clauses, repeats: true });
    const header = title ?? named?.title ?? null;
    if (parts.length === 0) return null;
    return { title: header, pattern: named?.pattern ?? null, times, parts, statements };
  }
  const parts = readFlat(rest, clauses);
  const asked = named !== null || statements.length > 0 || !saysNothing(times);
  if (parts.length === 0 || !(asked || parts.some((part) => !saysNothing(part.times)))) return null;
  return { title: named?.title ?? null, pattern: named?.pattern ?? null, times, parts, statements };
}

function readFlat(text: string, context: ClauseContext): SchemePart[] {
  return readTimedClauses(text, context).map(
    (clause, index): SchemePart => ({
      structure: 'task',
      title: null,
      text: restoreQuotes(clause.text, context.shielded.quotes),
      times: clause.times,
      waits: index > 0 && clause.link === 'sequence' && clause.times.timing.length === 0,
      parts: [],
    }),
  );
}

const heading = /^(?:please\s+)?(?:plan|organi[sz]e|prepare|set up|here is|this is)\b/i;

/** Lines in front of the parts that ask for nothing themselves name the whole. */
function readTree(
  lines: SchemeLine[],
  context: ClauseContext,
): { title: string | null; parts: SchemePart[] } {
  const [first, ...others] = lines;
  const isTitle =
    first !== undefined &&
    first.label === null &&
    !first.item &&
    (first.parts.length > 0 || others.length > 0) &&
    (heading.test(first.body) || !startsWork(first.body));
  if (!isTitle) return { title: null, parts: readSiblings(lines, context) };
  const title = restoreQuotes(first.body, context.shielded.quotes)
    .replace(/^(?:please\s+)?(?:plan|organi[sz]e|prepare)\s+(?:an?\s+|the\s+|our\s+|my\s+)?/i, '')
    .replace(/[\s:.,]+$/, '');
  const parts = readSiblings([...first.parts, ...others], context);
  return { title: title === '' ? null : title.charAt(0).toUpperCase() + title.slice(1), parts };
}

function readSiblings(lines: SchemeLine[], context: ClauseContext): SchemePart[] {
  return lines.flatMap((line, index) => {
    const parts = readPart(line, context);
    const [first] = parts;
    if (first === undefined || index === 0 || first.structure === 'phase') return parts;
    // Numbers say an order; bullets do not.
    const waits = line.numbered && first.times.timing.length === 0;
    return [{ ...first, waits: first.waits || waits }, ...parts.slice(1)];
  });
}

function startsWork(text: string): boolean {
  const lead = readLeadVerb(stripPoliteness(text));
  return lead?.known === true && lead.rest !== '';
}

function readPart(line: SchemeLine, context: ClauseContext): SchemePart[] {
  const { quotes } = context.shielded;
  const noted = line.note === '' ? null : readSaidTimes(line.note, context);
  const named = noted === null && line.note !== '' ? `${line.name} (${line.note})` : line.name;
  const times = noted ?? noTimes();
  if (line.label === null && line.parts.length === 0) return readFlat(line.body, context);
  const below = readSiblings(line.parts, context);
  if (line.label === null) {
    // "Every Monday at 9:" above its bullets.
    const rule = readRule(line.body.replace(/:\s*$/, ''), context);
    const own = takeTimes(line.body.replace(/:\s*$/, ''), context);
    const title = restoreQuotes(own.text, quotes).trim();
    const holds = line.depth === 0 && rule === null;
    return [
      {
        structure: holds ? 'phase' : 'task',
        title: rule === null ? title : line.body.replace(/:\s*$/, ''),
        text: '',
        times: rule === null ? own.times : { ...noTimes(), recurs: rule },
        waits: false,
        parts: below,
      },
    ];
  }
  const work = startsWork(line.body) || /[,;]\s*\p{L}|^\p{L}+ly\b|^every\b/iu.test(line.body);
  const own = line.body === '' ? [] : work ? readFlat(line.body, context) : [];
  const said = restoreQuotes(line.body, quotes).replace(/[\s.;]+$/, '');
  // "milestone: Beta is ready" says what is reached, and asks for nothing.
  const title = own.length > 0 || said === '' ? named : nameWith(named, said);
  return [
    {
      structure: line.label,
      title,
      text: '',
      times,
      waits: false,
      parts: [...own, ...below],
    },
  ];
}

function nameWith(name: string, said: string): string {
  const bare = /^(?:milestone|checkpoint)$/i.test(name);
  return bare ? said.charAt(0).toUpperCase() + said.slice(1) : `${name}: ${said}`;
}
