// An answer to a step in chat, to be confirmed.
import { answerWords } from '#cards/decision-words.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import { readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import { type RunRow, updateRun } from '#db/planning/runs.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { GivenToStep } from '#domain/planning/state.ts';
import type { ConversationContext } from '#messages/context.ts';
import { resumption } from '#plans/decisions/resume.ts';
import { decide } from '#plans/lifecycle/decide.ts';
import { nothingWaits } from '#runs/run-table.ts';
import { waitsFor } from '#runs/session-subject.ts';

export async function findGiven(db: Queryable, run: RunRow): Promise<GivenToStep | null> {
  if (waitsFor(run) !== 'answer') return null;
  const latest = await readLatestCheckpoint(db, run.id);
  if (latest?.turn !== run.turn) return null;
  const result = latest.state.data?.result ?? null;
  return result?.kind === 'step_answer' ? result.given : null;
}

export type Answering = { given: GivenToStep; plan: PlanRow };

/** Plans are locked before runs. */
export async function lockAnswering(
  tx: Transaction,
  given: GivenToStep | null,
): Promise<Answering | null> {
  return given === null ? null : { given, plan: await lockPlan(tx, given.plan_id) };
}

/** Requires both locks. @throws `not_allowed`, `already_decided` if the step moved on, and as for answers */
export async function giveAnswer(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  { given, plan }: Answering,
  actor: Actor,
): Promise<void> {
  const { step_id: step, attempt, answer } = given;
  const settlement = {
    version: plan.version,
    steps: { [step]: 'done' as const },
    answers: { [step]: answer },
    about: { [step]: { attempt, status: 'waiting' as const } },
  };
  const commit = await decide(context.db, resumption(context, plan.id, settlement, actor));
  await commit(tx);
  const note = answerWords.given({ by: await showName(tx, actor.id) });
  await updateRun(tx, run.id, nothingWaits(run, note));
}

/** Requires the run's lock. */
export async function dropAnswer(tx: Transaction, run: RunRow, actor: Actor): Promise<void> {
  const note = answerWords.dropped({ by: await showName(tx, actor.id) });
  await updateRun(tx, run.id, nothingWaits(run, note));
}
