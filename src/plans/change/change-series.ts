// Replaces what has not begun of recurring steps by occurrences of their new rule or arguments, as operations of the same patch.
import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readUpcoming } from '#db/plans/recurring.ts';
import { readSeries } from '#db/plans/series.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { mergeArguments } from '#domain/plan/merge.ts';
import type { AddedDraft, PatchOperation, PinnedOperation } from '#domain/plan/patch.ts';
import type { Series } from '#domain/plan/plan.ts';
import { type Begun, expandDraft } from '../series/normalise.ts';
import { readOccurrenceId, templatesOf } from '../series/series.ts';
import type { SeriesChange } from './model.ts';

type ChangeSeries = Extract<PatchOperation, { op: 'change_series' }>;

/** @throws `unknown_step` if the plan has no such series, `invalid_request` for a rule that can't be used */
async function changeOf(
  tx: Queryable,
  row: PlanRow,
  { series: id, set: { args = {}, ...set } }: ChangeSeries,
): Promise<{ before: Series; now: Series }> {
  const found = (await readSeries(tx, row.id)).find((one) => one.id === id);
  if (found === undefined)
    throw new CountersignError('unknown_step', `Nothing named ${id} repeats in ${row.id}.`);
  const { expanded_to: _, expand_at: __, stopped_at: ___, ...before } = found;
  const steps = before.steps.map((step) => {
    const given = args[step.id ?? ''];
    return given === undefined ? step : { ...step, args: mergeArguments(step.args ?? {}, given) };
  });
  const now = { ...before, ...set, steps };
  if (isDeepStrictEqual(before, now))
    throw new CountersignError('invalid_request', 'This change changes nothing.');
  return { before, now };
}

async function replaceSteps(
  tx: Queryable,
  row: PlanRow,
  { set: { args = {} } }: ChangeSeries,
  series: Series,
  now: Date,
): Promise<{ operations: PatchOperation[]; begun: Begun }> {
  const { draft, begun } = await expandDraft(
    { title: row.title, steps: [], series: [series] },
    now,
  );
  const [start] = begun;
  if (start === undefined) throw new Error('replaceSteps: nothing was expanded');
  const templates = templatesOf([series]);
  const upcoming = await readUpcoming(tx, row.id, [...templates], Number.MAX_SAFE_INTEGER);
  const known = new Map(upcoming.map((step) => [step.id, step.not_before]));
  const wanted = draft.steps.flatMap((step) =>
    step.id === undefined ? [] : { ...step, id: step.id },
  );
  const ids = wanted.map(({ id }) => id);
  const there = new Set((await readStepsById(tx, row.id, ids)).map(({ id }) => id));
  const operations = wanted.flatMap((step: AddedDraft): PatchOperation[] => {
    const { id, not_before } = step;
    const before = known.get(id);
    // Steps that have begun or were skipped stay.
    if (before === undefined) return there.has(id) ? [] : [{ op: 'add_step', step }];
    const moved = not_before !== undefined && Date.parse(before) !== Date.parse(not_before);
    const said = Object.hasOwn(args, readOccurrenceId(id, templates)?.template ?? '');
    if (!moved && !said) return [];
    const set = {
      ...(moved ? { not_before } : {}),
      ...(said ? { args: step.args ?? {} } : {}),
    };
    return [{ op: 'update_steps', steps: { ids: [id] }, set }];
  });
  const kept = new Set(ids);
  const gone = [...known.keys()].filter((id) => !kept.has(id));
  if (gone.length > 0) operations.push({ op: 'remove_steps', steps: { ids: gone } });
  return { operations, begun: start };
}

/** The operations, those on steps behind the given ones; and the series that they change. */
export async function expandSeriesChanges(
  tx: Queryable,
  row: PlanRow,
  operations: PinnedOperation[],
  now: Date,
): Promise<{ operations: PinnedOperation[]; series: SeriesChange[] }> {
  const changes = operations.filter((one) => one.op === 'change_series');
  if (changes.length === 0) return { operations, series: [] };
  const all = [...operations];
  const series: SeriesChange[] = [];
  for (const change of changes) {
    const { before, now: changed } = await changeOf(tx, row, change);
    const { operations: own, begun } = await replaceSteps(tx, row, change, changed, now);
    all.push(...own);
    series.push({ before, begun });
  }
  return { operations: all, series };
}
