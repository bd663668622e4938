// Existing plans for planners: read, tried, and changed as proposed.
import { confirmAnswer } from '#cards/decision-words.ts';
import { isShownIn } from '#db/chat/messages.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { giveRequests } from '#db/people/data-requests.ts';
import { isOnePerson } from '#db/people/identities.ts';
import { type RunRow, readRun, tenantOfTurn } from '#db/planning/runs.ts';
import { readFinding } from '#db/plans/findings.ts';
import { readPatchOutcome } from '#db/plans/patches.ts';
import { type PlanRow, readPlan, readPlanRow, readPlansOf } from '#db/plans/plans.ts';
import { planNotFound } from '#db/plans/rows.ts';
import { readStepsById } from '#db/steps/pages.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, system } from '#domain/people/actor.ts';
import type { StepAnswer } from '#domain/plan/answer.ts';
import { fieldsOf } from '#domain/plan/form.ts';
import { isConfirmation, isHumanTask } from '#domain/plan/human-task.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { Plan, PlanDraft, Step } from '#domain/plan/plan.ts';
import type { GivenToStep } from '#domain/planning/state.ts';
import { isObject } from '#domain/text.ts';
import type { ConversationContext } from '#messages/context.ts';
import { describeProposal } from '#messages/store-message.ts';
import { readPolicyOf } from '#people/policy.ts';
import type { PlansAtHand } from '#planner/ports.ts';
import type { PlanInRepair } from '#planner/replan/replan-tools.ts';
import { readAnswering } from '#plans/authority/asked-person.ts';
import { checkPatch } from '#plans/change/receive.ts';
import { isGated } from '#plans/change/write-version.ts';
import {
  readAnswer,
  readYesOrNo,
  summariseAnswer,
  tellYesOrNo,
} from '#plans/decisions/human-answers.ts';
import { mayBeApproved, sourcesOf } from '#plans/lifecycle/lifecycle-table.ts';
import {
  draftOfPlan,
  draftOfPlaybook,
  getPlaybook,
  listPlaybooks,
} from '#plans/playbooks/playbooks.ts';
import { findPatchProblems } from '#plans/replan/try.ts';
import { readAffectedPage, readBriefPage } from '#plans/views/brief.ts';
import { readDraft, revisableSteps } from '#plans/views/draft.ts';
import { followVersion, speakersOf } from './change-waiting.ts';

type Asking = Pick<RunRow, 'conversation' | 'user'>;

/** Changes are proposed in the planner's name; only a person decides on them. */
function actorOf(planner: string): Actor {
  return { kind: 'model', id: planner, via: 'system' };
}

/** In the run's conversation, or its requester's. */
async function isAtHand(
  db: Queryable,
  { conversation, user }: Asking,
  row: PlanRow,
): Promise<boolean> {
  return (
    row.conversation === conversation ||
    (await isShownIn(db, conversation, row.id)) ||
    (await isOnePerson(db, row.requester, user))
  );
}

/** @throws `plan_not_found` */
async function requireAtHand(db: Queryable, run: Asking, row: PlanRow): Promise<void> {
  if (!(await isAtHand(db, run, row))) throw planNotFound(row.id);
}

async function readWaiting(
  db: Queryable,
  run: Asking,
  id: string,
): Promise<{ draft: PlanDraft; version: number } | null> {
  const row = await readPlanRow(db, id);
  if (isGated(row) || row.total > revisableSteps || !(await isAtHand(db, run, row))) return null;
  return { draft: await readDraft(db, id), version: row.version };
}

/** The run's organisation last. Playbooks without one count unless several share the instance. */
function ownersOf(run: RunRow, apart: boolean): Pick<Actor, 'tenant'>[] {
  const tenant = tenantOfTurn(run);
  if (tenant === null) return [{}];
  return apart ? [{ tenant }] : [{}, { tenant }];
}

/** @param contextOf created after the planner @param isApart several organisations share the instance */
export function createPlansAtHand(
  contextOf: () => ConversationContext,
  isApart: () => boolean,
): PlansAtHand {
  return {
    readPage: (_, id, after) => readBriefPage(contextOf().db.query, id, after),
    readDraft: (_, id, values = {}) => draftOfPlan(contextOf().db.query, id, values),
    async readPlaybook(runId, name, values) {
      const { db, timezone } = contextOf();
      const owners = ownersOf(await readRun(db.query, runId), isApart());
      return draftOfPlaybook(
        await getPlaybook({ query: db.query, timezone }, name, owners),
        values,
      );
    },
    async listPlaybooks(runId) {
      const { db, timezone } = contextOf();
      const owners = ownersOf(await readRun(db.query, runId), isApart());
      return listPlaybooks({ query: db.query, timezone }, owners);
    },
    async readWaiting(runId, id) {
      const { query } = contextOf().db;
      return readWaiting(query, await readRun(query, runId), id);
    },
    async isAtHand(runId, id) {
      const { query } = contextOf().db;
      try {
        return await isAtHand(query, await readRun(query, runId), await readPlanRow(query, id));
      } catch (error) {
        if (error instanceof CountersignError && error.passesAfterMs === null) return false;
        throw error;
      }
    },
    async listWaiting(runId) {
      const { query } = contextOf().db;
      const { conversation } = await readRun(query, runId);
      const waiting = await readPlansOf(query, conversation, sourcesOf('approve'));
      return waiting.filter(({ revising }) => !revising);
    },
    async readAnswer(runId, id, stepId, answer) {
      const { query } = contextOf().db;
      const row = await readPlanRow(query, id);
      const run = await readRun(query, runId);
      await requireAtHand(query, run, row);
      return readGiven(contextOf(), row, stepId, answer, speakersOf(run));
    },
    async tryChange(runId, id, change) {
      const context = contextOf();
      const { query } = context.db;
      const run = await readRun(query, runId);
      try {
        await requireAtHand(query, run, await readPlanRow(query, id));
      } catch (error) {
        if (error instanceof CountersignError) return [error.message];
        throw error;
      }
      return findPatchProblems(context, id, change, actorOf(context.planner.name), runId);
    },
  };
}

/** For a repairing planner. The plan itself asked, so people are not asked. */
export function createPlanInRepair(contextOf: () => ConversationContext): PlanInRepair {
  return {
    async readAffected(planId, findingId, after) {
      const { query } = contextOf().db;
      const finding = await readFinding(query, planId, findingId);
      if (finding === null) throw planNotFound(planId);
      return readAffectedPage(query, planId, finding, after);
    },
    readPage: (planId, after) => readBriefPage(contextOf().db.query, planId, after),
    tryChange: (planId, change) => findPatchProblems(contextOf(), planId, change, system, null),
  };
}

function fillIn(step: Step, answer: StepAnswer): StepAnswer {
  const [field, ...others] = fieldsOf(isObject(step.output) ? step.output.form : undefined);
  if (typeof answer !== 'string' || field === undefined || others.length > 0) return answer;
  return { [field.name]: answer };
}

async function readGiven(
  context: ConversationContext,
  { id: plan_id, version }: PlanRow,
  stepId: string,
  reply: StepAnswer,
  speakers: Actor[],
): Promise<{ given: GivenToStep; text: string } | { problems: string[] }> {
  const { query } = context.db;
  const [step] = await readStepsById(query, plan_id, [stepId]);
  if (step === undefined) return { problems: [`${plan_id} has no step "${stepId}".`] };
  if (step.status !== 'waiting')
    return { problems: [`Step ${step.label} is not waiting for an answer; it is ${step.status}.`] };
  if (!isHumanTask(step))
    return {
      problems: [`Step ${step.label} asks for a confirmation, which is given on its card only.`],
    };
  const answer = fillIn(step, reply);
  const settlement = {
    version,
    steps: { [stepId]: 'done' as const },
    answers: { [stepId]: answer },
  };
  const refusals: string[] = [];
  for (const speaker of speakers)
    try {
      await readAnswering(query, context, [step], settlement.steps, settlement, speaker);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      refusals.push(error.message);
    }
  if (refusals.length === speakers.length) return { problems: refusals.slice(0, 1) };
  const { problems, ...read } = isConfirmation(step)
    ? readYesOrNo(step, 'done', settlement)
    : readAnswer(step, settlement, false);
  if (problems.length > 0) return { problems: problems.map(({ message }) => message) };
  const text = confirmAnswer({
    label: step.label,
    question: step.question ?? step.description,
    answer: 'note' in read ? tellYesOrNo(read) : summariseAnswer(step, read, ''),
  });
  return { given: { plan_id, step_id: stepId, attempt: step.attempt, answer }, text };
}

type StoredChange = { plan: Plan; says: MessageParts; once: string };

/** The commit puts it up for approval; a waiting plan gets its next version. @throws (and the commit) the reason against it */
export async function prepareChange(
  context: ConversationContext,
  run: RunRow,
  { plan_id: id, patch, why }: { plan_id: string; patch: PlanPatch; why: string },
  planner: string,
): Promise<(tx: Transaction) => Promise<StoredChange>> {
  const check = async (tx: Transaction, row: PlanRow) => {
    await requireAtHand(tx, run, row);
    if (!isGated(row)) await followVersion(tx, row);
  };
  const row = await readPlanRow(context.db.query, id);
  await requireAtHand(context.db.query, run, row);
  const { title, summary = null, ...change } = patch;
  // A summary says what the version before did.
  const words = isGated(row) ? {} : { ...(title === undefined ? {} : { title }), summary };
  const commit = await checkPatch(
    context,
    id,
    { ...change, ...words },
    actorOf(planner),
    check,
    true,
  );
  return async (tx) => {
    // Fetched data belongs to the plan that is changed.
    await giveRequests(tx, run.id, id);
    const { patch_id } = await commit(tx);
    const plan = await readPlan(tx, id);
    const once = `${id}:patch:${patch_id}`;
    if (mayBeApproved(plan.status)) {
      const { tone } = await readPolicyOf(tx, run);
      return { plan, says: describeProposal(plan, tone), once };
    }
    const change = await readPatchOutcome(tx, patch_id);
    const says: MessageParts = {
      kind: 'notice',
      facts: {
        code: 'change_waits',
        plan_id: id,
        title: plan.title,
        by: planner,
        reasons: change.widening,
        waited: null,
        why,
      },
      action: { kind: 'change' },
    };
    return { plan, says, once };
  };
}

/** @throws `plan_not_found`, `run_not_found` */
export async function isAbout(
  db: Queryable,
  conversation: string,
  subject: { plan_id: string } | { run_id: string },
): Promise<boolean> {
  if ('run_id' in subject) return (await readRun(db, subject.run_id)).conversation === conversation;
  const plan = await readPlanRow(db, subject.plan_id);
  return plan.conversation === conversation || isShownIn(db, conversation, subject.plan_id);
}
