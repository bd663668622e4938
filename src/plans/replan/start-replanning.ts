// Starts replanning: the system adds a working and a checking step.
import { eq } from 'drizzle-orm';
import { readManifests } from '#db/backends.ts';
import type { Transaction } from '#db/database.ts';
import { readFinding, updateFindings } from '#db/plans/findings.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { findDueFindings, findPlansToReplan, readTries } from '#db/plans/replanning.ts';
import { planFindings } from '#db/schema.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, system } from '#domain/people/actor.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { maxReplans, pairOf, replanOperation, verifyOperation } from '#domain/plan/replan.ts';
import { operationName } from '#domain/tool.ts';
import { endSentence, onOneLine, shorten } from '#domain/words.ts';
import { applyWithoutApproval } from '../change/apply.ts';
import { rulesFor } from '../change/receive.ts';
import { resolvePatch } from '../change/resolve.ts';
import { continuePlan } from '../decisions/resume.ts';
import { raiseFindings } from '../findings/raise.ts';
import { reviveSkipped } from '../lifecycle/ended-steps.ts';
import { statusWords } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';

const plansATurn = 200;
const maxRefused = 20;

function canAdd({ catalogue }: PlansContext, row: PlanRow): boolean {
  if (row.status !== 'executing') return false;
  // An altered plan must not continue.
  if (row.digest !== row.approved_digest) return false;
  return [replanOperation, verifyOperation].every(
    (one) => catalogue.of(row.tenant).get(operationName('plan', one)) !== undefined,
  );
}

type Try = { number: number; after: string | null; refused: string[] };

function stepsOfTry(
  finding: Pick<Finding, 'id' | 'message'>,
  { number, after, refused }: Try,
): PatchOperation[] {
  const { replan, verify } = pairOf(number);
  const about = onOneLine(finding.message, 200);
  // Stale steps wait for these.
  const common = { tool: 'plan', priority: 1_000_000 };
  return [
    {
      op: 'add_step',
      step: {
        ...common,
        id: replan,
        description: `Replan: ${about}`,
        operation: replanOperation,
        args: { finding: finding.id, ...(refused.length === 0 ? {} : { refused }) },
        ...(after === null ? {} : { after: [after] }),
      },
    },
    {
      op: 'add_step',
      step: {
        ...common,
        id: verify,
        description: 'Check the change',
        operation: verifyOperation,
        args: { finding: finding.id, patch: { $from: replan, path: '/patch' } },
        after: [replan],
      },
    },
  ];
}

async function addTry(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  finding: Pick<Finding, 'id' | 'message'>,
  attempt: Try,
): Promise<PlanRow> {
  const operations = stepsOfTry(finding, attempt);
  const patch = { base_revision: row.revision, operations };
  const effect = await resolvePatch(tx, row, rulesFor(context, row), patch);
  const by = { actor: system, reason: `To correct problem ${finding.id}.` };
  return applyWithoutApproval(context, tx, row, operations, effect, by);
}

/** Hands over to a person. Under the lock. */
export async function giveUpReplanning(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  finding: Pick<Finding, 'id' | 'message' | 'replans'>,
  why: string,
): Promise<void> {
  await updateFindings(
    tx,
    row.id,
    ['open', 'replanning'],
    { status: 'open', replans: Math.max(1, finding.replans) },
    eq(planFindings.id, finding.id),
  );
  await raiseFindings(context, tx, row, [
    {
      key: `replanning ${finding.id} ${finding.replans}`,
      severity: 'CRITICAL',
      category: 'replanning',
      message: `The plan could not be corrected: ${endSentence(shorten(why, 1000))} The problem was: ${endSentence(onOneLine(finding.message, 200))} Please decide what happens to the steps on hold.`,
      evidence: [{ data: { finding: finding.id, tries: finding.replans } }],
      raisedBy: system.id,
    },
  ]);
}

const tooMany = ([why]: string[]) =>
  `${maxReplans} attempts failed${why === undefined ? '' : `. The last one: ${why}`}`;

/**
 * A finding whose last try failed, else the oldest serious unhandled one; nothing while a try is under way or a change waits.
 * Under the lock.
 * @param last the failed try and why
 */
export async function startReplanning(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  last: { step: string; refused: string[] } | null = null,
): Promise<PlanRow> {
  if (!canAdd(context, row) || (await findWaitingPatch(tx, row.id)) !== null) return row;
  const { latest, underWay } = await readTries(tx, row.id);
  if (underWay && pairOf(latest).verify !== last?.step) return row;
  for (const due of await findDueFindings(tx, row.id, context.replan === 'automatic')) {
    const finding = await readFinding(tx, row.id, due.id);
    if (finding === null) continue;
    const refused = finding.status === 'replanning' ? (last?.refused ?? []) : [];
    if (finding.replans >= maxReplans) {
      await giveUpReplanning(context, tx, row, finding, tooMany(refused));
      continue;
    }
    if (finding.replans === 0 && due.earlier >= maxReplans) {
      await giveUpReplanning(
        context,
        tx,
        row,
        finding,
        `It was already corrected ${due.earlier} times for this kind of problem.`,
      );
      continue;
    }
    await updateFindings(
      tx,
      row.id,
      ['open', 'replanning'],
      { status: 'replanning', replans: finding.replans + 1, patch_id: null },
      eq(planFindings.id, finding.id),
    );
    return addTry(context, tx, row, finding, {
      number: latest + 1,
      after: last?.step ?? null,
      refused: refused.slice(0, maxRefused).map((reason) => shorten(reason, 2000)),
    });
  }
  return lockPlan(tx, row.id);
}

/** Already counted. Under the lock. Ended plans continue. @throws `invalid_transition` with the reason */
export async function replanForPerson(
  context: PlansContext,
  tx: Transaction,
  seen: PlanRow,
  finding: Pick<Finding, 'id' | 'message'>,
  actor: Actor,
): Promise<void> {
  const refuse = (message: string) => new CountersignError('invalid_transition', message);
  if ((await findWaitingPatch(tx, seen.id)) !== null)
    throw refuse('A change of this plan is waiting for approval. Approve or reject it first.');
  const { latest, underWay } = await readTries(tx, seen.id);
  if (underWay)
    throw refuse('A correction of this plan is already being worked out. Wait until it is done.');
  const row = await continuePlan(context, tx, seen, actor);
  if (!canAdd(context, row))
    throw refuse(`This plan is ${statusWords[row.status]}, so it can't be corrected now.`);
  await addTry(context, tx, row, finding, { number: latest + 1, after: null, refused: [] });
  if (row.status !== seen.status) await reviveSkipped(tx, row.id, context.onFailure);
}

type SweepContext = PlansContext & { warn(message: string, error?: unknown): void };

/** Safe in many processes at once. */
export async function replanPlans(context: SweepContext): Promise<void> {
  const { db, catalogue } = context;
  const due = await findPlansToReplan(db.query, context.replan === 'automatic', plansATurn);
  if (due.length === 0) return;
  await catalogue.refresh(() => readManifests(db.query));
  for (const id of due) {
    await db
      .transaction(async (tx) => {
        await startReplanning(context, tx, await lockPlan(tx, id));
      })
      .catch((error: unknown) => context.warn(`${id} could not be replanned.`, error));
  }
}
