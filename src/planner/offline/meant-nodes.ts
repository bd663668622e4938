// Which nodes a wish about dates means, and what is asked where that cannot be told.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { describeNodes } from '../roadmap/name-nodes.ts';
import { sayMoment, sayNode } from '../schedule/time-words.ts';
import { quote } from './date-clauses.ts';
import type { DateContext } from './date-reading.ts';

/** Asks for another moment where this one has passed. */
export function isPast(
  at: number,
  node: string,
  { now, timezone, read, finder }: DateContext,
): boolean {
  if (at >= now.getTime() - 60_000) return false;
  read.questions.push(
    `${sayMoment(at, timezone)} has passed. When should ${sayNode(finder.index, node)} be?`,
  );
  return true;
}

export function isEverything(words: string): boolean {
  return /^(?:everything|all(?: of (?:it|them))?|(?:all )?the (?:whole )?(?:plan|thing|schedule|project)|the (?:dates?|times?)|them|each step|all (?:the )?(?:steps|tasks))$/i.test(
    words.trim(),
  );
}

export function isIt(words: string): boolean {
  return /^(?:it|that|this|the (?:step|task|start|time|date))?$/i.test(words.trim());
}

/**
 * Does something for each node that the words mean. @param fits which nodes "everything" means; null: the whole, by its
 * roots. @returns true, also where a question was asked instead
 */
export function forNodes(
  words: string,
  context: DateContext,
  fits: ((node: PlanOutline['nodes'][number]) => boolean) | null,
  act: (node: string, index: number) => void,
): boolean {
  const { finder, outline, read } = context;
  const { nodes } = finder.index;
  const apply = (places: number[]) => {
    for (const place of places) act(nodes[place]?.id ?? '', place);
  };
  const roots = nodes.flatMap(({ parent }, place) => (parent === null ? [place] : []));
  if (isEverything(words) || isIt(words)) {
    const meant = fits === null ? [] : nodes.flatMap((node, place) => (fits(node) ? [place] : []));
    const work = nodes.flatMap(({ steps }, place) => (steps.length > 0 ? [place] : []));
    // Where there is only one piece of work, "it" is that; a moment of the whole would hide behind the step's own.
    const whole = work.length === 1 ? work : roots;
    apply(meant.length > 0 ? meant : whole);
    return outline.nodes.length > 0;
  }
  const found = finder.find(words.replace(/^(“.*”) \((.+)\)$/, '$2'), null);
  if (found.kind === 'found') apply([found.node]);
  else if (found.kind === 'ambiguous')
    read.questions.push(
      `Which one is meant by ${quote(words)}: ${describeNodes(finder.index, found.nodes)}?`,
    );
  else
    read.questions.push(
      `Nothing in the plan is called ${quote(words.replace(/^the\s+/i, ''))}. Which step is meant?`,
    );
  return true;
}

export function nameNode({ finder }: DateContext, node: string): string {
  return sayNode(finder.index, node);
}
