// What a press asks of the service, on whatever chat platform. Version and digest are those of the card that was shown.
import type { CardPress } from '#domain/chat/card.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { Pressed } from '#domain/chat/pressed.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FieldValue } from '#domain/plan/answer.ts';
import { expectedStep } from '#domain/plan/expected-step.ts';
import type { Service } from '#domain/service.ts';

/** What was entered beside a press. */
export type Entered = { text: string; fields: Record<string, FieldValue> | null };

/** The end of the plan that the presser saw, where the card said it. */
function endOf({ ended_at }: CardPress): { ended_at?: string } {
  return ended_at === undefined ? {} : { ended_at };
}

async function settle(
  service: Service,
  press: CardPress,
  fate: 'retry' | 'done' | 'failed',
  { text, fields }: Entered,
  actor: Actor,
  named: { pressed?: Pressed },
): Promise<void> {
  const { step_id: step, plan_id, version } = press;
  if (step === undefined)
    throw new CountersignError(
      'invalid_request',
      'This button does not say which step it is about.',
    );
  const about = expectedStep(press);
  await service.resume(
    plan_id,
    {
      version,
      steps: { [step]: fate },
      ...(about === null ? {} : { about }),
      ...(text === '' ? {} : { answer: text }),
      ...(fields === null ? {} : { answers: { [step]: fields } }),
      ...named,
    },
    actor,
  );
}

/**
 * @param pressed the press's own name, under which it decides once
 * @throws what the service refuses
 */
export async function carryOut(
  service: Service,
  press: AnyPress,
  entered: Entered,
  actor: Actor,
  pressed?: Pressed,
): Promise<void> {
  const named = pressed === undefined ? {} : { pressed };
  const { text } = entered;
  if ('run_id' in press) {
    const { run_id, digest, turn, action } = press;
    const words = press.choice ?? text;
    if (action === 'session_answer') {
      return service.reply(run_id, words, actor, { turn, ...named });
    }
    const shown = { digest, turn, ...named };
    if (action === 'session_approve')
      await service.decideRun(run_id, { ...shown, kind: 'approve' }, actor);
    else if (action === 'session_reject')
      await service.decideRun(run_id, { ...shown, kind: 'reject' }, actor);
    else await service.decideRun(run_id, { ...shown, kind: 'changes', feedback: words }, actor);
    return;
  }
  const { plan_id, version, digest, action } = press;
  const decision = { version, ...(text === '' ? {} : { feedback: text }), ...named };
  switch (action) {
    case 'approve':
      await service.approve(plan_id, { version, digest, ...named }, actor);
      return;
    case 'propose_changes':
      await service.proposeChanges(plan_id, { version, feedback: text, ...named }, actor);
      return;
    case 'reject':
      await service.reject(plan_id, decision, actor);
      return;
    case 'cancel':
      await service.cancel(plan_id, decision, actor);
      return;
    case 'pause':
      await service.pause(plan_id, { version, ...named }, actor);
      return;
    case 'resume':
      await service.resume(plan_id, { version, ...named }, actor);
      return;
    case 'retry':
      await service.retry(plan_id, { version, ...endOf(press), ...named }, actor);
      return;
    case 'settle_retry':
      return settle(service, press, 'retry', { text: '', fields: null }, actor, named);
    case 'settle_done':
      return settle(service, press, 'done', { text: '', fields: null }, actor, named);
    case 'settle_failed':
      return settle(service, press, 'failed', { text: '', fields: null }, actor, named);
    case 'human_done':
      return settle(service, press, 'done', entered, actor, named);
    case 'human_blocked':
      return settle(service, press, 'failed', { text, fields: null }, actor, named);
    case 'details':
      return;
    default:
      action satisfies never;
  }
}
