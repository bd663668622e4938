// “Plan this”: asks in a dialog, plans in the conversation.
import { drawAddFirst, drawPlanThis, planThisWords } from '#cards/plan-this.ts';
import type { EventAttempt } from '#chat/inbox/inbox-context.ts';
import { planMessage, sayRefusal } from '#chat/talk.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import { CountersignError } from '#domain/errors.ts';
import { finishWithin } from '../finish-within.ts';
import { speakerIn } from '../people.ts';
import { cardType } from '../port/make-activity.ts';
import { tellPresser } from '../press/reply.ts';
import type { PlanThisSignal } from '../signals/read-activity.ts';
import { nameMessage } from '../signals/read-activity.ts';
import type { TeamsContext } from '../teams-context.ts';

const { title, someone, nothing, failed, addFirst } = planThisWords;

export const answerDialog = (card: object, named: string = title) => ({
  task: {
    type: 'continue',
    value: {
      title: named,
      width: 'medium',
      height: 'medium',
      card: { contentType: cardType, content: card },
    },
  },
});

export const answerSentence = (text: string) => ({ task: { type: 'message', value: text } });

/** Null if fine. */
export function findProblem({ what, text }: PlanThisSignal): string | null {
  return what === '' && text === '' ? nothing : null;
}

export function askAgain({ author, text }: PlanThisSignal, problem: string): object {
  return answerDialog(drawPlanThis({ author: author ?? someone, text, problem }));
}

/** Or a way to add the app. Never throws. */
export async function openPlanThis(
  { people, warn }: Pick<TeamsContext, 'people' | 'warn'>,
  signal: PlanThisSignal,
  withinMs: number,
): Promise<object> {
  const late = () => new CountersignError('timed_out', failed);
  try {
    const here = await finishWithin(withinMs, people.isThere(signal.scene), late);
    return here ? askAgain(signal, '') : answerDialog(drawAddFirst());
  } catch (error) {
    warn('Could not check whether the app is in a Teams conversation.', error);
    return answerSentence(failed);
  }
}

type Chosen = Pick<InboxEvent, 'id' | 'received_at'>;

/** Once. @returns why not, or null. @throws transient errors */
async function begin(
  context: TeamsContext,
  { scene, author, text, what }: PlanThisSignal,
  { id, received_at }: Chosen,
  keepScene: () => Promise<void>,
): Promise<string | null> {
  const { people } = context;
  if (!(await people.isThere(scene))) return addFirst;
  await keepScene();
  const who = await people.find(scene);
  const about = { what, author: author ?? someone, text };
  // The planner reads the thread up to then.
  const once = `${nameMessage(scene.place, received_at.getTime())}:plan_this:${id}`;
  return sayRefusal(() => planMessage(context, scene.place, speakerIn(scene, who), about, once));
}

/** @param keepScene once the app is known to be there */
export async function handlePlanThis(
  context: TeamsContext,
  signal: PlanThisSignal,
  event: Chosen,
  attempt: Pick<EventAttempt, 'reply' | 'age'>,
  keepScene: () => Promise<void>,
): Promise<void> {
  const note = await begin(context, signal, event, keepScene);
  if (note !== null) await tellPresser(context, signal.scene, note, true, attempt);
}
