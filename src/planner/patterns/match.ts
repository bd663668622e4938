// Matches patterns by a request's words, by an outline's shape, or by a misspelt name. Deterministic.
import type { PlanOutline } from '#domain/planning/outline.ts';
import { type PatternSpec, PatternType } from '#domain/planning/pattern.ts';
import { type Features, findForeignRhythms, findNeeds, readFeatures } from './features.ts';
import type { Named } from './rules/shape.ts';
import { patternRules } from './rules.ts';
import { findPhrases, similarity, toTokens } from './similar-words.ts';

export type Match = { pattern_type: PatternType; score: number };

/** Weights of phrases: one strong hint outweighs two weak ones. */
const strong = 3;
const weak = 1;

function best(matches: Match[]): Match[] {
  // A stable sort: what is equal stays in the order of the contract, the plainest pattern first.
  return matches.sort((one, other) => other.score - one.score);
}

/** Words that speak for a project speak for nearly everything: of equals, another pattern says more. */
function bestOfWords(matches: Match[]): Match[] {
  const plain = ({ pattern_type, score }: Match) =>
    score > 0 && pattern_type === 'milestone_project' ? 1 : 0;
  return matches.sort((one, other) => other.score - one.score || plain(one) - plain(other));
}

/** The patterns, best first; `score` is 0 where no word of the request speaks for one. */
export function scoreRequest(request: string): Match[] {
  const tokens = toTokens(request);
  const matches = PatternType.options.map((pattern_type): Match => {
    const { hints } = patternRules[pattern_type];
    const score =
      strong * findPhrases(tokens, hints.strong).length +
      weak * findPhrases(tokens, hints.weak).length;
    return { pattern_type, score };
  });
  const scoreOf = (type: PatternType) =>
    matches.find(({ pattern_type }) => pattern_type === type)?.score ?? 0;
  // What clearly ends and comes again is both. One word such as "release" beside "every Monday" is not clear.
  const project = scoreOf('milestone_project');
  const cycle = scoreOf('recurring_cycle');
  const own = scoreOf('hybrid_project_cycle');
  const isBoth = cycle >= strong && project >= strong && (own > 0 || project >= 2 * strong);
  return bestOfWords(
    matches.map((match) =>
      match.pattern_type === 'hybrid_project_cycle' && isBoth
        ? { ...match, score: own + Math.max(project, cycle) + weak }
        : match,
    ),
  );
}

/** The patterns, best first, by how an outline looks: 1 where it has all that the pattern needs and nothing foreign. */
export function scoreOutline(outline: Pick<PlanOutline, 'nodes'>): Match[] {
  const features = readFeatures(outline);
  return best(
    PatternType.options.map((pattern_type) => ({
      pattern_type,
      score: weighFit(features, pattern_type),
    })),
  );
}

/**
 * The pattern that an outline looks like; the plainest of those that fit alike. It carries no confidence: it describes a
 * plan, and demands nothing of it.
 */
export function patternOf(outline: Pick<PlanOutline, 'nodes'>): PatternSpec {
  const [first] = scoreOutline(outline);
  return { pattern_type: first?.pattern_type ?? 'milestone_project', introduced_by: 'system' };
}

/** 0..1: how well an outline fits one pattern. */
export function fitOutline(outline: Pick<PlanOutline, 'nodes'>, pattern: PatternType): number {
  return weighFit(readFeatures(outline), pattern);
}

function weighFit(features: Features, pattern: PatternType): number {
  const lacking = findNeeds(features, pattern).length;
  const foreign = findForeignRhythms(features, pattern).length;
  return 1 / (1 + lacking + foreign);
}

/** The named thing whose hints the request meets most; null where it meets none. */
function pickNamed(tokens: string[], named: Record<string, Named>): string | null {
  let found: { name: string; count: number } | null = null;
  for (const [name, { hints }] of Object.entries(named)) {
    const count = findPhrases(tokens, hints).length;
    if (count > (found?.count ?? 0)) found = { name, count };
  }
  return found?.name ?? null;
}

/**
 * The pattern that the words of a request speak for; a milestone project where none do. It carries no confidence:
 * words alone describe a plan, and demand nothing of it.
 */
export function choosePattern(request: string): PatternSpec {
  const [first] = scoreRequest(request);
  const pattern_type =
    first === undefined || first.score < strong ? 'milestone_project' : first.pattern_type;
  const tokens = toTokens(request);
  const { subtypes, variants } = patternRules[pattern_type];
  // A plain request has no subtype: what is not said is not made up.
  const subtype = first !== undefined && first.score >= strong ? pickNamed(tokens, subtypes) : null;
  const variant = subtype === null ? null : pickNamed(tokens, variants);
  return {
    pattern_type,
    introduced_by: 'system',
    ...(subtype === null ? {} : { subtype }),
    ...(variant === null ? {} : { variant }),
  };
}

/** 0..1: how far the words of a request speak for a pattern. Where they say nothing, nothing speaks against it. */
export function agreement(request: string, pattern: PatternType): number {
  const matches = scoreRequest(request);
  const top = matches[0]?.score ?? 0;
  if (top < strong) return 0.85;
  const score = matches.find(({ pattern_type }) => pattern_type === pattern)?.score ?? 0;
  return 0.4 + 0.6 * (score / top);
}

/** A name is taken for a known one from here on. */
const nearEnough = 0.6;

function nearest(name: string, known: string[]): string | null {
  let found: { name: string; score: number } | null = null;
  for (const candidate of known) {
    const score = similarity(name, candidate);
    if (score >= nearEnough && score > (found?.score ?? 0)) found = { name: candidate, score };
  }
  return found?.name ?? null;
}

/** The pattern meant by a name that is nearly right (`Milestone Project`, `recurring-cycles`); null: none. */
export function findPattern(name: string): PatternType | null {
  const found = PatternType.safeParse(nearest(name, PatternType.options));
  return found.success ? found.data : null;
}

/** The known subtype meant by `name`; null: none is near. */
export function findSubtype(pattern: PatternType, name: string): string | null {
  return nearest(name, Object.keys(patternRules[pattern].subtypes));
}

export function findVariant(pattern: PatternType, name: string): string | null {
  return nearest(name, Object.keys(patternRules[pattern].variants));
}
