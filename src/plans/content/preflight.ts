// Checks plan, tools, arguments and budget at approval and start.
import { and, eq } from 'drizzle-orm';
import { readManifests } from '#db/backends.ts';
import type { Queryable } from '#db/database.ts';
import { readSpending, readUsualStepCost } from '#db/planning/spending.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { planVersions } from '#db/schema.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { readOperations } from '#db/steps/steps.ts';
import { type Caps, describeCap, dollars, findExceeded } from '#domain/budget.ts';
import { startOfUtcDay } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { hasRuntime, openArguments } from '#domain/plan/arguments.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Simulation } from '#domain/service.ts';
import { type Catalogue, doesMore, operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import type { PlansContext } from '../plans-context.ts';
import {
  digestPlan,
  findChangedOperation,
  type PlanHeader,
  termsOf,
  withDigests,
} from './digests.ts';

export type PreflightProblem = Simulation['problems'][number];

const shownProblems = 20;

export type VersionRow = typeof planVersions.$inferSelect;

export async function findVersion(
  db: Queryable,
  { id, version }: Pick<PlanRow, 'id' | 'version'>,
): Promise<VersionRow | null> {
  const [found] = await db
    .select()
    .from(planVersions)
    .where(and(eq(planVersions.plan_id, id), eq(planVersions.version, version)));
  return found ?? null;
}

export async function readVersion(
  db: Queryable,
  row: Pick<PlanRow, 'id' | 'version'>,
): Promise<VersionRow> {
  const found = await findVersion(db, row);
  if (found === null) throw new Error(`readVersion: ${row.id} has no version ${row.version}`);
  return found;
}

export function headerOf(
  row: Pick<PlanRow, 'executor_model'>,
  version: Omit<VersionRow, 'created_at'>,
): PlanHeader {
  return {
    id: version.plan_id,
    version: version.version,
    title: version.title,
    summary: version.summary,
    context: version.context,
    risks: version.risks,
    approver_policy: version.approver_policy,
    executor_model: row.executor_model,
    tools_required: version.tools_required,
    ...termsOf(version.confirm_each, version.series),
    ...withDigests(version.operation_digests),
  };
}

export async function readHeader(db: Queryable, row: PlanRow): Promise<PlanHeader> {
  return headerOf(row, await readVersion(db, row));
}

function checkStep(
  step: Step,
  catalogue: Catalogue,
  findChange: (name: string) => string | null,
): string[] {
  const name = operationName(step.tool, step.operation);
  const spec = catalogue.get(name);
  if (spec === undefined) return [`${name} is no longer available.`];
  const change = findChange(name);
  if (change !== null) return [change];
  if (doesMore(spec.effect, step.effect)) {
    return [
      `${name} was proposed as ${step.effect} and is ${spec.effect} now; propose the plan again.`,
    ];
  }
  const open = openArguments(step.args);
  return catalogue.validate(name, step.args, open).map((reason) => `${name}: ${reason}.`);
}

/** At most 20. Streams the steps, recomputing the digest. */
export async function findPreflightProblems(
  db: Queryable,
  context: Pick<PlansContext, 'catalogue' | 'modelBudget' | 'clock'>,
  row: PlanRow,
): Promise<PreflightProblem[]> {
  const { clock } = context;
  const problems: PreflightProblem[] = [];
  const report = (step: Pick<Step, 'id' | 'label'> | null, reason: string) => {
    if (problems.length >= shownProblems) return;
    const about = step === null ? { step_id: null } : { step_id: step.id, label: step.label };
    problems.push({ ...about, reason });
  };
  await context.catalogue.refresh(() => readManifests(db));
  const catalogue = context.catalogue.of(row.tenant);
  const tools = new Set(
    (await readOperations(db, row.id)).map(
      ({ operation }) => catalogue.get(operation)?.tool ?? operation,
    ),
  );
  for (const state of await Promise.all([...tools].map((tool) => catalogue.check(tool))))
    if (!state.ok) report(null, state.reason);
  const header = await readHeader(db, row);
  const { executor_model: model } = header;
  const modelProblem = model === null ? null : context.catalogue.findModelProblem(model);
  const changes = new Map<string, string | null>();
  const findChange = (name: string) => {
    const found = changes.get(name);
    if (found !== undefined) return found;
    const change = findChangedOperation(header.operation_digests ?? {}, catalogue, name);
    changes.set(name, change);
    return change;
  };
  const modelSteps = createModelStepCount(clock.now());
  async function* checked(): AsyncGenerator<Step> {
    for await (const step of iterateSteps(db, row.id)) {
      for (const reason of checkStep(step, catalogue, findChange)) report(step, reason);
      if (usesModel(step, catalogue)) {
        modelSteps.take(step);
        if (modelProblem !== null) report(step, modelProblem);
      }
      yield step;
    }
  }
  const digest = await digestPlan(header, checked());
  if (digest !== row.digest) {
    report(null, 'The stored plan differs from the one shown: its digest has changed.');
  }
  const unpayable =
    row.execution_started_at === null
      ? await findUnpayable(db, context, row, modelSteps.counted)
      : null;
  if (unpayable !== null) report(null, unpayable);
  return problems;
}

export function describeProblems(problems: PreflightProblem[]): string | null {
  const [first] = problems;
  if (first === undefined) return null;
  const where = first.step_id === null ? '' : `Step ${first.label ?? first.step_id}: `;
  const more = problems.length > 1 ? ` And ${countOf(problems.length - 1, 'more problem')}.` : '';
  return `${where}${first.reason}${more} Nothing has run.`;
}

/** @throws `preflight_failed` naming step and reason */
export function requirePreflight(problems: PreflightProblem[]): void {
  const sentence = describeProblems(problems);
  if (sentence === null) return;
  throw new CountersignError('preflight_failed', sentence, { details: { problems } });
}

export function usesModel(
  step: Pick<Step, 'tool' | 'operation' | 'args'>,
  catalogue: Pick<Catalogue, 'get'>,
): boolean {
  const spec = catalogue.get(operationName(step.tool, step.operation));
  return spec?.usesModel === true || hasRuntime(step.args);
}

const dayMs = 86_400_000;

/** In all, and those that may start this UTC day. */
function createModelStepCount(now: Date) {
  const dayEnds = startOfUtcDay(now).getTime() + dayMs;
  const counted = { all: 0, today: 0 };
  return {
    counted,
    take(step: Step): void {
      counted.all += 1;
      const { not_before: start } = step;
      if (start == null || Date.parse(start) < dayEnds) counted.today += 1;
    },
  };
}

/** Counts steps that have not begun. */
async function findUnpayable(
  db: Queryable,
  { modelBudget, clock }: Pick<PlansContext, 'modelBudget' | 'clock'>,
  { id, executor_model: named }: PlanRow,
  { all, today }: { all: number; today: number },
): Promise<string | null> {
  if (modelBudget === undefined || all === 0) return null;
  const { usual, firstCallUsd } = modelBudget;
  const model = named ?? usual;
  const at = clock.now();
  const { spent, planLimit } = await readSpending(
    db,
    { planId: id },
    { at, dayBegan: startOfUtcDay(at) },
  );
  const each = (await readUsualStepCost(db, model)) ?? firstCallUsd(model);
  const caps: Caps = { ...modelBudget.caps, perPlan: planLimit };
  const ofThePlan: Caps = {
    ...caps,
    ...{ perPerson: undefined, perOrganisation: undefined, perDay: Infinity },
  };
  const exceeded =
    (today === 0 ? null : findExceeded(spent, today * each, caps, true)) ??
    findExceeded(spent, all * each, ofThePlan, true);
  if (exceeded === null || exceeded === 'turn') return null;
  const [count, ask] =
    exceeded === 'session' || exceeded === 'plan' ? [all, ''] : [today, ' today'];
  const { cap, remedy } = describeCap(exceeded, caps);
  return `${countOf(count, 'step')} may ask ${model}${ask}, for about ${dollars(count * each)}. With ${dollars(spent[exceeded])} spent, that exceeds ${cap}. ${remedy}`;
}
