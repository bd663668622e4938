// Plans as a list in Teams: two lines each, with a button that opens the plan in the place of the list. Pure.
import type { Drawn } from '#cards/expand.ts';
import { describePlan, listWords, sortPlans } from '#cards/plan-list.ts';
import { type FoundPlans, listedAtMost } from '#conversation/find-plans.ts';
import { makeAction, makeCard, makeLine } from '../press/elements.ts';

export function drawList(
  { which, plans, more }: Extract<FoundPlans, { kind: 'list' }>,
  user: string,
  now: string,
): Drawn {
  const { title } = listWords[which];
  const rows = sortPlans(plans, user).map((plan, index): Drawn => {
    const { id, version, digest } = plan;
    const [name = '', facts = ''] = describePlan(plan, user, now).split('\n');
    const data = { action: 'details', plan_id: id, version, digest, list: which };
    return {
      type: 'ColumnSet',
      spacing: 'medium',
      separator: index > 0,
      columns: [
        {
          type: 'Column',
          width: 'stretch',
          items: [
            makeLine(name, { weight: 'bolder' }, 'none'),
            makeLine(facts, { isSubtle: true, size: 'small' }, 'none'),
          ],
        },
        {
          type: 'Column',
          width: 'auto',
          verticalContentAlignment: 'center',
          items: [{ type: 'ActionSet', actions: [makeAction('Details', 'details', data)] }],
        },
      ],
    };
  });
  const rest = more ? [makeLine(`These are the first ${listedAtMost}.`, { isSubtle: true })] : [];
  const head = makeLine(title, { weight: 'bolder', size: 'large' });
  return makeCard([head, ...rows, ...rest], [], `${title}: ${plans.length}`);
}
