// Proposes exported plans, unapproved; checks but drops their history.
import { createHash, type Hash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Database, Queryable } from '#db/database.ts';
import { audit, plans } from '#db/schema.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanDraft, PlanStatus } from '#domain/plan/plan.ts';
import { draftOf } from '#domain/plan/step-content.ts';
import type { Service } from '#domain/service.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { parseJson } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { isFreePlanId } from '../change/propose.ts';
import { digestPlan } from '../content/digests.ts';
import { type PlanLine, type StepLine, TransferLine, transferVersion } from './format.ts';

/** `plan_id`: its ID here. */
export type Imported = { id: string; status: PlanStatus } & (
  | { outcome: 'proposed' | 'here already'; plan_id: string }
  | { outcome: 'ended' }
  | { outcome: 'refused'; reason: string }
);

const isOver = new Set<PlanStatus>(['completed', 'failed', 'rejected', 'cancelled']);

const bad = (reason: string) =>
  new CountersignError('invalid_request', `This file cannot be imported: ${reason}`);

type Whole = { plan: PlanLine; steps: StepLine[] };

function proposalOf({ plan, steps }: Whole, exportedAt: string): PlanDraft {
  const { content, status, begun, total } = plan;
  const from = `Imported: ${content.id}, version ${content.version}, exported ${exportedAt}`;
  const { summary, context, risks } = content;
  const again = `It was ${status} where it comes from: ${begun} of ${total} steps had begun or ended there, and would run again here.`;
  return {
    title: content.title,
    summary: shorten(summary === null ? from : `${summary} (${from})`, 1000),
    steps: steps.flatMap(({ content: step, occurrence }) =>
      occurrence === true ? [] : [draftOf(step)],
    ),
    context: { ...context, artifacts: [] },
    risks: begun === 0 ? risks : [{ text: again }, ...risks.slice(0, 49)],
    approvers: content.approver_policy,
    ...(content.step_approval === undefined ? {} : { step_approval: content.step_approval }),
    ...(content.series === undefined ? {} : { series: content.series }),
  };
}

/** Null unless imported before, or from here. */
async function findImported(db: Queryable, { content, digest }: PlanLine): Promise<string | null> {
  const { id } = content;
  if (await isFreePlanId(db, id)) return null;
  const isSame = and(eq(plans.id, id), eq(plans.digest, digest));
  const [same] = await db.select({ id: plans.id }).from(plans).where(isSame);
  if (same !== undefined) return same.id;
  const wasImported = and(
    eq(audit.action, 'import'),
    sql`${audit.data}->>'id' = ${id} and ${audit.data}->>'digest' = ${digest}`,
  );
  const [before] = await db
    .select({ id: plans.id })
    .from(audit)
    .innerJoin(plans, eq(plans.id, audit.plan_id))
    .where(wasImported)
    .limit(1);
  return before?.id ?? null;
}

async function importPlan(
  { db, service }: { db: Database; service: Service },
  whole: Whole,
  { exportedAt, ended, actor }: { exportedAt: string; ended: boolean; actor: Actor },
): Promise<Imported> {
  const { content, digest, status, requester, tenant } = whole.plan;
  const { id } = content;
  const actual = await digestPlan(
    content,
    whole.steps.map((step) => step.content),
  );
  if (actual !== digest)
    return { id, status, outcome: 'refused', reason: 'its content does not have its digest' };
  const here = await findImported(db.query, whole.plan);
  if (here !== null) return { id, status, outcome: 'here already', plan_id: here };
  if (isOver.has(status) && !ended) return { id, status, outcome: 'ended' };
  try {
    const imported = { id, digest, exported_at: exportedAt };
    const checked = await service.checkProposal(
      proposalOf(whole, exportedAt),
      { user: requester, imported },
      { ...actor, ...(tenant === null ? {} : { tenant }) },
    );
    const plan = await service.commit(checked);
    return { id, status, outcome: 'proposed', plan_id: plan.id };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return { id, status, outcome: 'refused', reason: errorMessage(error) };
  }
}

/**
 * A transaction each, so that a truncated file can be retried.
 * @param ended includes ended plans
 * @throws `invalid_request` for no export, an altered file or a newer format
 */
export async function* importPlans(
  lines: AsyncIterable<string>,
  instance: { db: Database; service: Service },
  { ended, actor }: { ended: boolean; actor: Actor },
): AsyncGenerator<Imported> {
  let exportedAt: string | null = null;
  let open: (Whole & { hash: Hash; lines: number }) | null = null;
  let number = 0;
  for await (const text of lines) {
    number++;
    if (isSliceOver()) await nextTurn();
    if (text === '') continue;
    const read = TransferLine.safeParse(parseJson(text));
    const header = read.success && read.data.kind === 'header' ? read.data : null;
    if (header !== null && header.version > transferVersion)
      throw bad(
        `it is of format ${header.version}, and this version reads ${transferVersion}. Upgrade first.`,
      );
    if (!read.success)
      throw bad(
        `line ${number} is not part of an export. Use a file that “countersign export” wrote.`,
      );
    if (header !== null) {
      exportedAt = header.exported_at;
      continue;
    }
    if (exportedAt === null)
      throw bad(
        'it does not begin with a header. Use a whole file that “countersign export” wrote.',
      );
    const line = read.data;
    if (line.kind === 'plan') {
      if (open !== null) throw bad(`${open.plan.content.id} has no end.`);
      open = { plan: line, steps: [], hash: createHash('sha256'), lines: 0 };
    }
    if (open === null) throw bad(`line ${number} is of no plan.`);
    if (line.kind === 'end') {
      if (line.lines !== open.lines || line.sha256 !== open.hash.digest('hex'))
        throw bad(`${open.plan.content.id} was changed or cut off after it was exported.`);
      const whole: Whole = open;
      open = null;
      yield await importPlan(instance, whole, { exportedAt, ended, actor });
      continue;
    }
    open.hash.update(`${text}\n`);
    open.lines++;
    if (line.kind === 'step') open.steps.push(line);
  }
  if (open !== null) throw bad(`it ends within ${open.plan.content.id}.`);
  if (exportedAt === null) throw bad('it is empty.');
}
