// The shape of a pattern's rules, and what several patterns share.
import type { Rhythm, Structure } from '#domain/planning/outline.ts';

/** Something known by name: what it means, and the words and phrases that hint at it. */
export type Named = { meaning: string; hints: string[] };

/** What an outline of a pattern cannot do without. */
export type Need =
  | { axis: 'structure'; any: Structure[]; atLeast: number; text: string }
  | { axis: 'rhythm'; any: Rhythm[]; text: string };

export type PatternRules = {
  /** Two or three words for sentences: `recurring cycle`. */
  title: string;
  /** One sentence, for people and models. */
  meaning: string;
  /** Phrases in small letters; `strong` ones nearly decide. */
  hints: { strong: string[]; weak: string[] };
  subtypes: Record<string, Named>;
  variants: Record<string, Named>;
  /** What may stand at L1, and how much of it. */
  top: { structures: Structure[]; most: number };
  /** What may stand below L1. */
  below: Structure[];
  /** Levels that people still read with ease. */
  depth: number;
  rhythms: Rhythm[];
  needs: Need[];
  /** Of these, each phase holds at least one, at any depth. */
  phaseHolds: Structure[];
};

export const belowGoal: Structure[] = ['phase', 'milestone', 'task', 'checkpoint'];
export const everyRhythm: Rhythm[] = ['one_off', 'recurring', 'cumulative', 'continuous'];

export const recurs: Need = {
  axis: 'rhythm',
  any: ['recurring'],
  text: 'something that comes again by a rule',
};
