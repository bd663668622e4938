// Stores a proposal's first or next version in one transaction.
import { sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import { readManifests } from '#db/backends.ts';
import { allowForSteps, type Queryable, type Transaction } from '#db/database.ts';
import { findTenant, readLinks } from '#db/people/identities.ts';
import { readRun, tenantOfTurn } from '#db/planning/runs.ts';
import { storeArtifact } from '#db/plans/artifacts.ts';
import { lockPlan, type PlanRow, readPlan } from '#db/plans/plans.ts';
import { deletedPlans, plans } from '#db/schema.ts';
import { countEach } from '#db/steps/accounting.ts';
import { appendPlanEvent } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, isVerified, system } from '#domain/people/actor.ts';
import { countPeople } from '#domain/people/groups.ts';
import type { NewFinding, RaisedFinding } from '#domain/plan/finding.ts';
import type { Plan, PlanDraft, Risk } from '#domain/plan/plan.ts';
import type { ImportedFrom } from '#domain/service.ts';
import { currentTrace } from '#domain/telemetry.ts';
import type { Catalogues } from '#domain/tool.ts';
import { refreshUserGroups } from '../authority/members.ts';
import { requireArtifacts } from '../content/artifact-references.ts';
import { type NewArtifact, readContext, splitContext } from '../content/context.ts';
import {
  digestOperations,
  digestPlan,
  type PlanHeader,
  termsOf,
  withDigests,
} from '../content/digests.ts';
import { lookAtTargets } from '../content/look-at-targets.ts';
import { type NormalPlan, normalisePlan, requireCallsAllowed } from '../content/normalise.ts';
import { pinPosts } from '../content/post-targets.ts';
import { resolvePrerequisites } from '../content/resolve-prerequisites.ts';
import { raiseFindings } from '../findings/raise.ts';
import { dismissAll } from '../findings/settle.ts';
import { tellWebhooks, transition, wakeWatchersLater } from '../lifecycle/lifecycle.ts';
import { nextStatus } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { type Begun, expandDraft, withTemplates } from '../series/normalise.ts';
import { endOfLast } from '../series/series.ts';
import { writeVersion } from './write-version.ts';

export type Origin = {
  requester: string;
  /** Null if the requester acts themselves. */
  agent: string | null;
  conversation: string | null;
  runId: string | null;
  planner: string;
  executorModel: string | null;
  confidence: number | null;
  costUsd: number;
  imported?: ImportedFrom;
};

type Prepared = {
  header: PlanHeader;
  normal: NormalPlan;
  artifacts: NewArtifact[];
  begun: Begun[];
  findings: NewFinding[];
  digest: string;
};

function readRisks(draft: PlanDraft): Risk[] {
  return (draft.risks ?? []).map((risk) => (typeof risk === 'string' ? { text: risk } : risk));
}

/** Default if none is named. @throws `invalid_request` if not offered */
function chooseModel(
  catalogue: Pick<Catalogues, 'findModelProblem'>,
  { executor_model: named }: PlanDraft,
  usual: string | null,
): string | null {
  const problem = named === undefined ? null : catalogue.findModelProblem(named);
  if (problem !== null) throw new CountersignError('invalid_request', problem);
  return named ?? usual;
}

/** Stores nothing. @throws as `normalisePlan` and `requireCallsAllowed` */
async function preparePlan(
  context: PlansContext,
  draft: PlanDraft,
  id: string,
  version: number,
  executorModel: string | null,
  { tenant, requester }: Pick<PlanRow, 'tenant' | 'requester'>,
): Promise<Prepared> {
  const { guardedTools, resourcePools, profile } = context;
  await context.catalogue.refresh(() => readManifests(context.db.query));
  const catalogue = context.catalogue.of(tenant);
  const { draft: resolved, findings } = await resolvePrerequisites(draft);
  const { draft: whole, begun } = await expandDraft(resolved, context.clock.now());
  const series = begun.map((one) => one.series);
  if (series.length > 0) {
    const once = withTemplates(resolved, series);
    await normalisePlan(once.draft, catalogue, guardedTools, resourcePools, profile, once.places);
  }
  const normal = await normalisePlan(whole, catalogue, guardedTools, resourcePools, profile);
  await requireCallsAllowed(catalogue, normal.steps, requester);
  // Later occurrences see what the first one changed.
  const first = new Set(begun.flatMap((one) => one.first));
  const looked = normal.steps.filter(({ id }, at) => at < draft.steps.length || first.has(id));
  await lookAtTargets(catalogue, normal, looked);
  const { inline, artifacts } = splitContext(readContext(draft.context), context.random);
  const header: PlanHeader = {
    id,
    version,
    title: draft.title,
    summary: draft.summary ?? null,
    context: inline,
    risks: readRisks(draft),
    approver_policy: draft.approvers ?? { kind: 'requester' },
    executor_model: chooseModel(context.catalogue, draft, executorModel),
    tools_required: normal.tools_required,
    ...termsOf(draft.step_approval === 'each', series),
    ...withDigests(digestOperations(catalogue, normal.tools_required)),
  };
  const digest = await digestPlan(header, normal.steps);
  return { header, normal, artifacts, begun, findings, digest };
}

/** Replaces all of `base`; long context becomes artifacts. */
async function storeVersion(
  tx: Transaction,
  base: PlanRow | null,
  { header, normal, artifacts, begun, digest }: Prepared,
  { planner, costUsd }: Pick<Origin, 'planner' | 'costUsd'>,
): Promise<void> {
  const { id, version } = header;
  for (const artifact of artifacts)
    await storeArtifact(tx, { ...artifact, planId: id, stepId: null });
  const { steps: added, edges: edgesAdded, lanes } = normal;
  const next = { id, version, added, edgesAdded, lanes, begun, changed: [], edgesRemoved: [] };
  await writeVersion(tx, base, { ...next, removed: 'all' }, async () => ({
    plan_id: id,
    version,
    digest,
    title: header.title,
    summary: header.summary,
    context: header.context,
    risks: header.risks,
    approver_policy: header.approver_policy,
    tools_required: header.tools_required,
    operation_digests: header.operation_digests ?? {},
    confirm_each: header.step_approval === 'each',
    series: header.series ?? [],
    total: added.length,
    planner_model: planner,
    cost_usd: costUsd,
  }));
}

/** Holds the step and its dependents until settled. */
async function raiseNotes(
  context: PlansContext,
  tx: Transaction,
  { header, findings }: Prepared,
): Promise<void> {
  if (findings.length === 0) return;
  const raised = findings.map((finding): RaisedFinding => {
    const key = `prerequisite ${header.version} ${finding.step_id ?? ''}`;
    return { ...finding, key, raisedBy: system.id, holdsSteps: true };
  });
  await raiseFindings(context, tx, await lockPlan(tx, header.id), raised);
}

function versionColumns({ header, normal, begun, digest }: Prepared) {
  const { pattern } = header.context;
  return {
    pattern_type: pattern?.pattern_type ?? null,
    pattern_subtype: pattern?.subtype ?? null,
    pattern_variant: pattern?.variant ?? null,
    confirm_each: header.step_approval === 'each',
    open_until: endOfLast(begun.map(({ series }) => series)),
    version: header.version,
    digest,
    title: header.title,
    approver_policy: header.approver_policy,
    executor_model: header.executor_model,
    tools_required: header.tools_required,
    operation_digests: header.operation_digests ?? {},
    guarded_operations: normal.guarded_operations,
    pools: normal.pools,
    approved_digest: null,
    has_start_edges: normal.edges.some(({ type }) => type === 'SS' || type === 'SF'),
    total: normal.steps.length,
    ...countEach((status) => (status === 'pending' ? normal.steps.length : 0)),
  };
}

/** Links, audit and remaining rows still refer to a deleted plan. */
export async function isFreePlanId(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select from ${plans} where ${plans.id} = ${id}
    union all select from ${deletedPlans} where ${deletedPlans.id} = ${id}`);
  return rows.length === 0;
}

/** The table's key decides between processes. */
async function drawPlanId(context: PlansContext): Promise<string> {
  for (let draw = 0; draw < 20; draw++) {
    const id = `PLAN-${context.random.hex(4)}`;
    if (await isFreePlanId(context.db.query, id)) return id;
  }
  throw new CountersignError('internal', 'No free plan id was found. Archive old plans.');
}

async function describeOrigin(tx: Queryable, { runId, conversation }: Origin, actor: Actor) {
  const run = runId === null ? null : await readRun(tx, runId);
  return {
    tenant: run === null ? await findTenant(tx, conversation, actor) : tenantOfTurn(run),
    requester_verified: run === null ? isVerified(actor) : run.verified,
  };
}

/** People decide who approves, not a planner. */
function withoutApprovers({ approvers: _, ...draft }: PlanDraft): PlanDraft {
  return draft;
}

/** Replaces them by their IDs. @throws if one is invalid */
async function nameGroups(
  { userGroups }: PlansContext,
  draft: PlanDraft,
  origin: Origin,
  tenant: string | null,
): Promise<PlanDraft> {
  const { approvers } = draft;
  // Imports keep what was approved elsewhere.
  if (userGroups === undefined || approvers === undefined || origin.imported !== undefined)
    return draft;
  if (!('people' in approvers)) return draft;
  const people = await userGroups.nameAll(approvers.people, tenant);
  return { ...draft, approvers: { ...approvers, people } };
}

/** Linked accounts count once. @throws `invalid_request` if too few are named */
async function requireEnough(
  { db, grouping }: PlansContext,
  { approvers }: PlanDraft,
  { imported }: Origin,
): Promise<void> {
  if (approvers?.kind !== 'n_of' || imported !== undefined) return;
  const { people, n } = approvers;
  const groups = grouping?.groups ?? {};
  const { same } = await readLinks(db.query, [...people, ...Object.values(groups).flat()]);
  const count = countPeople({ groups }, people, (name) => same.get(name) ?? name);
  if (count === null || count >= n) return;
  throw new CountersignError(
    'invalid_request',
    `approvers: ${n} people have to approve, and ${count === 1 ? 'only one person is' : `only ${count} different people are`} named. Name more, or lower "n".`,
  );
}

/** @returns a function that stores it in the caller's transaction @throws as `normalisePlan` */
export async function preparePropose(
  context: PlansContext,
  draft: PlanDraft,
  origin: Origin,
  actor: Actor,
): Promise<(tx: Transaction) => Promise<Plan>> {
  const { imported } = origin;
  const keeps = imported !== undefined && (await isFreePlanId(context.db.query, imported.id));
  const id = keeps ? imported.id : await drawPlanId(context);
  const { tenant } = await describeOrigin(context.db.query, origin, actor);
  const pinned = await pinPosts(context, origin, draft);
  const own =
    actor.kind === 'person'
      ? await nameGroups(context, pinned, origin, tenant)
      : withoutApprovers(pinned);
  await requireEnough(context, own, origin);
  const prepared = await preparePlan(context, own, id, 1, origin.executorModel, {
    tenant,
    requester: origin.requester,
  });
  // For the card's mention, and so that members find the plan.
  await refreshUserGroups(context, { ...prepared.header, tenant });
  const { steps } = prepared.normal;
  await requireArtifacts(context.db.query, { planId: null, runId: origin.runId }, steps);
  return async (tx) => {
    await allowForSteps(tx, prepared.normal.steps.length);
    await tx.insert(plans).values({
      id,
      ...versionColumns(prepared),
      status: 'proposed',
      revision: 1,
      requester: origin.requester,
      agent: origin.agent,
      ...(await describeOrigin(tx, origin, actor)),
      conversation: origin.conversation,
      run_id: origin.runId,
      planner_model: origin.planner,
      confidence: origin.confidence,
      cost_usd: origin.costUsd,
      traceparent: currentTrace(),
    });
    await storeVersion(tx, null, prepared, origin);
    await appendPlanEvent(tx, { planId: id, revision: 1, kind: 'proposed', status: 'proposed' });
    const { digest } = prepared;
    await recordAudit(tx, [{ planId: id, actor, action: 'propose', version: 1, digest }]);
    if (imported !== undefined) {
      await recordAudit(tx, [{ planId: id, actor, action: 'import', data: imported }]);
    }
    await raiseNotes(context, tx, prepared);
    await wakeWatchersLater(tx, context.enqueue, id);
    const plan = await readPlan(tx, id);
    const facts = { event: 'propose', actor, reason: null };
    await tellWebhooks(tx, context.enqueue, 'plan.proposed', plan, facts);
    return plan;
  };
}

/** Null if no longer offered. */
function keptModel(
  catalogue: Pick<Catalogues, 'findModelProblem'>,
  { executor_model: model }: PlanRow,
): string | null {
  return model === null || catalogue.findModelProblem(model) !== null ? null : model;
}

/** @returns a function that stores it; throws if the plan changed meanwhile */
export async function prepareRevise(
  context: PlansContext,
  previous: PlanRow,
  draft: PlanDraft,
  origin: Pick<Origin, 'planner' | 'confidence' | 'costUsd' | 'executorModel'>,
  actor: Actor,
): Promise<(tx: Transaction) => Promise<Plan>> {
  const version = previous.version + 1;
  const pinned = await pinPosts(context, previous, draft);
  const withApprovers = { ...pinned, approvers: previous.approver_policy };
  const prepared = await preparePlan(
    context,
    withApprovers,
    previous.id,
    version,
    keptModel(context.catalogue, previous) ?? origin.executorModel,
    previous,
  );
  const normal = prepared.normal.steps;
  const owner = { planId: previous.id, runId: previous.run_id };
  await requireArtifacts(context.db.query, owner, normal);
  return async (tx) => {
    const row = await lockPlan(tx, previous.id);
    await allowForSteps(tx, Math.max(row.total, prepared.normal.steps.length));
    nextStatus(row.status, 'revise');
    if (row.version !== previous.version) {
      throw new CountersignError(
        'stale_version',
        `${row.id} is already at version ${row.version}.`,
      );
    }
    await storeVersion(tx, row, prepared, origin);
    await dismissAll(tx, row.id, actor, 'problems');
    const by = { actor, reason: `version ${version}` };
    await transition(tx, context.enqueue, row, 'revise', by, {
      ...versionColumns(prepared),
      planner_model: origin.planner,
      confidence: origin.confidence,
      cost_usd: row.cost_usd + origin.costUsd,
      revising: false,
      decided_by: null,
      decided_at: null,
    });
    await raiseNotes(context, tx, prepared);
    return readPlan(tx, row.id);
  };
}
