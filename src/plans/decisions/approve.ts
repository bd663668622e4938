// Approval of exactly the version and digest shown.
import type { Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import { readPassedStarts } from '#db/plans/passed-starts.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { postponeSeries, readSeries, readTemplates, updateSeries } from '#db/plans/series.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Approval } from '#domain/service.ts';
import {
  countApproval,
  recordApproval,
  requireStartsShown,
  showingPassed,
} from '../authority/approvals.ts';
import { isSatisfied, judge } from '../authority/approver-rules.ts';
import { describeAllMissing } from '../authority/approver-words.ts';
import { readAuthority, requireApprover } from '../authority/authority.ts';
import { diffVersions } from '../change/version-diff.ts';
import { findPreflightProblems, requirePreflight } from '../content/preflight.ts';
import { dismissSuggestions } from '../findings/settle.ts';
import { clockTime, currentOf, type Ruling } from '../lifecycle/decide.ts';
import { transition } from '../lifecycle/lifecycle.ts';
import { mayBeApproved, statusWords } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { templatesOf } from '../series/series.ts';
import { leaveOut, type Part, partKey, readPart } from '../views/part.ts';
import { wasMadeBefore } from './repeated.ts';

/** @throws `already_decided` with who, when and version */
async function requireUndecided(db: Queryable, row: PlanRow): Promise<void> {
  if (mayBeApproved(row.status)) return;
  const by =
    row.decided_by === null
      ? ''
      : `Decided by ${await showName(db, row.decided_by)} at ${clockTime(row.decided_at)}. `;
  throw new CountersignError(
    row.decided_by === null ? 'invalid_transition' : 'already_decided',
    `${by}Version ${row.version} is ${row.revising ? 'being revised' : statusWords[row.status]}; your approval changed nothing.`,
    { details: { current: currentOf(row) } },
  );
}

/** @throws `stale_version` or `digest_mismatch` with changes */
async function requireShown(db: Queryable, row: PlanRow, approval: Approval): Promise<void> {
  if (approval.version !== row.version) {
    const older = approval.version < row.version && approval.version >= 1;
    const changes = older ? await diffVersions(db, row.id, approval.version, row.version) : null;
    throw new CountersignError(
      'stale_version',
      older
        ? `This plan changed while you were reading: version ${row.version} is below.`
        : `This plan has no version ${approval.version}; the current one is ${row.version}.`,
      { details: { current: currentOf(row), ...(changes === null ? {} : { changes }) } },
    );
  }
  if (approval.digest !== row.digest) {
    throw new CountersignError(
      'digest_mismatch',
      `This isn't the stored plan: the digest of version ${row.version} is ${row.digest.slice(0, 8)}. Reload the card and read it again.`,
      { details: { current: currentOf(row) } },
    );
  }
}

/**
 * Several people would have to mean the same part, and earlier approvers read another plan.
 * @throws `not_allowed`, `invalid_request`
 */
async function requireAlone(
  q: Queryable,
  context: PlansContext,
  row: PlanRow,
  part: Part,
  actor: Actor,
): Promise<void> {
  const authority = await readAuthority(q, context, {
    plan: row,
    actor,
    operations: part.operations,
  });
  requireApprover(authority, actor);
  const states = judge(authority.rules, authority.people, [actor.id]);
  if (states.every(isSatisfied)) return;
  throw new CountersignError(
    'invalid_request',
    `These steps need more than one approval (also ${describeAllMissing(states, authority.people)}), so the plan can only be approved as a whole. Propose changes to leave steps out.`,
  );
}

/** Under the lock. @returns whether every rule is satisfied */
async function takeApproval(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  part: Part | null,
  actor: Actor,
): Promise<boolean> {
  if (part !== null) {
    await requireAlone(tx, context, row, part, actor);
    await recordApproval(tx, row, actor);
    return true;
  }
  return countApproval(context, tx, row, { plan: row }, actor);
}

/**
 * After tools answered; null while approvals are missing. Only one concurrent caller moves the plan.
 * @throws (with it) `plan_not_found`, `not_allowed`, `already_decided`, `stale_version`, `digest_mismatch`, `times_passed`,
 * `preflight_failed`, `steps_missing`, `unknown_step`, `invalid_request`
 */
export function planApproval(
  context: PlansContext,
  id: string,
  approval: Approval,
  actor: Actor,
): Ruling<PlanRow, void, PlanRow | null> {
  const { db, enqueue, clock } = context;
  const asked = partKey(approval);
  let part: Part | null = null;
  const requireTimes = async (q: Queryable, row: PlanRow) =>
    requireStartsShown(
      row,
      await readPassedStarts(q, row, part?.positions ?? null),
      approval,
      false,
    );
  return {
    lock: (tx) => lockPlan(tx, id),
    requireAllowed: async (q, row) =>
      requireApprover(await readAuthority(q, context, { plan: row, actor }), actor),
    isRepeated: async (q, row) =>
      !mayBeApproved(row.status) &&
      wasMadeBefore(q, id, 'approve', actor, { ...approval, part: asked }),
    async requireCurrent(q, row) {
      await requireShown(q, row, approval);
      await requireUndecided(q, row);
    },
    prepare: {
      read: (q) => readPlanRow(q, id),
      async ask(seen) {
        part = await readPart(db.query, id, approval);
        if (part !== null) await requireAlone(db.query, context, seen, part, actor);
        await showingPassed(context, id, () => requireTimes(db.query, seen));
        requirePreflight(await findPreflightProblems(db.query, context, seen));
      },
    },
    async apply(tx, row) {
      await requireTimes(tx, row);
      if (!(await takeApproval(context, tx, row, part, actor))) return null;
      if (part !== null) await leaveOut(tx, id, part);
      if (row.open_until !== null) await narrowSeries(tx, id);
      await dismissSuggestions(tx, id, actor);
      const reason =
        part === null
          ? {}
          : { reason: `${part.positions.length} of ${row.total} steps`, data: { part: asked } };
      const set = { decided_by: actor.id, decided_at: clock.now(), approved_digest: row.digest };
      const changed = await transition(tx, enqueue, row, 'approve', { actor, ...reason }, set);
      await enqueue(tx, 'execute', { plan_id: id }, { key: id });
      return changed;
    },
  };
}

/** Drops series steps left out of every occurrence. Under the lock. */
async function narrowSeries(tx: Transaction, planId: string): Promise<void> {
  const all = await readSeries(tx, planId);
  const templates = await readTemplates(tx, planId, [...templatesOf(all)]);
  const kept = new Set(templates.filter((one) => one.kept).map(({ id }) => id));
  if (kept.size === 0) return postponeSeries(tx, planId, null);
  for (const { id, steps } of all) {
    const left = steps.filter((step) => kept.has(step.id ?? ''));
    if (left.length === steps.length) continue;
    // Without steps, a series is not expanded.
    await updateSeries(tx, planId, id, left.length === 0 ? { expand_at: null } : { steps: left });
  }
}
