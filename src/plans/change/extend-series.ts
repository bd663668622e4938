// Adds upcoming occurrences of approved series to plans, under the lock.
import { recordAudit } from '#db/audit/audit.ts';
import { readManifests } from '#db/backends.ts';
import type { Transaction } from '#db/database.ts';
import { linkOccurrences } from '#db/planning/artifacts.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import {
  findDuePlans,
  postponeSeries,
  readSeries,
  readTemplates,
  type SeriesRow,
  updateSeries,
} from '#db/plans/series.ts';
import { touchPlan } from '#db/steps/events.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { readPositions } from '#db/steps/versions.ts';
import { errorMessage } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { doesMore, operationName } from '#domain/tool.ts';
import { countOf, listOf } from '#domain/words.ts';
import { localDate } from '#timeline/recurrence.ts';
import { digestPlan, findChangedOperation } from '../content/digests.ts';
import { readHeader } from '../content/preflight.ts';
import { finishIfDone } from '../lifecycle/ended-steps.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import type { PlansContext } from '../plans-context.ts';
import { nameOccurrences } from '../series/begun.ts';
import {
  dueBefore,
  horizonMs,
  isCovered,
  isMissed,
  type OccurrenceStep,
  occurrencesAfter,
  occurrencesBetween,
  readOccurrenceId,
  templatesOf,
} from '../series/series.ts';
import { applyWithoutApproval } from './apply.ts';
import type { PatchEffect } from './patch-effect.ts';
import { rulesFor } from './receive.ts';
import { resolvePatch } from './resolve.ts';
import { skipMissed } from './skip-missed.ts';

type ExtendContext = PlansContext & { warn(message: string, error?: unknown): void };

const plansATurn = 200;
const dayMs = 86_400_000;
/** Each extension makes a version. */
const extendEveryMs = dayMs;
/** After a blocked extension. */
const retryMs = 3_600_000;
/** Covers two occurrences of one date. */
const lookBackMs = 2 * dayMs;
/** `maxOccurrences` limits 30 days, so no checked period has more. */
const maxLooked = 5000;

type Extension = {
  series: SeriesRow;
  steps: OccurrenceStep[];
  /** Missed occurrences that never became steps, as a sentence. */
  missed: string | null;
  upTo: Date;
};

function describeMissed(
  { title, timezone, expanded_to }: SeriesRow,
  count: number,
  older: boolean,
) {
  if (older) {
    return `Occurrences of ${quoteWords(title, 200)} since ${localDate(expanded_to, timezone)} were skipped: their days had passed before they could start.`;
  }
  if (count === 0) return null;
  return count === 1
    ? `An occurrence of ${quoteWords(title, 200)} was skipped: its day had passed before it could start.`
    : `${countOf(count, 'occurrence')} of ${quoteWords(title, 200)} were skipped: their days had passed before they could start.`;
}

async function extend(
  tx: Transaction,
  planId: string,
  series: SeriesRow,
  now: Date,
): Promise<Extension> {
  const upTo = new Date(Math.max(now.getTime() + horizonMs, series.expanded_to.getTime()));
  const since = new Date(Math.max(series.expanded_to.getTime(), now.getTime() - lookBackMs));
  const moments = occurrencesBetween(series, since, upTo, maxLooked);
  const ahead = moments.filter((moment) => !isMissed(moment, series.timezone, now));
  const [before] =
    since > series.expanded_to ? occurrencesAfter(series, series.expanded_to, 1) : [];
  const older = before !== undefined && before <= since;
  return {
    series,
    steps: await nameOccurrences(tx, planId, series, ahead),
    missed: describeMissed(series, moments.length - ahead.length, older),
    upTo,
  };
}

async function stopSeries(
  tx: Transaction,
  row: PlanRow,
  { id, title }: SeriesRow,
  reason: string,
  now: Date,
): Promise<void> {
  await updateSeries(tx, row.id, id, { stopped_at: now });
  await touchPlan(
    tx,
    row.id,
    'series_stopped',
    `${quoteWords(title, 200)} won't repeat: ${reason}`,
  );
  await recordAudit(tx, [
    {
      planId: row.id,
      actor: system,
      action: 'series_stopped',
      version: row.version,
      reason,
      data: { series: id },
    },
  ]);
}

/** Stops series that differ from what was approved. */
async function keepCovered(
  tx: Transaction,
  row: PlanRow,
  due: SeriesRow[],
  now: Date,
): Promise<SeriesRow[]> {
  const header = await readHeader(tx, row);
  // The content must match the countersigned digest.
  const intact = (await digestPlan(header, iterateSteps(tx, row.id))) === row.approved_digest;
  const kept: SeriesRow[] = [];
  for (const series of due) {
    if (intact && isCovered(series, header.series ?? [])) kept.push(series);
    else await stopSeries(tx, row, series, 'what is stored of it is not what was approved.', now);
  }
  return kept;
}

/** By template ID: steps that do more than people saw, or whose operation changed. */
async function findWider(
  { catalogue }: PlansContext,
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
  due: SeriesRow[],
) {
  const templates = templatesOf(due);
  const known = new Map(
    (await readTemplates(tx, row.id, [...templates])).map(({ id, effects }) => [id, effects]),
  );
  const wider = new Set<string>();
  for (const { now } of effect.added) {
    const template = readOccurrenceId(now.id, templates)?.template ?? '';
    const effects = known.get(template) ?? [];
    const name = operationName(now.tool, now.operation);
    const covered = effects.some((one) => !doesMore(now.effect, one));
    const change = findChangedOperation(row.operation_digests, catalogue.of(row.tenant), name);
    if (!covered || change !== null) wider.add(template);
  }
  return wider;
}

/** @throws as `resolvePatch` */
function resolveSteps(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  operations: PatchOperation[],
): Promise<PatchEffect> {
  return resolvePatch(tx, row, rulesFor(context, row), { base_revision: row.revision, operations });
}

function describeReason(extensions: Extension[]): string {
  const names = extensions
    .filter(({ steps }) => steps.length > 0)
    .map(({ series }) => quoteWords(series.title, 200));
  return `The next occurrences of ${listOf([...new Set(names)])}, as approved.`;
}

async function addSteps(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  extensions: Extension[],
  now: Date,
): Promise<PlanRow> {
  const wanted = extensions.flatMap(({ steps }) => steps);
  const taken = await readPositions(tx, row.id, { ids: wanted.map(({ id }) => id) });
  const operationsOf = (steps: OccurrenceStep[]): PatchOperation[] =>
    steps.filter(({ id }) => !taken.has(id)).map((step) => ({ op: 'add_step', step }));
  let going = extensions;
  let operations = operationsOf(wanted);
  if (operations.length === 0) return row;
  let effect = await resolveSteps(context, tx, row, operations);
  const due = extensions.map(({ series }) => series);
  const wider = await findWider(context, tx, row, effect, due);
  if (wider.size > 0) {
    const isWider = ({ series }: Extension) => series.steps.some(({ id }) => wider.has(id ?? ''));
    for (const { series } of extensions.filter(isWider)) {
      const reason = `its steps would do more than was approved, or their operations have changed (${listOf([...wider])}). Propose it again.`;
      await stopSeries(tx, row, series, reason, now);
    }
    going = extensions.filter((extension) => !isWider(extension));
    operations = operationsOf(going.flatMap(({ steps }) => steps));
    if (operations.length === 0) return lockPlan(tx, row.id);
    effect = await resolveSteps(context, tx, row, operations);
  }
  const by = { actor: system, reason: describeReason(going) };
  return applyWithoutApproval(context, tx, row, operations, effect, by);
}

async function settleExtension(
  tx: Transaction,
  row: PlanRow,
  { series, missed, upTo }: Extension,
  now: Date,
): Promise<void> {
  const due = dueBefore(occurrencesAfter(series, upTo, 1)[0] ?? null);
  await updateSeries(tx, row.id, series.id, {
    expanded_to: upTo,
    expand_at:
      due === null ? null : new Date(Math.max(due.getTime(), now.getTime() + extendEveryMs)),
  });
  if (missed !== null) await touchPlan(tx, row.id, 'series_missed', missed);
}

/** Does nothing if not due. */
export async function extendPlan(context: PlansContext, planId: string): Promise<void> {
  const now = context.clock.now();
  await context.db.transaction(async (tx) => {
    const seen = await lockPlan(tx, planId);
    if (seen.status !== 'executing' || seen.paused_at !== null) return;
    // A pending change builds on this version; an altered plan must not continue.
    if (seen.digest !== seen.approved_digest || (await findWaitingPatch(tx, planId)) !== null)
      return;
    const ahead = (await readSeries(tx, planId)).filter(({ expand_at }) => expand_at !== null);
    if (!ahead.some(({ expand_at }) => expand_at !== null && expand_at <= now)) return;
    const due = await keepCovered(tx, seen, ahead, now);
    await skipMissed(context, tx, planId);
    const extensions: Extension[] = [];
    for (const series of due) extensions.push(await extend(tx, planId, series, now));
    const row = await addSteps(context, tx, await lockPlan(tx, planId), extensions, now);
    await linkOccurrences(
      tx,
      seen,
      extensions.flatMap(({ steps }) => steps.map(({ id }) => id)),
    );
    for (const extension of extensions) await settleExtension(tx, row, extension, now);
    await wakeWatchers(tx, context.enqueue, planId);
    const after = await lockPlan(tx, planId);
    await finishIfDone(context, tx, after, after);
  });
}

/** Safe in many processes at once. */
export async function extendSeries(context: ExtendContext): Promise<void> {
  const { db, clock, catalogue } = context;
  const due = await findDuePlans(db.query, clock.now(), plansATurn);
  if (due.length === 0) return;
  await catalogue.refresh(() => readManifests(db.query));
  for (const { id, status } of due) {
    if (status !== 'executing') {
      await postponeSeries(db.query, id, null);
      continue;
    }
    try {
      await extendPlan(context, id);
    } catch (error) {
      context.warn(
        `${id} could not be extended; trying again in an hour: ${errorMessage(error)}`,
        error,
      );
      await postponeSeries(db.query, id, new Date(clock.now().getTime() + retryMs));
    }
  }
}
