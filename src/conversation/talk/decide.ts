// What a deciding word does to its subject: checked here, and returned as a commit that yields the reply.
import { writeCall } from '#cards/calls-to-action.ts';
import type { Commit } from '#db/database.ts';
import { showName } from '#db/identities.ts';
import { readPlanRow } from '#db/plans.ts';
import type { RunRow } from '#db/runs.ts';
import { readSteps } from '#db/step-pages.ts';
import { callOf } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  chooseSteps,
  describeNumbered,
  requireNumbers,
  type StepChoice,
  withNumbers,
} from '#domain/plan/step-choice.ts';
import { numberedAtMost, numberSteps } from '#domain/plan/step-numbers.ts';
import type { SessionChoice } from '#domain/planning/session-card.ts';
import { countOf } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { statusWords } from '#plans/lifecycle/lifecycle-table.ts';
import { digestShown, nameShown, waitsFor } from '#runs/session-subject.ts';
import { describeSteps } from '#tools/describe-call.ts';
import { approve, cancel, proposeChanges, reject } from '../decisions.ts';
import { decideSession, readDeciders } from '../session-decisions.ts';
import type { Word } from '../words.ts';
import type { Saying } from './saying.ts';
import type { Subject } from './subject.ts';

/** Approves the steps that were named by their numbers on the card. @returns which were left out or are to run, in words */
async function approvePart(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  choice: StepChoice,
  actor: Actor,
): Promise<Commit<string>> {
  requireNumbers((await readPlanRow(context.db.query, id)).total);
  // The approval names the version, so that numbers of another one decide nothing.
  const steps = await readSteps(context.db.query, id, {}, 0, numberedAtMost);
  const numbered = numberSteps(describeSteps(context.catalogue, steps));
  const { chosen, approval } = chooseSteps(choice, numbered);
  const rename = (error: unknown): never => {
    throw withNumbers(error, numbered);
  };
  const commit = await approve(context, id, { version, digest, ...approval }, actor).catch(rename);
  const named = describeNumbered(chosen);
  const words = choice.kind === 'only' ? `${named} only` : `all but ${named}`;
  return async (tx) => {
    await commit(tx).catch(rename);
    return `Approved by ${await showName(tx, actor.id)}: ${words}.`;
  };
}

/** Approves the steps that are ticked where the word was written. */
async function approveTicked(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  except: string[],
  actor: Actor,
): Promise<Commit<string>> {
  const { total } = await readPlanRow(context.db.query, id);
  const commit = await approve(context, id, { version, digest, except }, actor);
  return async (tx) => {
    await commit(tx);
    const by = await showName(tx, actor.id);
    return `Approved by ${by}: ${total - new Set(except).size} of ${countOf(total, 'step')}.`;
  };
}

/** Commits and says nothing: the cards do. */
function silently(commit: Commit<unknown>): Commit<null> {
  return async (tx) => {
    await commit(tx);
    return null;
  };
}

/** Checks a deciding word on the version that was shown. The commit returns what there is to say; null: the cards say it. */
export async function decide(
  context: ConversationContext,
  subject: Subject,
  word: Exclude<Word, { kind: 'talk' }>,
  { actor, on_screen: onScreen = {} }: Pick<Saying, 'actor' | 'on_screen'>,
): Promise<Commit<string | null>> {
  if (word.kind === 'status') {
    const status = await describeStatus(context, subject);
    return async () => status;
  }
  if (subject.session !== null) {
    const { id } = subject.session;
    const choice = choiceOf(word, subject.session);
    return silently(await decideSession(context, id, choice, actor, true));
  }
  if (subject.shown === null) {
    throw new CountersignError(
      'invalid_transition',
      'No plan waits for a decision here. Ask for something first.',
    );
  }
  const { id, version, digest } = subject.shown;
  switch (word.kind) {
    case 'approve':
      if (onScreen.except !== undefined) {
        return approveTicked(context, subject.shown, onScreen.except, actor);
      }
      return silently(await approve(context, id, { version, digest }, actor));
    case 'approve_part':
      if (onScreen.except !== undefined) {
        throw new CountersignError(
          'invalid_request',
          'Steps are unticked in the console and named by number as well. Reply “approve” for the ticked ones, or tick all of them first.',
        );
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
    default:
      return word satisfies never;
  }
}

// What is answered to `status`.

/** Where a plan stands, in a sentence. */
async function describeStatus(context: ConversationContext, subject: Subject): Promise<string> {
  const { shown, planning, session } = subject;
  if (session !== null) return describeSession(context, session);
  if (shown === null) {
    return planning ? 'I am still planning.' : 'There is no plan in this conversation.';
  }
  const plan = await readPlanRow(context.db.query, shown.id);
  const left = plan.pending + plan.ready + plan.running + plan.waiting + plan.unknown;
  const progress =
    plan.status === 'executing'
      ? `: ${plan.succeeded} of ${plan.total} steps done, ${left} to go`
      : '';
  const result = plan.result_summary === null ? '' : ` ${plan.result_summary}`;
  return `${plan.id} (version ${plan.version}) is ${statusWords[plan.status]}${progress}.${result}`;
}

// Deciding words about a planning session, and where one stands in a sentence.

/** Where a session stands: what waits, and for whom. */
async function describeSession(context: ConversationContext, run: RunRow): Promise<string> {
  const waits = waitsFor(run);
  if (waits === null) return 'Nothing waits here.';
  const { words } = await readDeciders(context.db.query, context, run, run.user);
  const what = nameShown(run);
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} waits for ${words}. ${writeCall(callOf({ kind: waits, gate: run.pause?.gate ?? null }, 'neutral'))}`;
}

function choiceOf(word: Exclude<Word, { kind: 'talk' | 'status' }>, run: RunRow): SessionChoice {
  const shown = { digest: digestShown(run), turn: run.turn };
  switch (word.kind) {
    case 'approve':
      return { kind: 'approve', ...shown };
    case 'approve_part':
      throw new CountersignError(
        'invalid_transition',
        `Single steps are chosen on a plan's card; this is ${nameShown(run)}. Approve it, or reply “propose changes: …”.`,
      );
    case 'reject':
    case 'cancel':
      return { kind: 'reject', ...shown };
    case 'propose_changes':
      return { kind: 'changes', feedback: word.feedback, ...shown };
    default:
      return word satisfies never;
  }
}
