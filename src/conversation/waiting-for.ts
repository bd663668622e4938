// What waits for one person: plans whose approval counts, changes that need it, and their tasks. Every rule is evaluated exactly for
// the latest of each kind; items that name the person and items anybody may take are listed side by side.
import { readApprovalsOf } from '#db/approvals.ts';
import { readNamesOf } from '#db/identities.ts';
import { listPlans, readPlan } from '#db/plans.ts';
import { keepWithin, type Within } from '#db/plans-within.ts';
import { readChangedPlans, readWaitingTasks } from '#db/waiting.ts';
import { isSamePerson } from '#domain/people/names.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { ConversationContext } from '#messages/context.ts';
import { mayApproveNow, readAuthorities } from '#plans/approval/authority.ts';
import { readPatchStanding } from './plan-card.ts';

type Asking = Pick<ConversationContext, 'db' | 'approvers' | 'guardedApprovers'>;

const lookedAt = { proposals: 50, changes: 10 };
const atOnce = 5;

async function filterTogether<T>(all: T[], keep: (one: T) => Promise<boolean>): Promise<T[]> {
  const kept: T[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    const some = all.slice(from, from + atOnce);
    const answers = await Promise.all(some.map(keep));
    kept.push(...some.filter((_, index) => answers[index]));
  }
  return kept;
}

/** The oldest first: nobody's plan is pushed out of sight by those that came after it. */
async function findProposals(
  context: Asking,
  user: string,
  names: string[],
  within: Within | null,
): Promise<string[]> {
  const { query } = context.db;
  const operations = Object.entries(context.guardedApprovers).flatMap(([operation, policy]) =>
    'people' in policy && policy.people.some((one) => names.includes(one)) ? [operation] : [],
  );
  const approves = context.approvers.some((one) => names.includes(one));
  const filter = {
    status: ['proposed', 'needs_review'] satisfies PlanStatus[],
    limit: lookedAt.proposals,
    ...(within === null ? {} : { within }),
  };
  const latest = await listPlans(query, filter);
  // What concerns them by name is found however much has come since.
  const theirs =
    latest.next_cursor === null
      ? []
      : (await listPlans(query, { ...filter, concerning: { names, operations, approves } })).plans;
  const all = new Map([...latest.plans, ...theirs].map((plan) => [plan.id, plan]));
  const open = [...all.values()]
    .filter(({ revising }) => !revising)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const approved = await readApprovalsOf(query, open);
  const approversOf = (id: string) => approved.get(id) ?? [];
  const questions = open.map((plan) => ({
    plan,
    approved: approversOf(plan.id),
    viewer: user,
  }));
  const authorities = await readAuthorities(query, context, questions);
  return open.flatMap(({ id }, index) => {
    const authority = authorities[index];
    return authority !== undefined && mayApproveNow(authority, approversOf(id), user) ? [id] : [];
  });
}

async function findChanges(context: Asking, user: string): Promise<string[]> {
  const ids = await readChangedPlans(context.db.query, lookedAt.changes);
  return filterTogether(ids, async (id) => {
    const patch = await readPatchStanding(context, await readPlan(context.db.query, id), user);
    return patch?.may_approve === true;
  });
}

/** The plans in which something waits for this person, each once, tasks first. @param within only those of one organisation */
export async function findWaitingFor(
  context: Asking,
  user: string,
  within: Within | null = null,
): Promise<string[]> {
  const { query } = context.db;
  const known = (await readNamesOf(query, [user])).map(({ name }) => name);
  const names = [...new Set([user, ...known])];
  const tasks = (await readWaitingTasks(query)).filter(({ assignee }) =>
    names.some((name) => isSamePerson(name, assignee)),
  );
  const proposals = await findProposals(context, user, names, within);
  const changes = await findChanges(context, user);
  const waiting = [...new Set([...tasks.map(({ plan_id }) => plan_id), ...proposals, ...changes])];
  if (within === null) return waiting;
  const shown = await keepWithin(query, waiting, within);
  return waiting.filter((id) => shown.has(id));
}
