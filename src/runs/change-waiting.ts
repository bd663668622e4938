// Changes of waiting plans by people's words: versions or suggestions.
import { readTextsOfRun } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import { lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import { lockPlan, type PlanRow, readPlan } from '#db/plans/plans.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { type Actor, person, Surface } from '#domain/people/actor.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { shorten } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { isManager } from '#plans/authority/authority.ts';
import { raiseFindings } from '#plans/findings/raise.ts';
import { mayBeApproved, notPossible } from '#plans/lifecycle/lifecycle-table.ts';

export function requesterOf({ user, via, tenant, verified }: RunRow): Actor {
  return {
    ...person(user, Surface.parse(via)),
    ...(tenant === null ? {} : { tenant }),
    ...(verified ? { verified } : {}),
  };
}

export function speakersOf(run: RunRow): Actor[] {
  return [run.decision?.speaker ?? requesterOf(run), ...(run.decision?.joined ?? [])];
}

/** With `actor` joining the turn; the first speaker stays first. */
export function joinedBy(run: RunRow, actor: Actor): Actor[] {
  const [first, ...others] = speakersOf(run);
  const kept = others.filter(({ id }) => id !== actor.id);
  return actor.id === first?.id ? kept : [...kept, actor];
}

/** Every speaker may propose changes, or the agent proposed the plan. */
export async function mayChange(
  context: ConversationContext,
  run: RunRow,
  row: PlanRow,
): Promise<boolean> {
  if (run.agent !== null) return row.agent === run.agent && row.requester === run.user;
  for (const speaker of speakersOf(run))
    if (!(await isManager(context.db.query, context, row, speaker))) return false;
  return true;
}

const maxSuggested = 1500;

type StoredSuggestion = { plan: Plan; says: MessageParts; once: string };

/** @throws `invalid_transition` if the plan no longer waits */
export async function suggest(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  planId: string,
): Promise<StoredSuggestion> {
  const row = await lockPlan(tx, planId);
  if (!mayBeApproved(row.status)) throw notPossible(row.status, 'request_changes');
  const messages = await readTextsOfRun(tx, run.id);
  const message = shorten(
    (messages.length === 0 ? [run.request] : messages).join('\n'),
    maxSuggested,
  );
  const actor = speakersOf(run).at(-1) ?? requesterOf(run);
  const once = `${run.id}:${run.turn}:suggested`;
  const raised = await raiseFindings(
    context,
    tx,
    row,
    [
      {
        key: once,
        severity: 'INFO',
        category: 'suggestion',
        message,
        evidence: [],
        raisedBy: actor.id,
      },
    ],
    actor,
  );
  const by = await showName(tx, actor.id);
  const [finding_id = once] = raised.ids;
  const facts = { code: 'suggested' as const, plan_id: row.id, title: row.title, by, finding_id };
  return { plan: await readPlan(tx, row.id), says: { kind: 'notice', facts, action: null }, once };
}

/** Gives the plan's own run its new version. The caller holds the plan's lock. */
export async function followVersion(tx: Transaction, row: PlanRow): Promise<void> {
  if (row.run_id === null) return;
  const run = await lockRun(tx, row.run_id);
  if (run.plan_id !== row.id) return;
  await updateRun(tx, run.id, { plan_version: row.version, plan_digest: row.digest });
}
