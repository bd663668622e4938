// Reads what a patch may affect, bounded; more counts as affected.
import type { Queryable } from '#db/database.ts';
import { readSeries } from '#db/plans/series.ts';
import { findGroupReaders, findHeld, readEdgesAmong, readNearSteps } from '#db/sql/near.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { contentArguments } from '../content/touches.ts';
import { concernsOthers, type GroupReader, groupsTouched, type Near } from './flows.ts';
import type { PatchEffect } from './patch-effect.ts';

const maxSteps = 20_000;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

async function readReaders(
  db: Queryable,
  planId: string,
  effect: PatchEffect,
): Promise<GroupReader[]> {
  const { partitions, tags } = groupsTouched(effect);
  if (partitions.length + tags.length === 0) return [];
  const steps = await findGroupReaders(db, planId, partitions, tags);
  const series = await readSeries(db, planId);
  return [
    ...steps.map(({ label, ...group }) => ({ ...group, name: `step ${label}` })),
    ...series.flatMap(({ title, steps: templates }) =>
      templates.map(({ args = {} }) => ({
        name: quoteWords(title, 200),
        partition: textOf(args.partition),
        tag: textOf(args.tag),
      })),
    ),
  ];
}

export async function readNear(db: Queryable, planId: string, effect: PatchEffect): Promise<Near> {
  const readers = await readReaders(db, planId, effect);
  if (!concernsOthers(effect)) return { steps: [], edges: [], readers, held: [], cut: false };
  const again = effect.rerun.map(({ position }) => position);
  const steps = await readNearSteps(db, planId, again, contentArguments, maxSteps);
  const cut = steps.length > maxSteps;
  const positions = steps.map(({ position }) => position);
  const held: number[] = [];
  for (const { steps: selector } of effect.invalidated)
    held.push(...(await findHeld(db, planId, selector)));
  return {
    steps,
    edges: cut ? [] : await readEdgesAmong(db, planId, positions),
    readers,
    held,
    cut,
  };
}
