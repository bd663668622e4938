// Rules of the rhythm axis (B7): recurring nodes have a readable rule, once on the way from the root; amounts belong to
// accumulation; a moment has no duration.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { checkTimezone } from '#timeline/recurrence.ts';
import { checkRule } from '#timeline/rule.ts';
import { nameNode, violate } from './names.ts';
import type { Tree } from './outline-tree.ts';

export function checkRhythms({ nodes }: Pick<PlanOutline, 'nodes'>, tree: Tree): Violation[] {
  const { above, below } = findRuled(tree);
  const zones = new Map<string, string | null>();
  return nodes.flatMap((node, index) => {
    const found: Violation[] = [];
    const say = (code: string, text: string, blocking = true) =>
      found.push(violate(code, node.id, `${nameNode(node)} ${text}`, blocking));
    const { rhythm, recurs, target, structure } = node;
    if (recurs !== null) {
      if (rhythm !== 'recurring')
        say(
          'rhythm_mismatch',
          `has a rule and is marked as ${words(rhythm)}. Mark it as recurring.`,
        );
      const { rrule, timezone, starts_at, until } = recurs;
      if (!zones.has(timezone)) zones.set(timezone, checkTimezone(timezone));
      const problem = checkRule(rrule) ?? zones.get(timezone) ?? null;
      if (problem !== null) say('bad_recurrence', `cannot recur: ${problem}`);
      if (until !== null && Date.parse(until) < Date.parse(starts_at))
        say('bad_recurrence', 'ends before it begins. Give a later end.');
      if (above[index] === true)
        say(
          'nested_recurrence',
          'recurs inside something that recurs. Leave one of the two rules out.',
        );
    } else if (rhythm === 'recurring' && above[index] !== true && below[index] !== true) {
      say('recurrence_without_rule', 'recurs, but nothing says when. Give a rule, or do it once.');
    }
    if (target !== null && rhythm !== 'cumulative' && rhythm !== 'recurring')
      say(
        'rhythm_mismatch',
        `has an amount to reach and is marked as ${words(rhythm)}. Mark it as cumulative.`,
        false,
      );
    if (rhythm === 'cumulative' && target === null && !hasTarget(tree, index))
      say(
        'cumulative_without_target',
        'adds up, but nothing says to how much. Say the amount.',
        false,
      );
    const moment = structure === 'milestone' || structure === 'checkpoint';
    if (moment && (rhythm === 'continuous' || rhythm === 'cumulative') && target === null)
      say(
        'rhythm_mismatch',
        `is a ${structure} and marked as ${words(rhythm)}; it is a moment. Mark it as one-off.`,
        false,
      );
    return found;
  });
}

function words(rhythm: string): string {
  return rhythm.replace('_', '-');
}

/** Which nodes have a rule above them, and which beneath. */
function findRuled({ nodes, order, parents }: Tree): { above: boolean[]; below: boolean[] } {
  const above = nodes.map(() => false);
  const below = nodes.map(() => false);
  for (const index of order) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) above[index] = above[parent] === true || nodes[parent]?.recurs !== null;
  }
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (parent !== -1 && (below[index] === true || nodes[index]?.recurs !== null))
      below[parent] = true;
  }
  return { above, below };
}

/** An amount is said once: by the whole, or by its parts. */
function hasTarget({ nodes, parents, children }: Tree, index: number): boolean {
  const around = [parents[index] ?? -1, ...(children[index] ?? [])];
  return around.some((other) => (nodes[other]?.target ?? null) !== null);
}
