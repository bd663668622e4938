// What a planner tells people while it works: facts about the call that begins and about the draft as it stands. Pure.
import type { Activity } from '#domain/planning/activity.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { makeStorableText } from '#domain/text.ts';

/** Characters that are kept of a path, an address or a query. */
const whatAtMost = 200;

/** The first text among the arguments, or first in a list there, on one line; it is the model's, so nothing else of it is trusted. */
function firstText(args: Record<string, unknown>): string | null {
  const text = Object.values(args)
    .map((value): unknown => (Array.isArray(value) ? value[0] : value))
    .find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text !== 'string') return null;
  return makeStorableText(text.slice(0, whatAtMost).replace(/\s+/g, ' ').trim());
}

/** A call of a tool that only reads. */
export function describeReading(tool: string, args: object): Activity {
  return { kind: 'reading', operation: tool.slice(0, whatAtMost), what: firstText({ ...args }) };
}

/**
 * What a session is at while its model thinks and writes: the draft, once there is one.
 * @param coming steps that the model has written and not yet added
 */
export function describeDraft(
  { outline }: Pick<PlanningState, 'outline'>,
  coming: number,
): Activity {
  if (outline === null && coming === 0) return { kind: 'thinking' };
  const drafted = outline?.nodes.reduce((sum, node) => sum + node.steps.length, 0) ?? 0;
  return { kind: 'drafting', steps: drafted + coming };
}
