// A person's settlement of unknown, human and asking steps.
import { recordAudit } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readWaiting } from '#db/sql/predecessors.ts';
import { settleByPerson, type Verdict } from '#db/sql/settle-by-person.ts';
import type { PlanProgress } from '#db/steps/accounting.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FieldProblem } from '#domain/plan/answer.ts';
import { conditionNotMet } from '#domain/plan/condition.ts';
import {
  asksYesOrNo,
  decidesItself,
  isConfirmation,
  isHumanTask,
} from '#domain/plan/human-task.ts';
import { Undecided } from '#domain/plan/open-values.ts';
import type { Step, StepStatus } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import { asksToConfirm, readAnswering } from '../authority/asked-person.ts';
import { requireConfirmer } from '../authority/authority.ts';
import { reviveSkipped, stopDependents } from '../lifecycle/ended-steps.ts';
import type { PlansContext } from '../plans-context.ts';
import {
  answerAbout,
  readAnswer,
  readChosen,
  readReason,
  readYesOrNo,
  requireValidAnswers,
  summariseAnswer,
  tellYesOrNo,
  toOutput,
  withBlocker,
} from './human-answers.ts';
import { requireAsSeen, requireOutcomes, requireWaiting } from './require-named.ts';

type StepOutcome = Exclude<NonNullable<Settlement['steps']>[string], 'take_over'>;
/** `recorded`: the part that the audit keeps. */
type Word = { verdict: Verdict; recorded: JsonObject; problems: FieldProblem[] };

const maxNote = 2000;

/** A No skips the call and its dependents; it is no failure. */
function noToCall(
  { id: step_id }: Step,
  note: string | null,
  problems: FieldProblem[],
  actor: Actor,
  name: string,
): Word {
  const answer = 'No';
  const message =
    note === null ? `${name} said no.` : `${name} said no: ${quoteWords(note, maxNote)}`;
  const error = { code: conditionNotMet, message, questions: [step_id] };
  const output = { answer, note, by: actor.id };
  const verdict: Verdict = { step_id, status: 'skipped', summary: message, output, error };
  return { verdict, recorded: { answer, note, yes_or_no: true }, problems };
}

/** Skips steps that need its output; others run. Nobody said Yes to a skipped question, so it counts as No. */
function leaveOut(step: Step, actor: Actor, name: string): Word {
  const { id: step_id, label, status } = step;
  const message = `${name} continued without it.`;
  const asks = asksYesOrNo(step);
  const error = { code: conditionNotMet, message, ...(asks ? { questions: [step_id] } : {}) };
  const output = asks ? { by: actor.id } : null;
  const verdict: Verdict = { step_id, status: 'skipped', summary: message, output, error };
  const refused = `Step ${label} has not failed, so it can't be left out.`;
  return {
    verdict,
    recorded: {},
    problems: status === 'failed' ? [] : [{ name: '', message: refused }],
  };
}

/** Words only. @param name for readers */
function wordAboutCall(
  step: Step,
  outcome: StepOutcome,
  settlement: Settlement,
  actor: Actor,
  name: string,
): Word {
  const { id: step_id } = step;
  if (outcome === 'skip') return leaveOut(step, actor, name);
  const asked = step.status === 'waiting' ? Undecided.safeParse(step.output) : null;
  if (outcome === 'done' && asked?.success === true) {
    const { problems, chosen } = readChosen(step_id, asked.data, settlement);
    const output = { chosen, by: actor.id };
    const verdict: Verdict = { step_id, status: 'ready', summary: null, output, error: null };
    return { verdict, recorded: { chosen }, problems };
  }
  const { words: answer, given } = answerAbout(step_id, settlement);
  const problems =
    Object.keys(given).length > 0 ? [{ name: '', message: `Step ${step.label} has no form.` }] : [];
  const answers = { answer };
  const nothing = { summary: null, output: null, error: null };
  switch (outcome) {
    case 'retry':
      return { verdict: { step_id, status: 'ready', ...nothing }, recorded: answers, problems };
    case 'done': {
      const summary = answer ?? `Marked done by ${name}`;
      const output = { answer, by: actor.id };
      const verdict: Verdict = { step_id, status: 'succeeded', summary, output, error: null };
      return { verdict, recorded: answers, problems };
    }
    case 'failed': {
      if (step.status === 'waiting') return noToCall(step, answer, problems, actor, name);
      const message = answer ?? `${name} marked it failed`;
      const error = { code: 'tool_failed', message };
      return {
        verdict: { step_id, status: 'failed', ...nothing, error },
        recorded: answers,
        problems,
      };
    }
    default:
      return outcome satisfies never;
  }
}

/** `instead`: the assignee, if another person. */
type Answering = { actor: Actor; at: Date; name: string; instead: string | null };

function wordAboutTask(
  step: Step,
  outcome: StepOutcome,
  settlement: Settlement,
  { actor, at, name, instead }: Answering,
): Word {
  const { id: step_id } = step;
  const nothing = { summary: null, output: null, error: null };
  const whose = instead === null ? {} : { for: instead };
  if (outcome === 'skip') return leaveOut(step, actor, name);
  if (outcome !== 'retry' && isConfirmation(step)) {
    const { problems, answer, note } = readYesOrNo(step, outcome, settlement);
    const summary = tellYesOrNo({ answer, note });
    const output = { answer, note, by: actor.id, ...whose, at: at.toISOString() };
    const verdict: Verdict = { step_id, status: 'succeeded', summary, output, error: null };
    return { verdict, recorded: { answer, note, yes_or_no: true, ...whose }, problems };
  }
  switch (outcome) {
    case 'retry': {
      const verdict: Verdict = { step_id, status: 'ready', ...nothing };
      return { verdict, recorded: { answer: null }, problems: [] };
    }
    case 'done': {
      const { problems, ...answer } = readAnswer(step, settlement, step.status !== 'waiting');
      const summary = summariseAnswer(step, answer, name);
      const output = { ...toOutput(answer, actor.id, at), ...whose };
      const verdict: Verdict = { step_id, status: 'succeeded', summary, output, error: null };
      return {
        verdict,
        recorded: { answer: answer.answer, fields: answer.fields, ...whose },
        problems,
      };
    }
    case 'failed': {
      const answer = readReason(step, settlement);
      const error = { code: 'blocked', message: answer };
      const output = { ...withBlocker(step, actor.id, at), ...whose };
      const verdict: Verdict = { step_id, status: 'failed', summary: null, output, error };
      return { verdict, recorded: { answer, ...whose }, problems: [] };
    }
    default:
      return outcome satisfies never;
  }
}

const bareNo = /^(?:no|nope|nein|non)[.!]?$/i;

/**
 * `done` with a bare “no” would run dependents the person may have forbidden, unless they check the answer.
 * @throws `invalid_answer`
 */
async function requireClearAnswers(
  tx: Transaction,
  planId: string,
  found: Step[],
  settlement: Settlement,
): Promise<void> {
  for (const step of found) {
    const isWords = isHumanTask(step) && !isConfirmation(step) && step.args.form == null;
    const { words } = answerAbout(step.id, settlement);
    if (!isWords || settlement.steps?.[step.id] !== 'done' || !bareNo.test(words ?? '')) continue;
    const waiting = await readWaiting(tx, planId, step.position);
    if (waiting.every((one) => decidesItself(one, step))) continue;
    throw new CountersignError(
      'invalid_answer',
      `${quoteWords(words ?? '', 200)} may mean that what waits for step ${step.label} should not run, and Done would run it. Press Blocked and say why, or answer in a few more words. Nothing was stored.`,
      { details: { steps: [step.id] } },
    );
  }
}

/** An approval of its own, bound to the question read, as values may differ. @throws `not_allowed`, `invalid_request` */
async function requireConfirmations(
  tx: Transaction,
  context: PlansContext,
  row: PlanRow,
  found: Step[],
  { steps, about }: Settlement,
  actor: Actor,
): Promise<void> {
  const asking = found.filter(asksToConfirm);
  const operations = new Set(asking.map(({ tool, operation }) => operationName(tool, operation)));
  if (operations.size > 0) await requireConfirmer(tx, context, row, [...operations], actor);
  const unread = asking.find(({ id }) => steps?.[id] === 'retry' && about?.[id] === undefined);
  if (unread !== undefined) {
    const { id, label } = unread;
    throw new CountersignError(
      'invalid_request',
      `Step ${label} asks about its final values. Say which question you read: about: { ${JSON.stringify(id)}: { attempt, status: "waiting" } }, with the attempt of the step as you read it.`,
      { details: { step: id } },
    );
  }
}

/**
 * Steps in one of `from`. Under the lock.
 * @returns null if none was named
 * @throws `unknown_step`, `already_decided` if not waiting; `invalid_answer`, `feedback_required`, `invalid_request` for the
 * input; then nothing is stored
 */
export async function settleNamed(
  tx: Transaction,
  row: PlanRow,
  from: StepStatus[],
  settlement: Settlement,
  actor: Actor,
  context: PlansContext,
): Promise<PlanProgress | null> {
  const steps = settlement.steps ?? {};
  const names = Object.keys(steps);
  requireOutcomes(settlement);
  if (names.length === 0) return null;
  const found = await readStepsById(tx, row.id, names);
  await requireAsSeen(tx, row, found, settlement.about);
  await requireWaiting(tx, row, found, from, names);
  await requireConfirmations(tx, context, row, found, settlement, actor);
  await requireClearAnswers(tx, row.id, found, settlement);
  const answering = await readAnswering(tx, context, found, steps, settlement, actor);
  const now = context.clock.now();
  const name = await showName(tx, actor.id);
  const words = found.map((step) => {
    const given = steps[step.id];
    const outcome = given === undefined || given === 'take_over' ? 'retry' : given;
    return isHumanTask(step)
      ? wordAboutTask(step, outcome, settlement, { ...answering(step), at: now, name, actor })
      : wordAboutCall(step, outcome, settlement, actor, name);
  });
  requireValidAnswers(
    words.flatMap(({ verdict, problems }) =>
      problems.map((problem) => ({ step: verdict.step_id, problem })),
    ),
  );
  const all = words.map(({ verdict }) => verdict);
  // First, so that they don't stop steps this settlement retries.
  const failures = all.filter(({ status }) => status === 'failed');
  const { failed, progress: before } = await settleByPerson(
    tx,
    row.id,
    from,
    failures,
    row.confirm_each,
  );
  const skipped = await stopDependents(tx, row.id, failed, context.onFailure);
  const others = all.filter(({ status }) => status !== 'failed');
  const { progress } = await settleByPerson(tx, row.id, from, others, row.confirm_each);
  await recordAudit(
    tx,
    words.map(({ verdict: { step_id: step }, recorded }) => ({
      planId: row.id,
      actor,
      action: `settle_${steps[step]}`,
      version: row.version,
      data: { step, ...recorded },
    })),
  );
  // Continue with the failed step.
  const again = row.status === 'executing' && found.some(({ status }) => status === 'failed');
  const revived = again ? await reviveSkipped(tx, row.id, context.onFailure) : null;
  return revived ?? progress ?? skipped ?? before;
}
