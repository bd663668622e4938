// Decides who may answer a task: its people, not deciders.
import type { Queryable } from '#db/database.ts';
import { readEveryName, showName } from '#db/people/identities.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { assigneeOf, isConfirmation, takerOf } from '#domain/plan/human-task.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { isObject } from '#domain/text.ts';
import type { PlansContext } from '../plans-context.ts';
import { requireManager } from './authority.ts';

type Resolutions = NonNullable<Settlement['steps']>;
type Delegating = Pick<PlansContext, 'delegates'>;

/** Confirms a guarded call's final values, a separate approval. */
export function asksToConfirm({ status, output }: Step): boolean {
  return status === 'waiting' && isObject(output) && output.confirm === true;
}

/** Own names and those they are a delegate for. */
export async function readAskedNames(
  db: Queryable,
  { delegates = {} }: Delegating,
  user: string,
): Promise<{ own: string[]; lent: string[] }> {
  const own = await readEveryName(db, user);
  const lent = Object.entries(delegates).flatMap(([name, others]) =>
    others.some((other) => isAmong(own, other)) ? [name] : [],
  );
  return { own, lent };
}

const isAmong = (names: string[], one: string) => names.some((name) => isSamePerson(name, one));

/** `instead`: for whom, if not for themselves. */
type AnswerRight = { may: boolean; instead: string | null };

function answerRightOf(step: Step, names: { own: string[]; lent: string[] }): AnswerRight {
  const assignee = assigneeOf(step);
  if (assignee === null || isAmong(names.own, assignee)) return { may: true, instead: null };
  const taker = takerOf(step);
  const taken = taker !== null && isAmong(names.own, taker);
  return { may: taken || isAmong(names.lent, assignee), instead: assignee };
}

/** Whether all are tasks of `actor`, answered only by outcome. */
async function isAskedPerson(
  tx: Queryable,
  context: Delegating,
  planId: string,
  steps: Settlement['steps'],
  actor: Actor,
): Promise<boolean> {
  const resolutions = Object.entries(steps ?? {});
  if (actor.kind !== 'person' || resolutions.length === 0) return false;
  if (resolutions.some(([, resolution]) => resolution !== 'done' && resolution !== 'failed'))
    return false;
  const ids = resolutions.map(([id]) => id);
  const named = await readStepsById(tx, planId, ids);
  const names = await readAskedNames(tx, context, actor.id);
  const theirs = named.filter(
    (step) => assigneeOf(step) !== null && answerRightOf(step, names).may,
  );
  return theirs.length === ids.length;
}

/** `asked`: their task; `manager`: may decide about the plan. @throws `not_allowed` if neither */
export async function requireAnswerer(
  tx: Queryable,
  context: PlansContext,
  row: PlanRow,
  steps: Settlement['steps'],
  actor: Actor,
): Promise<'asked' | 'manager'> {
  if (await isAskedPerson(tx, context, row.id, steps, actor)) return 'asked';
  await requireManager(tx, context, row, actor);
  return 'manager';
}

/** A plan can continue without a blocked person's answer. */
function answers(
  step: Step,
  resolutions: Resolutions,
  { answer, answers: given = {} }: Settlement,
): boolean {
  const resolution = resolutions[step.id];
  if (resolution !== 'done' && resolution !== 'failed') return false;
  if (step.status === 'waiting' || isConfirmation(step)) return true;
  return answer !== undefined || Object.hasOwn(given, step.id);
}

/** By step, the person `actor` answers for. @throws `not_allowed` if addressed to another and not taken over */
export async function readAnswering(
  tx: Queryable,
  context: Delegating,
  found: Step[],
  resolutions: Resolutions,
  settlement: Settlement,
  actor: Actor,
): Promise<(step: Step) => { instead: string | null }> {
  const names = await readAskedNames(tx, context, actor.id);
  const rights = new Map(found.map((step) => [step.id, answerRightOf(step, names)]));
  for (const step of found) {
    const { may = true, instead = null } = rights.get(step.id) ?? {};
    if (may || instead === null || !answers(step, resolutions, settlement)) continue;
    const asked = quoteName(await showName(tx, instead), 120);
    const taker = takerOf(step);
    const by = taker === null ? null : quoteName(await showName(tx, taker), 120);
    throw new CountersignError(
      'not_allowed',
      `Step ${step.label} asks ${asked}${by === null ? '' : `, and ${by} answers for them`}. To answer it instead, press ${quoteWords(`Answer for ${asked}`, 150)} first; it is recorded and shown on the card. Nothing was stored.`,
      { details: { step: step.id, assignee: instead, taken_over_by: taker } },
    );
  }
  return ({ id }) => ({ instead: rights.get(id)?.instead ?? null });
}
