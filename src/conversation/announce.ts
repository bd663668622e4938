// What people are told when a plan has changed: its outcome, and what waits for them. Each thing once, whatever happens.
import { assigneeOf } from '#contracts/assignee.ts';
import { nameCall } from '#contracts/call-words.ts';
import type { PatchOutcome } from '#contracts/patch-outcome.ts';
import type { Plan, Step } from '#contracts/plan.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import { operationName } from '#contracts/tool.ts';
import { countOf } from '#contracts/words.ts';
import type { Transaction } from '#store/database.ts';
import { readShown } from '#store/person-names.ts';
import { lockPlan, readPlan, readPlanRow } from '#store/plans.ts';
import { readSteps } from '#store/step-pages.ts';
import { describeCall } from '#tools/describe-call.ts';
import { describeProposal } from './call-to-action.ts';
import type { ConversationContext } from './conversation-context.ts';
import { namedIn } from './people-named.ts';
import { speakAsBot } from './speak.ts';

type Announcing = Pick<ConversationContext, 'db' | 'enqueue'>;

/** The key under which news of a version is said once. */
export function newsKey({ id, version }: Pick<Plan, 'id' | 'version'>, what: string): string {
  return `${id}:v${version}:${what}`;
}

/**
 * The news of a plan's present status; null when the card says enough.
 * @param planned a planner's run shows each version itself
 */
function newsOf(
  plan: Plan,
  planned: boolean,
  called: (name: string) => string,
): { key: string; text: string; card: boolean } | null {
  const name = `${plan.id} “${plan.title}”`;
  switch (plan.status) {
    case 'proposed':
      return plan.version === 1 && !planned
        ? { key: 'proposed', text: describeProposal(plan), card: true }
        : null;
    case 'needs_review':
      return { key: 'needs_review', text: describeProposal(plan), card: true };
    case 'completed':
      return {
        key: `completed:${plan.execution_ended_at}`,
        text: `${name} is done. ${plan.result_summary ?? ''}`,
        card: false,
      };
    case 'failed':
      return {
        key: `failed:${plan.execution_ended_at}`,
        text: `${name} failed. ${plan.result_summary ?? ''}`,
        card: false,
      };
    case 'stalled':
      return {
        key: `stalled:${plan.updated_at}`,
        text: `${name} stands still. ${plan.result_summary ?? ''} Reply “cancel”, or resume it on its card.`,
        card: true,
      };
    case 'cancelled':
      return {
        key: 'cancelled',
        text: `${name} is cancelled${plan.decided_by === null ? `. ${plan.result_summary ?? ''}` : ` by ${called(plan.decided_by)}.`}`,
        card: false,
      };
    case 'rejected':
      return plan.revising || plan.rejection_history.at(-1)?.feedback != null
        ? null
        : {
            key: 'rejected',
            text: `${name} is rejected by ${plan.decided_by === null ? 'a person' : called(plan.decided_by)}. Nothing has run.`,
            card: false,
          };
    case 'approved':
    case 'executing':
      return null;
    default:
      return plan.status satisfies never;
  }
}

const questionsShown = 20;

/** What readers are shown in the place of those whom the news can name. */
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

/** Whether something has failed and the plan goes on; once it has ended, its outcome says what failed. */
function goesOn({ status, counts }: Plan): boolean {
  return counts.failed > 0 && (status === 'executing' || status === 'stalled');
}

/** Says in the plan's conversation what is new about it. Safe to call at any time and any number of times. */
export async function announce(context: Announcing, planId: string): Promise<void> {
  const { conversation } = await readPlanRow(context.db.query, planId);
  if (conversation === null) return;
  await context.db.transaction(async (tx) => {
    // A change that is being committed holds this lock: it may have counted on the job that brought us here.
    const { run_id } = await lockPlan(tx, planId);
    const plan = await readPlan(tx, planId);
    const asking = plan.counts.waiting + plan.counts.unknown > 0;
    const steps = asking
      ? await readSteps(tx, planId, { status: ['waiting', 'unknown'] }, 0, questionsShown)
      : [];
    const say = (key: string, text: string, card: boolean) =>
      sayOnce(context, tx, conversation, planId, key, text, card);
    const failed = goesOn(plan)
      ? await readSteps(tx, planId, { status: ['failed'] }, 0, questionsShown)
      : [];
    const called = await readCalled(tx, plan, [...steps, ...failed]);
    for (const step of steps) {
      const question = describeQuestion(step, called);
      await say(`step:${step.id}:${step.attempt}:${step.status}`, question, true);
    }
    for (const step of failed) {
      const blocked = describeBlocked(step, called);
      if (blocked !== null) await say(`step:${step.id}:${step.attempt}:blocked`, blocked, false);
    }
    const { pending_patch: patch } = plan;
    if (patch !== null)
      await say(`patch:${patch.patch_id}`, describePatch(plan, patch, called), true);
    const news = newsOf(plan, run_id !== null, called);
    if (news !== null) await say(`v${plan.version}:${news.key}`, news.text.trim(), news.card);
  });
}

function describePatch(
  { id, title }: Plan,
  { proposed_by, widening }: PatchOutcome,
  called: (name: string) => string,
): string {
  const more = widening.length > 1 ? ` And ${countOf(widening.length - 1, 'more reason')}.` : '';
  return `A change of ${id} “${title}” by ${called(proposed_by)} needs an approval: ${widening[0] ?? ''}${more} Approve or reject it on the plan's card; until then the plan goes on with what was approved.`;
}

async function sayOnce(
  context: Announcing,
  tx: Transaction,
  conversation: string,
  planId: string,
  key: string,
  text: string,
  card: boolean,
): Promise<void> {
  await speakAsBot(context, tx, {
    conversation,
    text,
    planId: card ? planId : null,
    once: `${planId}:${key}`,
  });
}

// What is said about steps that wait for a person's word, and about those a person could not do.
function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who answered a step; null: it does not say. */
function answererOf({ output }: Step): string | null {
  const by = isObject(output) ? output.by : undefined;
  return typeof by === 'string' && by !== '' ? by : null;
}

function callAssignee(step: Step, called: (name: string) => string): string | null {
  const name = assigneeOf(step);
  return name === null ? null : called(name);
}

/** What was called, where nobody knows what became of it. */
function nameOf({ tool, operation, args, final_args: final }: Step): string {
  return nameCall(describeCall(operationName(tool, operation), undefined, final ?? args));
}

/** The question of a step that waits, or whose outcome nobody knows. */
export function describeQuestion(step: Step, called: (name: string) => string): string {
  const question = step.question ?? 'It waits for you.';
  return step.status === 'unknown'
    ? `Step ${step.id} (${nameOf(step)}): ${question} Say what became of it.`
    : `Step ${step.id} waits for ${callAssignee(step, called) ?? 'you'}: ${question}`;
}

/** Who could not do their step, and why; null for any other step. */
export function describeBlocked(step: Step, called: (name: string) => string): string | null {
  if (step.status !== 'failed' || step.error?.code !== 'blocked') return null;
  const by = answererOf(step);
  const who = by === null ? '' : `, as ${called(by)} says`;
  return `Step ${step.id} (${step.description}) is blocked${who}: ${step.error.message} What depends on it is skipped; the rest goes on. The step can be asked again.`;
}
