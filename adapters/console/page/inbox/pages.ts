// Groups polled page by page. Pure.
import type { InboxPage, InboxPlan } from '#domain/plan/inbox.ts';

type Page = Pick<InboxPage, 'plans' | 'next_cursor'>;

/** Refreshes the first plans and keeps later ones. @param elsewhere plans now in other groups */
export function mergeHead(
  head: InboxPage,
  known: InboxPage | undefined,
  elsewhere: ReadonlySet<string>,
): InboxPage {
  if (known === undefined || head.next_cursor === null) return head;
  const ids = new Set(head.plans.map(({ id }) => id));
  const lowest = known.plans.findLastIndex(({ id }) => ids.has(id));
  const tail = known.plans.slice(lowest + 1).filter(({ id }) => !ids.has(id) && !elsewhere.has(id));
  if (lowest < 0 || tail.length === 0) return head;
  return { ...head, plans: [...head.plans, ...tail], next_cursor: known.next_cursor };
}

export function mergeGroups(heads: InboxPage[], known: InboxPage[]): InboxPage[] {
  const listed = new Set(heads.flatMap(({ plans }) => plans.map(({ id }) => id)));
  return heads.map((head) =>
    mergeHead(
      head,
      known.find(({ group }) => group === head.group),
      listed,
    ),
  );
}

/** Each plan once. */
export function appendPage({ plans, ...group }: InboxPage, page: Page): InboxPage {
  const known = new Set(plans.map(({ id }) => id));
  const added = page.plans.filter(({ id }) => !known.has(id));
  return { ...group, plans: [...plans, ...added], next_cursor: page.next_cursor };
}

/** Keeps ticks of plans that still wait or are off screen. */
export function keepTicks(
  ticked: ReadonlyMap<string, InboxPlan>,
  groups: InboxPage[],
  mayTick: (plan: InboxPlan) => boolean,
): ReadonlyMap<string, InboxPlan> {
  if (ticked.size === 0) return ticked;
  const now = new Map(groups.flatMap(({ plans }) => plans.map((plan) => [plan.id, plan])));
  return new Map(
    [...ticked].flatMap(([id, plan]) => {
      const current = now.get(id);
      return current === undefined || mayTick(current) ? [[id, current ?? plan] as const] : [];
    }),
  );
}
