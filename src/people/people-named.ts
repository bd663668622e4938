// The people a card or sentence mentions, with the names readers know them by.
import type { Queryable } from '#db/database.ts';
import {
  findCalled,
  readNamesOf,
  readPerson,
  readShown,
  readStanding,
} from '#db/people/identities.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { platformOf } from '#domain/chat/chat.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { assigneeOf } from '#domain/plan/assignee.ts';
import type { Plan, PlanSummary, Step } from '#domain/plan/plan.ts';
import type { Service } from '#domain/service.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { ConversationContext } from '#messages/context.ts';

const readObject = (value: Json): JsonObject => (isObject(value) ? value : {});

/** The assignee of a step, and the person who answered it. */
export function namedIn({ tool, args, output, target }: Step): string[] {
  if (tool !== 'human') return [];
  const said = readObject(output);
  return [args.assignee, said.assignee, said.by, said.for, said.taken_over_by, target].filter(
    (name) => typeof name === 'string',
  );
}

type Drawn = Omit<PlanCardFacts, 'names' | 'unsure'>;

/** Replaces all names in the facts with display names. */
export async function nameOnCard(db: Queryable, facts: Drawn): Promise<PlanCardFacts> {
  const { plan, patch, steps, running, next, failed, waiting } = facts;
  const named = [
    plan.requester,
    ...('people' in plan.approver_policy ? plan.approver_policy.people : []),
    ...plan.approvals.map(({ by }) => by),
    ...plan.rejection_history.map(({ by }) => by),
    ...(plan.decided_by === null ? [] : [plan.decided_by]),
    ...(patch === null ? [] : [patch.proposed_by, ...patch.approved]),
    ...[steps, running, next, failed, waiting].flat().flatMap(namedIn),
  ];
  return {
    ...facts,
    unsure: await findUnsure(db, plan, steps),
    names: Object.fromEntries(await readShown(db, named)),
  };
}

/** Assignees in a chat whose name matches no account there, or several. */
async function findUnsure(
  db: Queryable,
  { conversation, requester }: Pick<Plan, 'conversation' | 'requester'>,
  steps: Step[],
): Promise<NonNullable<PlanCardFacts['unsure']>> {
  const unsure: NonNullable<PlanCardFacts['unsure']> = {};
  if (conversation === null || platformOf(conversation) === null) return unsure;
  for (const name of new Set(steps.flatMap((step) => assigneeOf(step) ?? []))) {
    if (isSamePerson(name, requester) || /\S@\S|:/.test(name)) continue;
    const others = await readNamesOf(db, [await readPerson(db, name)]);
    if (others.length > 1) continue;
    unsure[name] = (await findCalled(db, name)).length > 1 ? 'several' : 'unknown';
  }
  return unsure;
}

/** Replaces requesters with display names. */
export async function nameRequesters<P extends PlanSummary>(
  service: Pick<Service, 'shownNames'>,
  plans: P[],
): Promise<P[]> {
  const shown = await service.shownNames(plans.map(({ requester }) => requester));
  return plans.map((plan) => {
    const by = shown.get(plan.requester);
    return by === undefined ? plan : { ...plan, asked_by: by };
  });
}

/** `nameOnCard` for a session, once it is known who continued it. */
export async function nameOnSession(
  db: Queryable,
  facts: SessionCardFacts,
): Promise<SessionCardFacts> {
  const { over, decision } = facts;
  const named = [over?.by ?? null, 'by' in decision ? (decision.by ?? null) : null];
  const names = await readShown(
    db,
    named.filter((name) => name !== null),
  );
  return { ...facts, names: Object.fromEntries(names) };
}

type Asking = Pick<ConversationContext, 'db' | 'approvers' | 'guardedApprovers'>;

/** All names of the people behind `names`, and of the configured approvers. */
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
