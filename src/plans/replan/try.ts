// Dry-runs a change and reports what prevents it.
import { z } from 'zod';
import { readPlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PlanPatch } from '#domain/plan/patch.ts';
import type { PatchEffect } from '../change/patch-effect.ts';
import { resolveNotes } from '../change/prerequisites.ts';
import {
  findReplaced,
  requireOwnIds,
  requirePatchable,
  resolveProposed,
} from '../change/receive.ts';
import { pinPatchPosts } from '../content/post-targets.ts';
import { findDead } from '../decisions/approve-change.ts';
import type { PlansContext } from '../plans-context.ts';

/** Also checks for steps that would wait forever. @param runId whose artifacts may be used @throws if it can't be proposed */
export async function tryPatch(
  context: PlansContext,
  planId: string,
  patch: PlanPatch,
  actor: Actor,
  runId: string | null,
): Promise<{ effect: PatchEffect; problems: string[] }> {
  const db = context.db.query;
  requireOwnIds(patch.operations);
  const row = await readPlanRow(db, planId);
  requirePatchable(row);
  await findReplaced(db, row, actor, patch.base_revision);
  const named = await pinPatchPosts(context, row, patch);
  const operations = await resolveNotes(db, planId, named.operations);
  const effect = await resolveProposed(context, db, row, { ...patch, operations }, runId);
  const problems = (await findDead(db, row, effect)).map(
    ({ id, status }) =>
      `A step would wait for step ${id}, which is ${status} and will not be done. Replace step ${id}, or do not wait for it.`,
  );
  return { effect, problems };
}

const Listed = z.array(z.object({ message: z.string() })).min(1);

export function sentencesOf({ message, details }: CountersignError): string[] {
  const listed = Listed.safeParse(details.errors);
  return listed.success ? listed.data.map((one) => one.message) : [message];
}

/** Sentences. @param runId whose artifacts may be used */
export async function findPatchProblems(
  context: PlansContext,
  planId: string,
  patch: PlanPatch,
  actor: Actor,
  runId: string | null,
): Promise<string[]> {
  try {
    return (await tryPatch(context, planId, patch, actor, runId)).problems;
  } catch (error) {
    if (error instanceof CountersignError) return sentencesOf(error);
    throw error;
  }
}
