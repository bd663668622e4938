// Applies a deciding word such as “approve”.
import { writeCall } from '#cards/calls-to-action.ts';
import { decisionWords, refusalWords, statusAnswers } from '#cards/decision-words.ts';
import { writeMessage } from '#cards/message-text.ts';
import type { Commit } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import type { RunRow } from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { readSteps } from '#db/steps/pages.ts';
import { callOf } from '#domain/chat/message-parts.ts';
import type { SessionChoice } from '#domain/chat/session-card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  chooseSteps,
  describeNumbered,
  requireNumbers,
  type StepChoice,
  withNumbers,
} from '#domain/plan/step-choice.ts';
import { maxNumbered, orderByLabel } from '#domain/plan/step-numbers.ts';
import type { Approval } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import { statusWords } from '#plans/lifecycle/lifecycle-table.ts';
import { digestShown, nameShown, waitsFor } from '#runs/session-subject.ts';
import { describeSteps } from '#tools/describe-call.ts';
import { approve, cancel, prepareGoBack, proposeChanges, reject } from '../plan-decisions.ts';
import type { Word } from '../read-word.ts';
import { decideSession, readDeciders } from '../session-decisions.ts';
import { stopPlanning } from '../stop-planning.ts';
import type { Subject } from './decided-subject.ts';
import type { Reply } from './reply.ts';

/** By card numbers. @returns words on what was left out or will run */
async function approvePart(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  choice: StepChoice,
  actor: Actor,
): Promise<Commit<string>> {
  const { total, tenant } = await readPlanRow(context.db.query, id);
  requireNumbers(total);
  // The approval names the version, so other versions' numbers have no effect.
  const steps = await readSteps(context.db.query, id, {}, 0, maxNumbered);
  const numbered = orderByLabel(describeSteps(context.catalogue.of(tenant), steps), total);
  const { chosen, approval } = chooseSteps(choice, numbered);
  const rename = (error: unknown): never => {
    throw withNumbers(error, numbered);
  };
  const commit = await approve(context, id, { version, digest, ...approval }, actor).catch(rename);
  const named = describeNumbered(chosen);
  const describe =
    choice.kind === 'only' ? decisionWords.approvedOnly : decisionWords.approvedExcept;
  return async (tx) => {
    await commit(tx).catch(rename);
    return describe({ by: await showName(tx, actor.id), steps: named });
  };
}

async function approveTicked(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  except: string[],
  seen: Pick<Approval, 'passed'>,
  actor: Actor,
): Promise<Commit<string>> {
  const { total } = await readPlanRow(context.db.query, id);
  const commit = await approve(context, id, { version, digest, except, ...seen }, actor);
  return async (tx) => {
    await commit(tx);
    const by = await showName(tx, actor.id);
    return decisionWords.approvedSome({ by, count: total - new Set(except).size, total });
  };
}

/** The cards show the result. */
function silently(commit: Commit<unknown>): Commit<null> {
  return async (tx) => {
    await commit(tx);
    return null;
  };
}

export async function stopByWord(
  context: ConversationContext,
  runId: string,
  actor: Actor,
): Promise<Commit<string>> {
  const stop = await stopPlanning(context, runId, null, actor);
  return async (tx) => writeMessage(await stop(tx), '');
}

/** Against the version shown. The commit yields the reply, or null if the cards show it. */
export async function decideByWord(
  context: ConversationContext,
  subject: Subject,
  word: Exclude<Word, { kind: 'talk' }>,
  { actor, on_screen: onScreen = {} }: Pick<Reply, 'actor' | 'on_screen'>,
): Promise<Commit<string | null>> {
  if (word.kind === 'status') {
    const status = await describeStatus(context, subject);
    return async () => status;
  }
  if (
    word.kind === 'cancel' &&
    subject.planning &&
    subject.runId !== null &&
    subject.shown === null
  ) {
    return stopByWord(context, subject.runId, actor);
  }
  if (subject.session !== null) {
    const { id } = subject.session;
    const choice = choiceOf(word, subject.session);
    return silently(await decideSession(context, id, choice, actor, true));
  }
  if (subject.shown === null) {
    throw new CountersignError('invalid_transition', refusalWords.nothingToDecide);
  }
  const { id, version, digest } = subject.shown;
  switch (word.kind) {
    case 'approve': {
      const seen = word.now === true ? { passed: context.clock.now().toISOString() } : {};
      if (onScreen.except !== undefined) {
        return approveTicked(context, subject.shown, onScreen.except, seen, actor);
      }
      return silently(await approve(context, id, { version, digest, ...seen }, actor));
    }
    case 'approve_part':
      if (onScreen.except !== undefined) {
        throw new CountersignError('invalid_request', refusalWords.tickedAndNumbered);
      }
      return approvePart(context, subject.shown, word.choice, actor);
    case 'reject':
      return silently(await reject(context, id, { version }, actor, true));
    case 'cancel':
      return silently(await cancel(context, id, { version }, actor));
    case 'propose_changes':
      return silently(
        await proposeChanges(context, id, { version, feedback: word.feedback }, actor, true),
      );
    case 'go_back':
      return prepareGoBack(context, id, { version, to: word.to }, actor);
    default:
      return word satisfies never;
  }
}

async function describeStatus(context: ConversationContext, subject: Subject): Promise<string> {
  const { shown, planning, session } = subject;
  if (session !== null) return describeSession(context, session);
  if (shown === null) {
    return planning ? statusAnswers.planning : statusAnswers.noPlan;
  }
  const plan = await readPlanRow(context.db.query, shown.id);
  const left = plan.pending + plan.ready + plan.running + plan.waiting + plan.unknown;
  const progress =
    plan.status === 'executing'
      ? statusAnswers.running({
          done: plan.succeeded,
          total: plan.open_until === null ? plan.total : null,
          left,
        })
      : '';
  const result = plan.result_summary === null ? '' : ` ${plan.result_summary}`;
  const { id, version } = plan;
  return `${statusAnswers.plan({ id, version, status: statusWords[plan.status] })}${progress}.${result}`;
}

async function describeSession(context: ConversationContext, run: RunRow): Promise<string> {
  const waits = waitsFor(run);
  if (waits === null) return statusAnswers.nothingWaits;
  const { words } = await readDeciders(context.db.query, context, run, run.user);
  return `${statusAnswers.session({ shown: nameShown(run), deciders: words })} ${writeCall(callOf({ kind: waits, gate: run.pause?.gate ?? null }, 'neutral'))}`;
}

function choiceOf(word: Exclude<Word, { kind: 'talk' | 'status' }>, run: RunRow): SessionChoice {
  const shown = { digest: digestShown(run), turn: run.turn };
  switch (word.kind) {
    case 'approve':
      return { kind: 'approve', ...shown };
    case 'approve_part':
      throw new CountersignError(
        'invalid_transition',
        refusalWords.noSingleSteps({ shown: nameShown(run) }),
      );
    case 'reject':
    case 'cancel':
      return { kind: 'reject', ...shown };
    case 'propose_changes':
      return { kind: 'changes', feedback: word.feedback, ...shown };
    case 'go_back':
      throw new CountersignError(
        'invalid_transition',
        refusalWords.noVersions({ shown: nameShown(run) }),
      );
    default:
      return word satisfies never;
  }
}
