// Conflicts with other plans and calendars as sentences, noted on the plan and said with it.
import type { PlanningState } from '#domain/planning/state.ts';
import { sayMoment } from './time-words.ts';

/** In the order of the schedule, in the time zone of the session. */
export function tellConflicts({
  outline,
  portfolio,
  timezone,
}: Pick<PlanningState, 'outline' | 'portfolio' | 'timezone'>): string[] {
  const titles = new Map(outline?.nodes.map(({ id, title }) => [id, title]));
  return (portfolio?.conflicts ?? []).map(({ node, with: other, starts_at, shift_to }) => {
    const say = (moment: string) => sayMoment(Date.parse(moment), timezone);
    const room = shift_to === null ? 'There is no room near' : `There is room on ${say(shift_to)}`;
    const title = titles.get(node) ?? node;
    return `“${title}” meets ${other} on ${say(starts_at)}. ${room}.`.slice(0, 1000);
  });
}
