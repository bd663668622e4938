// What changed between two versions of a plan, readable; both are read a page at a time, side by side.
import { and, eq, inArray } from 'drizzle-orm';
import { CountersignError } from '#contracts/errors.ts';
import type { JsonObject } from '#contracts/text.ts';
import { operationName } from '#contracts/tool.ts';
import type { VersionDiff } from '#contracts/views.ts';
import type { Queryable } from '#store/database.ts';
import { readPlanRow } from '#store/plans.ts';
import { planVersions } from '#store/schema.ts';
import { iterateSteps, readVersionSteps } from '#store/steps.ts';
import { contentOfStep } from './canonical.ts';

const pageSize = 1000;

async function* contentsOf(
  db: Queryable,
  planId: string,
  version: number,
  current: number,
): AsyncGenerator<JsonObject> {
  if (version === current) {
    for await (const step of iterateSteps(db, planId)) yield contentOfStep(step);
    return;
  }
  for (let last = 0; ; ) {
    const page = await readVersionSteps(db, planId, version, last, pageSize);
    for (const { content } of page) yield content;
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize) return;
    last = end.position;
  }
}

/** Fields of a step that differ, by name; times are compared as moments. */
function changedFields(a: JsonObject, b: JsonObject): string[] {
  const normal = (key: string, value: unknown): string =>
    key === 'not_before' && typeof value === 'string'
      ? new Date(value).toISOString()
      : JSON.stringify(sortKeys(value));
  return Object.keys(b).filter((key) => normal(key, a[key]) !== normal(key, b[key]));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

const textOf = (step: JsonObject, key: string): string => String(step[key] ?? '');
const operationOf = (step: JsonObject): string =>
  operationName(textOf(step, 'tool'), textOf(step, 'operation'));

/** @throws `not_found` when a version does not exist */
export async function diffVersions(
  db: Queryable,
  planId: string,
  from: number,
  to: number,
): Promise<VersionDiff> {
  const row = await readPlanRow(db, planId);
  const titles = await db
    .select({ version: planVersions.version, title: planVersions.title })
    .from(planVersions)
    .where(and(eq(planVersions.plan_id, planId), inArray(planVersions.version, [from, to])));
  for (const version of [from, to]) {
    if (titles.some((entry) => entry.version === version)) continue;
    throw new CountersignError(
      'not_found',
      `${planId} has no version ${version}; the latest is ${row.version}.`,
    );
  }
  const before = new Map<string, JsonObject>();
  for await (const step of contentsOf(db, planId, from, row.version)) {
    before.set(textOf(step, 'id'), step);
  }
  const operationsBefore = new Set([...before.values()].map(operationOf));
  const operationsAfter = new Set<string>();
  const diff: VersionDiff = {
    from,
    to,
    added: [],
    removed: [],
    changed: [],
    operations_added: [],
    operations_removed: [],
    title_changed: new Set(titles.map(({ title }) => title)).size > 1,
  };
  for await (const step of contentsOf(db, planId, to, row.version)) {
    operationsAfter.add(operationOf(step));
    const entry = { id: textOf(step, 'id'), description: textOf(step, 'description') };
    const old = before.get(entry.id);
    before.delete(entry.id);
    if (old === undefined) {
      diff.added.push(entry);
      continue;
    }
    const fields = changedFields(old, step);
    if (fields.length > 0) diff.changed.push({ ...entry, fields });
  }
  for (const step of before.values()) {
    diff.removed.push({ id: textOf(step, 'id'), description: textOf(step, 'description') });
  }
  diff.operations_added = [...operationsAfter].filter((name) => !operationsBefore.has(name)).sort();
  diff.operations_removed = [...operationsBefore]
    .filter((name) => !operationsAfter.has(name))
    .sort();
  return diff;
}
