// Expands series changes into operations on unbegun occurrences.
import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readUpcoming } from '#db/plans/recurring.ts';
import { readSeries, type SeriesRow } from '#db/plans/series.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError, Problems } from '#domain/errors.ts';
import { changesBetween, mergeArguments } from '#domain/plan/merge.ts';
import type { PatchOperation, PinnedOperation } from '#domain/plan/patch.ts';
import type { Series } from '#domain/plan/plan.ts';
import { isSameRepetition } from '#timeline/repetition.ts';
import { normaliseStep, type StepRules } from '../content/normalise-step.ts';
import { keepUnbegun, nameOccurrences } from '../series/begun.ts';
import { type Begun, expandDraft } from '../series/normalise.ts';
import {
  type OccurrenceStep,
  occurrencesAfter,
  readOccurrenceId,
  stepsOfOccurrence,
  templatesOf,
} from '../series/series.ts';
import type { SeriesChange } from './patch-effect.ts';

type ChangeSeries = Extract<PatchOperation, { op: 'change_series' }>;

/** @throws `unknown_step`, `invalid_request` if nothing changes, errors of new arguments */
async function changeOf(
  tx: Queryable,
  row: PlanRow,
  rules: StepRules,
  { series: id, set: { args = {}, ...set } }: ChangeSeries,
): Promise<{ found: SeriesRow; before: Series; now: Series }> {
  const found = (await readSeries(tx, row.id)).find((one) => one.id === id);
  if (found === undefined)
    throw new CountersignError('unknown_step', `Nothing named ${id} repeats in ${row.id}.`);
  const { expanded_to: _, expand_at: __, stopped_at: ___, ...before } = found;
  const missing = Object.keys(args).find((name) => before.steps.every((step) => step.id !== name));
  if (missing !== undefined)
    throw new CountersignError('unknown_step', `No step of ${id} has the ID ${missing}.`);
  const problems = new Problems();
  const steps = before.steps.map((step) => {
    const { id: name = '' } = step;
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    if (given === undefined) return step;
    const merged = { ...step, args: mergeArguments(step.args ?? {}, given) };
    // Checked here, since there may be no occurrence.
    normaliseStep(merged, name, `series ${id}, set.args.${name}`, rules, problems);
    return merged;
  });
  problems.settle();
  const now = { ...before, ...set, steps };
  if (isSameRepetition(before, now) && isDeepStrictEqual(before.steps, steps))
    throw new CountersignError('invalid_request', 'This change changes nothing.');
  return { found, before, now };
}

/** Not due, without a step that has begun. */
async function readChangeable(tx: Queryable, row: PlanRow, series: Series, now: Date) {
  const templates = [...templatesOf([series])];
  const upcoming = await readUpcoming(tx, row.id, templates, Number.MAX_SAFE_INTEGER);
  const ahead = upcoming.filter(({ not_before }) => new Date(not_before) > now);
  const kept = await keepUnbegun(tx, row.id, [series], ahead);
  return new Map(kept.map((step) => [step.id, step.not_before]));
}

/** A kept rhythm keeps its occurrences. */
async function expandAgain(
  tx: Queryable,
  row: PlanRow,
  { found, before, now: series }: Awaited<ReturnType<typeof changeOf>>,
  known: ReadonlyMap<string, string>,
  now: Date,
): Promise<{ wanted: OccurrenceStep[]; begun: Begun }> {
  const isKept = isSameRepetition(before, series);
  const { expanded_to } = found;
  if (isKept && known.size > 0) {
    const templates = templatesOf([series]);
    const wanted = [...known].flatMap(([id, iso]) => {
      const name = readOccurrenceId(id, templates)?.occurrence;
      return stepsOfOccurrence(series, new Date(iso), name).filter((step) => step.id === id);
    });
    const [next = null] = occurrencesAfter(series, expanded_to, 1);
    return { wanted, begun: { series, first: [], expandedTo: expanded_to, next } };
  }
  const from = isKept && expanded_to > now ? expanded_to : now;
  const { draft, begun } = await expandDraft(
    { title: row.title, steps: [], series: [series] },
    from,
  );
  const [start] = begun;
  if (start === undefined) throw new Error('expandAgain: nothing was expanded');
  const moments = [...new Set(draft.steps.map(({ not_before }) => not_before ?? ''))];
  const wanted = await nameOccurrences(
    tx,
    row.id,
    start.series,
    moments.map((moment) => new Date(moment)),
  );
  return { wanted, begun: start };
}

async function replaceSteps(
  tx: Queryable,
  row: PlanRow,
  { set: { args = {} } }: ChangeSeries,
  change: Awaited<ReturnType<typeof changeOf>>,
  now: Date,
): Promise<{ operations: PatchOperation[]; begun: Begun }> {
  const templates = templatesOf([change.now]);
  const known = await readChangeable(tx, row, change.now, now);
  const { wanted, begun } = await expandAgain(tx, row, change, known, now);
  const ids = wanted.map(({ id }) => id);
  const there = new Map((await readStepsById(tx, row.id, ids)).map((step) => [step.id, step]));
  const operations = wanted.flatMap((step): PatchOperation[] => {
    const { id, not_before } = step;
    const before = known.get(id);
    const stored = there.get(id);
    // Begun and skipped steps stay.
    if (before === undefined || stored === undefined)
      return stored === undefined ? [{ op: 'add_step', step }] : [];
    const moved = not_before !== undefined && Date.parse(before) !== Date.parse(not_before);
    const isNamed = Object.hasOwn(args, readOccurrenceId(id, templates)?.template ?? '');
    const changes = isNamed ? changesBetween(stored.args, step.args ?? {}) : {};
    const set = {
      ...(moved ? { not_before } : {}),
      ...(Object.keys(changes).length > 0 ? { args: changes } : {}),
    };
    if (Object.keys(set).length === 0) return [];
    return [{ op: 'update_steps', steps: { ids: [id] }, set }];
  });
  const kept = new Set(ids);
  const gone = [...known.keys()].filter((id) => !kept.has(id));
  if (gone.length > 0) operations.push({ op: 'remove_steps', steps: { ids: gone } });
  return { operations, begun };
}

/** Appended to the given operations. @throws `invalid_request` if a series is changed twice */
export async function expandSeriesChanges(
  tx: Queryable,
  row: PlanRow,
  operations: PinnedOperation[],
  rules: StepRules & { now: Date },
): Promise<{ operations: PinnedOperation[]; series: SeriesChange[] }> {
  const changes = operations.filter((one) => one.op === 'change_series');
  if (changes.length === 0) return { operations, series: [] };
  const all = [...operations];
  const series: SeriesChange[] = [];
  for (const change of changes) {
    if (series.some(({ before }) => before.id === change.series))
      throw new CountersignError(
        'invalid_request',
        `This change has two operations for what repeats as ${change.series}. Put both into one.`,
      );
    const changed = await changeOf(tx, row, rules, change);
    const { operations: own, begun } = await replaceSteps(tx, row, change, changed, rules.now);
    all.push(...own);
    series.push({ before: changed.before, begun });
  }
  return { operations: all, series };
}
