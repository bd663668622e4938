// The people a message asks to act, without those present or done.
// They are mentioned, and notified once by direct message (`src/chat/outbox`).
import { readSpeakersBefore } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import { readLinks, readShown } from '#db/people/identities.ts';
import { readFinding } from '#db/plans/findings.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { type Asked, type AskedFor, maxAsked } from '#domain/chat/asked.ts';
import type { MessageParts, Notice, Task } from '#domain/chat/message-parts.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { assigneeOf } from '#domain/plan/human-task.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readApprovers } from '#plans/authority/approvals.ts';
import { isAmong, isSatisfied, judge, type RuleState } from '#plans/authority/approver-rules.ts';
import { readAuthority } from '#plans/authority/authority.ts';
import { operationsWith } from '#plans/decisions/approve-change.ts';

type Asking = Pick<ConversationContext, 'db' | 'approvers' | 'guardedApprovers' | 'grouping'>;

/** `alone`: its only reader sees it anyway. */
export type Asker = {
  id: number;
  conversation: string;
  plan_id: string | null;
  parts: MessageParts | null;
  alone: boolean;
};

const isThereForMinutes = 10;

/** `groups`: user groups that the chat platform can mention. */
type Found = Pick<Asked, 'key' | 'what' | 'text' | 'by'> & {
  people: string[];
  groups?: ReadonlyMap<string, string> | undefined;
};

/** In an unsatisfied rule; none if it accepts anyone or the requester. */
function namedBy({ rule: { policy } }: RuleState, requester: string, configured: string[]) {
  switch (policy.kind) {
    case 'requester':
      return [requester];
    case 'named':
    case 'n_of':
      return policy.people;
    case 'not_requester':
      return configured;
    case 'anyone':
      return [];
    default:
      return policy satisfies never;
  }
}

async function findApprovers(
  { db, ...configured }: Asking,
  plan: PlanRow,
  of: { version: number; operations: string[] },
): Promise<Required<Pick<Found, 'people' | 'groups'>>> {
  const approved = await readApprovers(db.query, { ...plan, version: of.version });
  const { rules, people } = await readAuthority(db.query, configured, {
    plan,
    approved,
    ...of,
  });
  const open = judge(rules, people, approved).filter((state) => !isSatisfied(state));
  const named = open.flatMap((state) => namedBy(state, plan.requester, people.configured));
  return {
    people: named.filter((name) => !isAmong(people, approved, name)),
    groups: people.groups,
  };
}

async function findForProposal(
  context: Asking,
  plan: PlanRow,
  { version, summary }: { version: number; summary: string },
) {
  const { status } = plan;
  if (plan.version !== version || plan.revising) return null;
  if (status !== 'proposed' && status !== 'needs_review') return null;
  const of = { version, operations: plan.tools_required };
  const what: AskedFor = status === 'needs_review' ? 'review' : 'approve';
  return {
    key: `v${version}:${what}`,
    what,
    text: summary,
    by: plan.requester,
    ...(await findApprovers(context, plan, of)),
  };
}

async function findForTask({ db }: Asking, plan: PlanRow, { step_id, status }: Task) {
  const [step] = await readStepsById(db.query, plan.id, [step_id]);
  if (step?.status !== status) return null;
  const unknown = status === 'unknown';
  const person = unknown ? plan.requester : (assigneeOf(step) ?? plan.requester);
  return {
    key: `step:${step_id}:${step.attempt}:${status}`,
    what: unknown ? ('settle' as const) : ('task' as const),
    text: step.question ?? step.description,
    by: plan.requester,
    people: [person],
  };
}

async function findForChange(
  context: Asking,
  plan: PlanRow,
  { by }: Extract<Notice, { code: 'change_waits' }>,
) {
  const { query } = context.db;
  const patch = await findWaitingPatch(query, plan.id);
  if (patch === null) return null;
  const { version, proposed_by, widening } = patch;
  const operations = await operationsWith(query, plan, patch.id);
  const { people, groups } = await findApprovers(context, plan, { version, operations });
  return {
    key: `patch:${patch.id}`,
    what: 'change' as const,
    text: widening[0] ?? '',
    by,
    // Its proposer knows about it.
    people: people.filter((name) => !isSamePerson(name, proposed_by)),
    groups,
  };
}

async function findForSuggestion(
  { db }: Asking,
  { id, requester }: PlanRow,
  { finding_id, by }: Extract<Notice, { code: 'suggested' }>,
): Promise<Found | null> {
  const finding = await readFinding(db.query, id, finding_id);
  if (finding?.status !== 'open') return null;
  const key = `suggestion:${finding_id}`;
  return { key, what: 'suggestion', text: finding.message, by, people: [requester] };
}

/** If still open; a reminder repeats it. */
async function findAsked(
  context: Asking,
  plan: PlanRow,
  parts: MessageParts | null,
): Promise<Found | null> {
  switch (parts?.kind) {
    case 'proposal':
      return findForProposal(context, plan, parts.facts);
    case 'task':
      return parts.facts.waited === null ? findForTask(context, plan, parts.facts) : null;
    case 'notice': {
      const { facts } = parts;
      if (facts.code === 'suggested') return findForSuggestion(context, plan, facts);
      if (facts.code !== 'change_waits' || facts.waited !== null) return null;
      return findForChange(context, plan, facts);
    }
    default:
      return null;
  }
}

/** In a shared conversation, recent writers. */
function readThere(db: Queryable, { id, conversation, alone }: Asker): Promise<string[]> {
  return readSpeakersBefore(db, conversation, { id, minutes: alone ? null : isThereForMinutes });
}

export async function readAsked(context: Asking, message: Asker): Promise<Asked | null> {
  const { plan_id, parts } = message;
  if (plan_id === null || parts === null) return null;
  const db = context.db.query;
  const plan = await readPlanRow(db, plan_id);
  const found = await findAsked(context, plan, parts);
  if (found === null || found.people.length === 0) return null;
  // The requester waits for the plan.
  const waits = found.what === 'approve' ? [plan.requester] : [];
  const there = [...(await readThere(db, message)), ...waits];
  const { same } = await readLinks(db, [...found.people, ...there]);
  const absent = found.people.filter(
    (name, index) =>
      !isAmong({ same }, there, name) && !isAmong({ same }, found.people.slice(0, index), name),
  );
  const { people: _, groups, ...what } = found;
  // In a direct message, mentioning a Slack group as a whole would notify none of its members.
  const asGroups = message.conversation.startsWith('slack-') && !message.alone;
  const asked = asGroups ? [...new Set(absent.map((name) => groups?.get(name) ?? name))] : absent;
  if (asked.length === 0 || asked.length > maxAsked) return null;
  const shown = await readShown(db, [...asked, found.by]);
  return {
    ...what,
    key: `asked:${plan_id}:${found.key}`,
    plan_id,
    title: plan.title,
    by: shown.get(found.by) ?? found.by,
    people: asked.map((name) => ({ name, shown: shown.get(name) ?? name })),
  };
}
