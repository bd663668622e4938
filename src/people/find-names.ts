// The names under which people who are waited for are known: they may differ from the name in the plan.
import { readNamesOf, readStanding } from '#db/identities.ts';
import type { ConversationContext } from '#messages/context.ts';

type Asking = Pick<ConversationContext, 'db' | 'approvers' | 'guardedApprovers'>;

/** All names of those who stand behind `names`, and of the configured approvers. */
export async function findNames(
  { db, approvers, guardedApprovers }: Asking,
  names: readonly string[],
): Promise<string[]> {
  const guards = Object.values(guardedApprovers).flatMap((policy) =>
    'people' in policy ? policy.people : [],
  );
  const all = [...new Set([...names, ...approvers, ...guards])];
  const { same } = await readStanding(db.query, all);
  const known = await readNamesOf(db.query, [...new Set(all.map((one) => same.get(one) ?? one))]);
  return [...new Set([...all, ...known.map(({ name }) => name)])];
}
