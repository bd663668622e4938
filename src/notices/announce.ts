// Notifies people of plans' outcomes and questions, once each.
import type { Transaction } from '#db/database.ts';
import { readShown } from '#db/people/identities.ts';
import { type FindingRow, readOpenFindings } from '#db/plans/findings.ts';
import { lockPlan, readPlan, readPlanRow } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import type { CallToAction, MessageParts, Progress } from '#domain/chat/message-parts.ts';
import { localPrincipal } from '#domain/people/principal.ts';
import { nameCall } from '#domain/plan/call-words.ts';
import { assigneeOf } from '#domain/plan/human-task.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { Plan, Step } from '#domain/plan/plan.ts';
import { isObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { describeProposal, speakAsBot } from '#messages/store-message.ts';
import { namedIn } from '#people/people-named.ts';
import { describeCall } from '#tools/describe-call.ts';

type Announcing = Pick<ConversationContext, 'db' | 'enqueue'>;

export function newsKey({ id, version }: Pick<Plan, 'id' | 'version'>, what: string): string {
  return `${id}:v${version}:${what}`;
}

type News = { key: string; says: MessageParts; card: boolean };

/** Null if the card says enough. @param planned a planner's run shows each version itself */
function newsOf(plan: Plan, planned: boolean, nameOf: (name: string) => string): News | null {
  const write = (
    key: string,
    status: Progress['status'],
    action: CallToAction | null = null,
  ): News => ({
    key,
    says: {
      kind: 'progress',
      facts: {
        plan_id: plan.id,
        title: plan.title,
        status,
        summary: plan.result_summary ?? '',
        by: plan.decided_by === null ? null : nameOf(plan.decided_by),
      },
      action,
    },
    card: action !== null,
  });
  switch (plan.status) {
    case 'proposed':
      return plan.version === 1 && !planned
        ? { key: 'proposed', says: describeProposal(plan), card: true }
        : null;
    case 'needs_review':
      return { key: 'needs_review', says: describeProposal(plan), card: true };
    case 'completed':
    case 'failed':
      return write(`${plan.status}:${plan.execution_ended_at}`, plan.status);
    case 'stalled':
      return write(`stalled:${plan.updated_at}`, 'stalled', { kind: 'resume' });
    case 'cancelled':
      return write('cancelled', 'cancelled');
    case 'rejected':
      return plan.revising || plan.rejection_history.at(-1)?.feedback != null
        ? null
        : write('rejected', 'rejected');
    case 'approved':
    case 'executing':
      return null;
    default:
      return plan.status satisfies never;
  }
}

const questionsShown = 20;
const problemsShown = 5;

async function readCalled(
  tx: Transaction,
  { decided_by: by, pending_patch: patch }: Plan,
  steps: Step[],
): Promise<(name: string) => string> {
  const named = [by, patch?.proposed_by ?? null, ...steps.flatMap(namedIn)];
  const shown = await readShown(
    tx,
    named.filter((name) => name !== null),
  );
  return (name) => shown.get(name) ?? name;
}

/** Something failed and the plan continues; once it ends, its outcome reports failures. */
function isOngoing({ status, counts }: Plan): boolean {
  return counts.failed > 0 && (status === 'executing' || status === 'stalled');
}

/** Idempotent. @param later low priority */
export async function announce(context: Announcing, planId: string, later = false): Promise<void> {
  const { conversation } = await readPlanRow(context.db.query, planId);
  if (conversation === null) return;
  await context.db.transaction(async (tx) => {
    // Waits for a change being committed, which may have relied on this very job.
    const { run_id } = await lockPlan(tx, planId);
    const plan = await readPlan(tx, planId);
    const asking = plan.counts.waiting + plan.counts.unknown > 0;
    const steps = asking
      ? await readSteps(tx, planId, { status: ['waiting', 'unknown'] }, 0, questionsShown)
      : [];
    const say = (key: string, says: MessageParts, card: boolean) =>
      speakAsBot(
        context,
        tx,
        { conversation, says, planId: card ? planId : null, once: `${planId}:${key}` },
        later,
      );
    const failed = isOngoing(plan)
      ? await readSteps(tx, planId, { status: ['failed'] }, 0, questionsShown)
      : [];
    const nameOf = await readCalled(tx, plan, [...steps, ...failed]);
    for (const step of steps) {
      const question = describeQuestion(plan, step, nameOf);
      // On this machine alone the only reader is meant.
      if (assigneeOf(step) === localPrincipal.account) question.facts.who = null;
      await say(`step:${step.id}:${step.attempt}:${step.status}`, question, true);
    }
    for (const step of failed) {
      const blocked = describeBlocked(step, nameOf);
      if (blocked !== null) await say(`step:${step.id}:${step.attempt}:blocked`, blocked, false);
    }
    for (const finding of await readProblems(tx, plan)) {
      const problem = describeProblem(plan, finding);
      await say(`finding:${finding.id}`, problem, problem.action !== null);
    }
    const { pending_patch: patch } = plan;
    if (patch !== null)
      await say(`patch:${patch.patch_id}`, describePatch(plan, patch, nameOf), true);
    const news = newsOf(plan, run_id !== null, nameOf);
    if (news !== null) await say(`v${plan.version}:${news.key}`, news.says, news.card);
  });
}

function describePatch(
  { id, title }: Plan,
  { proposed_by, widening }: PatchOutcome,
  nameOf: (name: string) => string,
): MessageParts {
  return {
    kind: 'notice',
    facts: {
      code: 'change_waits',
      plan_id: id,
      title,
      by: nameOf(proposed_by),
      reasons: widening,
      waited: null,
    },
    action: { kind: 'change' },
  };
}

/** In an approved plan; earlier ones are on the card that is decided on. */
async function readProblems(tx: Transaction, { id, status }: Plan): Promise<FindingRow[]> {
  if (status === 'proposed' || status === 'needs_review') return [];
  return [
    ...(await readOpenFindings(tx, id, 'CRITICAL', problemsShown)),
    ...(await readOpenFindings(tx, id, 'ERROR', problemsShown)),
  ];
}

function describeProblem(
  { id, title }: Plan,
  { message, stale_steps: held, status: state }: FindingRow,
): Extract<MessageParts, { kind: 'notice' }> {
  const correcting = state === 'replanning';
  return {
    kind: 'notice',
    facts: { code: 'problem_found', plan_id: id, title, text: message, held, correcting },
    action: state === 'open' ? { kind: 'finding' } : null,
  };
}

function answererOf({ output }: Step): string | null {
  const by = isObject(output) ? output.by : undefined;
  return typeof by === 'string' && by !== '' ? by : null;
}

export function describeQuestion(
  { id, title }: Pick<Plan, 'id' | 'title'>,
  step: Step,
  nameOf: (name: string) => string,
): Extract<MessageParts, { kind: 'task' }> {
  const { tool, operation, args, final_args: final } = step;
  const who = assigneeOf(step);
  return {
    kind: 'task',
    facts: {
      plan_id: id,
      title,
      step_id: step.id,
      label: step.label,
      status: step.status === 'unknown' ? 'unknown' : 'waiting',
      who: who === null ? null : nameOf(who),
      question: step.question,
      call: nameCall(describeCall(operationName(tool, operation), undefined, final ?? args)),
      waited: null,
    },
    action: null,
  };
}

export function describeBlocked(step: Step, nameOf: (name: string) => string): MessageParts | null {
  if (step.status !== 'failed' || step.error?.code !== 'blocked') return null;
  const by = answererOf(step);
  return {
    kind: 'notice',
    facts: {
      code: 'step_blocked',
      step_id: step.id,
      label: step.label,
      description: step.description,
      by: by === null ? null : nameOf(by),
      why: step.error.message,
    },
    action: null,
  };
}
