// What stands still because nobody can run it or a shared resource is in use: said, with what to do about it.
import { describeBlockage } from '#contracts/blockage.ts';
import type { PlanCardFacts } from '#contracts/card.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import type { Section } from './view.ts';

const linesAtMost = 3;

/** @param begun the steps wait now; before the start, they would have to */
export function viewBlocked({ blocked }: PlanCardFacts, begun: boolean): Section | null {
  const lines = blocked.map((blockage) =>
    plainLine(showLine(describeBlockage(blockage, begun), 400), { lead: '△' }),
  );
  return makeSection('blocked', begun ? 'Waiting' : 'At the moment', lines, linesAtMost);
}
