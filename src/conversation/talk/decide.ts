// What a deciding word does to its subject.
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import {
  chooseSteps,
  describeNumbered,
  requireNumbers,
  type StepChoice,
  withNumbers,
} from '#contracts/step-choice.ts';
import { numberedAtMost, numberSteps } from '#contracts/step-numbers.ts';
import { countOf } from '#contracts/words.ts';
import { showName } from '#store/person-names.ts';
import { readPlanRow } from '#store/plans.ts';
import { readSteps } from '#store/step-pages.ts';
import { describeSteps } from '#tools/describe-call.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { approve, cancel, proposeChanges, reject } from '../decisions.ts';
import { decideInSession } from '../session-talk.ts';
import type { Word } from '../words.ts';
import { describeStatus } from './describe-status.ts';
import type { Saying } from './saying.ts';
import type { Subject } from './subject.ts';

/** Approves the steps that were named by their numbers on the card. @returns which were left out or are to run, in words */
async function approvePart(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  choice: StepChoice,
  actor: Actor,
): Promise<string> {
  requireNumbers((await readPlanRow(context.db.query, id)).total);
  // The approval names the version, so that numbers of another one decide nothing.
  const steps = await readSteps(context.db.query, id, {}, 0, numberedAtMost);
  const numbered = numberSteps(describeSteps(context.catalogue, steps));
  const { chosen, approval } = chooseSteps(choice, numbered);
  try {
    await approve(context, id, { version, digest, ...approval }, actor);
  } catch (error) {
    throw withNumbers(error, numbered);
  }
  const named = describeNumbered(chosen);
  const words = choice.kind === 'only' ? `${named} only` : `all but ${named}`;
  return `Approved by ${await showName(context.db.query, actor.id)}: ${words}.`;
}

/** Approves the steps that are ticked where the word was written. */
async function approveTicked(
  context: ConversationContext,
  { id, version, digest }: NonNullable<Subject['shown']>,
  except: string[],
  actor: Actor,
): Promise<string> {
  const { total } = await readPlanRow(context.db.query, id);
  await approve(context, id, { version, digest, except }, actor);
  const by = await showName(context.db.query, actor.id);
  return `Approved by ${by}: ${total - new Set(except).size} of ${countOf(total, 'step')}.`;
}

/** Carries out a deciding word on the version that was shown. @returns what there is to say to it; null: its cards say it */
export async function decide(
  context: ConversationContext,
  subject: Subject,
  word: Exclude<Word, { kind: 'talk' }>,
  { actor, on_screen: onScreen = {} }: Pick<Saying, 'actor' | 'on_screen'>,
): Promise<string | null> {
  if (word.kind === 'status') return describeStatus(context, subject);
  if (subject.session !== null) {
    await decideInSession(context, subject.session, word, actor);
    return null;
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
      await approve(context, id, { version, digest }, actor);
      return null;
    case 'approve_part':
      if (onScreen.except !== undefined) {
        throw new CountersignError(
          'invalid_request',
          'Steps are unticked in the console and named by number as well. Reply “approve” for the ticked ones, or tick all of them first.',
        );
      }
      return approvePart(context, subject.shown, word.choice, actor);
    case 'reject':
      await reject(context, id, { version }, actor, true);
      return null;
    case 'cancel':
      await cancel(context, id, { version }, actor);
      return null;
    case 'propose_changes':
      await proposeChanges(context, id, { version, feedback: word.feedback }, actor, true);
      return null;
    default:
      return word satisfies never;
  }
}
