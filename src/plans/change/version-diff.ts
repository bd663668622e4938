// Compares two versions of a plan, bounded.
import { and, eq, inArray } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { planVersions } from '#db/schema.ts';
import {
  compareSteps,
  readChain,
  readContentsById,
  readLabelsAt,
  readTiming,
  type StepDifference,
} from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import { referencesOf, renameReferences } from '#domain/plan/arguments.ts';
import type { AskingStep } from '#domain/plan/condition-labels.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import type { ComparedStep, VersionDiff } from '#domain/plan/views.ts';
import { createRecent } from '#domain/recent.ts';
import { operationName } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { longestChain } from '#graph/longest-chain.ts';
import { describeCall } from '#tools/describe-call.ts';
import { samePolicy } from '../authority/approver-rules.ts';
import { compareFields } from '../content/changed-fields.ts';
import { compareTerms } from '../content/terms.ts';

const maxListed = 100;
const maxDescription = 300;
const maxKept = 16;

type Version = typeof planVersions.$inferSelect;

/** Digests cover all content, so these never go stale. */
const kept = createRecent<VersionDiff>({ keep: maxKept });

/** @throws `not_found` */
async function readVersions(
  db: Queryable,
  planId: string,
  numbers: [number, number],
): Promise<[Version, Version]> {
  const rows = await db
    .select()
    .from(planVersions)
    .where(and(eq(planVersions.plan_id, planId), inArray(planVersions.version, numbers)));
  const find = async (version: number): Promise<Version> => {
    const found = rows.find((row) => row.version === version);
    if (found !== undefined) return found;
    const { version: latest } = await readPlanRow(db, planId);
    throw new CountersignError(
      'not_found',
      `${planId} has no version ${version}; the latest is ${latest}.`,
    );
  };
  return [await find(numbers[0]), await find(numbers[1])];
}

type Timing = { minutes: number | null; earliest: string | null };

/** @throws `not_found` if an earlier version's steps are gone */
async function readSchedule(db: Queryable, { plan_id, version, total }: Version): Promise<Timing> {
  const { steps, earliest, timed } = await readTiming(db, plan_id, version);
  if (steps === 0 && total > 0) {
    throw new CountersignError('not_found', `The steps of version ${version} were not kept.`);
  }
  if (!timed) return { minutes: null, earliest };
  const { durations, links } = await readChain(db, plan_id, version);
  return { minutes: longestChain(durations, links), earliest };
}

type NameStep = (id: string) => string;

const nameOf = (
  { id, description, tool, operation, args, seen }: StepContent,
  nameStep: NameStep,
): ComparedStep => ({
  id,
  description: shorten(description, maxDescription),
  call: describeCall(
    operationName(tool, operation),
    undefined,
    renameReferences(args, nameStep),
    seen,
  ),
});

/** Also of steps they wait for, check or use. */
function idsIn(rows: StepDifference[]): string[] {
  return rows.flatMap(({ before, after }) =>
    [before, after].flatMap((step) =>
      step === null
        ? []
        : [
            step.id,
            ...step.after.map(({ id }) => id),
            ...step.when.map(({ step: id }) => id),
            ...referencesOf(step.args).map(({ $from }) => $from),
          ],
    ),
  );
}

type Differences = {
  rows: StepDifference[];
  nameStep: NameStep;
  asking: { before: AskingStep[]; after: AskingStep[] };
};

export async function readDifferences(
  db: Queryable,
  planId: string,
  from: number,
  to: number,
  limit: number,
): Promise<Differences> {
  const rows = await compareSteps(db, planId, from, to, limit);
  const named = idsIn(rows);
  const labels = new Map([
    ...(await readLabelsAt(db, planId, from, named)),
    ...(await readLabelsAt(db, planId, to, named)),
  ]);
  const readAsking = (version: number, contents: (StepContent | null)[]) => {
    const steps = contents.flatMap((one) => one?.when.map(({ step }) => step) ?? []);
    return readContentsById(db, planId, version, [...new Set(steps)]);
  };
  const asking = {
    before: await readAsking(
      from,
      rows.map(({ before }) => before),
    ),
    after: await readAsking(
      to,
      rows.map(({ after }) => after),
    ),
  };
  return { rows, nameStep: (id) => labels.get(id) ?? id, asking };
}

function listSteps({ rows, nameStep, asking }: Differences) {
  const of = (kind: StepDifference['kind']) => rows.filter((row) => row.kind === kind);
  const countOf = (kind: StepDifference['kind']) => of(kind)[0]?.total ?? 0;
  return {
    added: of('added').flatMap(({ after }) => (after === null ? [] : [nameOf(after, nameStep)])),
    removed: of('removed').flatMap(({ before }) =>
      before === null ? [] : [nameOf(before, nameStep)],
    ),
    changed: of('changed').flatMap(({ before, after }) =>
      before === null || after === null
        ? []
        : [{ ...nameOf(after, nameStep), ...compareFields(before, after, nameStep, asking) }],
    ),
    counts: {
      added: countOf('added'),
      removed: countOf('removed'),
      changed: countOf('changed'),
    },
  };
}

function without(a: string[], b: string[]): string[] {
  const others = new Set(b);
  return a.filter((item) => !others.has(item));
}

/** @throws `plan_not_found`, `not_found` */
export async function diffVersions(
  db: Queryable,
  planId: string,
  from: number,
  to: number,
): Promise<VersionDiff> {
  const [a, b] = await readVersions(db, planId, [from, to]);
  const key = `${a.digest} ${b.digest}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const before = await readSchedule(db, a);
  const after = await readSchedule(db, b);
  const differences = await readDifferences(db, planId, from, to, maxListed);
  const risks = (version: Version) => version.risks.map(({ text }) => text);
  const diff: VersionDiff = {
    from,
    to,
    ...listSteps(differences),
    operations_added: without(b.tools_required, a.tools_required),
    operations_removed: without(a.tools_required, b.tools_required),
    title_changed: a.title !== b.title,
    terms: compareTerms(a, b),
    approvers: samePolicy(a.approver_policy, b.approver_policy)
      ? null
      : { from: a.approver_policy, to: b.approver_policy },
    risks_added: without(risks(b), risks(a)),
    risks_removed: without(risks(a), risks(b)),
    total: { from: a.total, to: b.total },
    cost_usd: { from: a.cost_usd, to: b.cost_usd },
    minutes: { from: before.minutes, to: after.minutes },
    earliest: { from: before.earliest, to: after.earliest },
  };
  kept.set(key, diff);
  return diff;
}
