// The pattern a request is planned by: the one it names, a new subtype that a person has to approve, or the nearest known.
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Rfc } from '#domain/planning/state.ts';
import { listOf } from '#domain/words.ts';
import { type Features, patternOf } from '../patterns/fit.ts';
import { findPattern, findSubtype } from '../patterns/names.ts';
import { patternRules } from '../patterns/rules.ts';
import type { Clause, Request } from './command.ts';
import { readHeader } from './header.ts';
import { tokenize } from './tokens.ts';

const renamed =
  /^(?:propose changes\s*:\s*)?(?:call|name) it ["“]?([\p{L}][\p{L}\p{N}_-]{1,79})["”]?[.!]?$/iu;

function proposalIn(text: string): string | null {
  const { pattern } = readHeader(text, tokenize(text)).said;
  return pattern?.subtype == null ? null : `proposed:${pattern.subtype}`;
}

/** The request that proposed what a person has now decided about, with what was said before it; null: this turn is about another. */
export function findRefused(
  request: PlanningRequest,
  rfc: Rfc | null,
): Pick<PlanningRequest, 'text' | 'history'> | null {
  const { text, history } = request;
  if (rfc === null || proposalIn(text) !== null) return null;
  const place = history.findLastIndex(
    ({ author, text: said }) => author === 'person' && proposalIn(said) !== null,
  );
  const asked = history[place];
  return asked === undefined ? null : { text: asked.text, history: history.slice(0, place) };
}

/** What was named, or follows from the shape of the work, is no guess. */
const confidence = 1;

function featuresOf({ clauses, parts }: Request): Features {
  const count = (structure: string) => parts.filter((part) => part.structure === structure).length;
  const recurs = ({ rule, command }: Clause) =>
    rule !== null || (command.do === 'remind' && command.rule !== null);
  return {
    structures: {
      goal: 1,
      phase: count('phase'),
      milestone: count('milestone'),
      task: clauses.length,
      checkpoint: 0,
    },
    rhythms: new Set(clauses.map((clause) => (recurs(clause) ? 'recurring' : 'one_off'))),
    flat: parts.length === 0,
  };
}

/** The arguments of `select_pattern`. @param said the person's latest words */
export function namePattern(request: Request, said: string, rfc: Rfc | null) {
  const { pattern, clauses } = request;
  const words = clauses.map((clause) => clause.words).join('; ');
  const plain = { subtype: null, variant: null, source_pattern: null, rfc: null };
  if (pattern === null) {
    const { pattern_type } = patternOf(featuresOf(request));
    return { ...plain, pattern_type, confidence };
  }
  const source = findPattern(pattern.source) ?? 'milestone_project';
  const other =
    rfc?.status === 'rejected'
      ? renamed.exec(said)?.[1]?.replaceAll('-', '_').toLowerCase()
      : undefined;
  const subtype = other ?? pattern.subtype;
  const refused = rfc?.status === 'rejected' && rfc.proposes === `proposed:${subtype}`;
  if (subtype === null || refused) return { ...plain, pattern_type: source, confidence };
  const near = findSubtype(source, subtype);
  if (near !== null && other !== undefined)
    return { ...plain, pattern_type: source, subtype: near, confidence };
  if (!pattern.isNew && other === undefined)
    return { ...plain, pattern_type: source, subtype, confidence };
  const { title, subtypes } = patternRules[source];
  const others = listOf(subtypes.map((one) => one.replaceAll('_', ' ')));
  const reason = `${subtype} is named in the request as a new subtype of ${title}. The known ones are ${others}; none has this name. The work it would cover: ${words.slice(0, 300)} Until it is approved, the rules of ${title} hold.`;
  return {
    ...plain,
    pattern_type: source,
    subtype: `proposed:${subtype}`,
    source_pattern: source,
    rfc: reason,
    confidence,
  };
}
