// Turns presses on cards into service calls.
import { refusalWords } from '#cards/decision-words.ts';
import type { CardPress, Pressed } from '#domain/chat/card.ts';
import type { Press, PressedPart, PressOutcome } from '#domain/chat/press.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FieldValue } from '#domain/plan/answer.ts';
import { expectedStep } from '#domain/plan/expected-step.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import { type NewPlaybook, PlaybookName, PlaybookValues } from '#domain/plan/playbook.ts';
import type { Approval, Service } from '#domain/service.ts';

type Named = { pressed?: Pressed };
type Entered = Pick<Press, 'text' | 'fields'>;

const nothing: Entered = { text: '', fields: null };

/** Positions apply to the version the approval names. */
async function readPart(
  service: Service,
  { plan_id }: CardPress,
  part: PressedPart | null,
  actor: Actor,
): Promise<{ steps?: string[]; except?: string[] }> {
  if (part === null) return {};
  if (!('places' in part)) return part;
  const { plan, steps } = await service.card(plan_id, { user: actor.id, timezone: 'UTC' });
  const chosen = part.places.flatMap((place) => steps[place]?.id ?? []);
  return chosen.length === plan.total_steps ? {} : { steps: chosen };
}

export async function readApproval(
  service: Service,
  { button, part }: Press,
  actor: Actor,
): Promise<Approval | null> {
  if (button.action !== 'approve') return null;
  const { version, digest, passed } = button;
  const seen = passed === undefined ? {} : { passed };
  return { version, digest, ...seen, ...(await readPart(service, button, part, actor)) };
}

/** @throws `invalid_request` */
async function settle(
  service: Service,
  press: CardPress,
  resolution: 'retry' | 'done' | 'failed' | 'skip' | 'take_over',
  { text, fields }: Entered,
  actor: Actor,
  named: Named,
): Promise<void> {
  const { step_id: step, plan_id, version } = press;
  if (step === undefined) throw new CountersignError('invalid_request', refusalWords.noStepNamed);
  const about = expectedStep(press);
  await service.resume(
    plan_id,
    {
      version,
      steps: { [step]: resolution },
      ...(about === null ? {} : { about }),
      ...(text === '' ? {} : { answer: text }),
      ...(fields === null ? {} : { answers: { [step]: fields } }),
      ...named,
    },
    actor,
  );
}

/** @throws `invalid_request` */
async function settleFinding(
  service: Service,
  { finding_id: finding, plan_id }: CardPress,
  action: FindingAction,
  actor: Actor,
): Promise<void> {
  if (finding === undefined)
    throw new CountersignError('invalid_request', refusalWords.noFindingNamed);
  await service.settleFinding(plan_id, finding, action, actor);
}

/** Parameters as lines `customer=ACME`. @throws `invalid_request` */
function readPlaybook({ name, params = '' }: Record<string, FieldValue>): NewPlaybook {
  const lines = String(params ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()];
  });
  const read = PlaybookName.safeParse(String(name ?? ''));
  const values = PlaybookValues.safeParse(Object.fromEntries(pairs));
  if (read.success && values.success) return { name: read.data, params: values.data, defaults: {} };
  throw new CountersignError('invalid_request', refusalWords.playbookForm);
}

async function decideSession(
  service: Service,
  { run_id, digest, turn, action, choice }: SessionPress,
  text: string,
  actor: Actor,
  named: Named,
): Promise<void> {
  const words = choice ?? text;
  const shown = { digest, turn, ...named };
  switch (action) {
    case 'session_answer':
      return service.reply(run_id, words, actor, { turn, ...named });
    case 'session_approve':
      await service.decideRun(run_id, { ...shown, kind: 'approve' }, actor);
      return;
    case 'session_reject':
      await service.decideRun(run_id, { ...shown, kind: 'reject' }, actor);
      return;
    case 'session_changes':
      await service.decideRun(run_id, { ...shown, kind: 'changes', feedback: words }, actor);
      return;
    default:
      action satisfies never;
  }
}

async function decidePlan(
  service: Service,
  button: CardPress,
  press: Press,
  actor: Actor,
  named: Named,
): Promise<void> {
  const { plan_id, version, action, ended_at } = button;
  const { text, fields, comments } = press;
  const decision = { version, ...(text === '' ? {} : { feedback: text }), ...named };
  switch (action) {
    case 'approve': {
      const approval = await readApproval(service, press, actor);
      if (approval !== null) await service.approve(plan_id, { ...approval, ...named }, actor);
      return;
    }
    case 'propose_changes':
      await service.proposeChanges(
        plan_id,
        { ...decision, ...(comments === undefined ? {} : { comments }) },
        actor,
      );
      return;
    case 'reschedule': {
      const feedback = button.choice ?? text;
      await service.proposeChanges(plan_id, { version, feedback, ...named }, actor);
      return;
    }
    case 'reject':
      await service.reject(plan_id, decision, actor);
      return;
    case 'go_back':
      await service.goBack(plan_id, { version, to: button.to ?? null, ...named }, actor);
      return;
    case 'cancel':
      await service.cancel(plan_id, decision, actor);
      return;
    case 'pause':
      await service.pause(plan_id, { version, ...named }, actor);
      return;
    case 'mark_failed':
      await service.markFailed(plan_id, { version, ...named }, actor);
      return;
    case 'resume':
      await service.resume(plan_id, { version, ...named }, actor);
      return;
    case 'retry': {
      const end = ended_at === undefined ? {} : { ended_at };
      await service.retry(plan_id, { version, ...end, ...named }, actor);
      return;
    }
    case 'save_playbook':
      await service.savePlaybook(plan_id, readPlaybook(fields ?? {}), actor);
      return;
    case 'settle_retry':
      return settle(service, button, 'retry', nothing, actor, named);
    case 'settle_done':
      return settle(service, button, 'done', nothing, actor, named);
    case 'settle_failed':
      return settle(service, button, 'failed', nothing, actor, named);
    case 'settle_skip':
      return settle(service, button, 'skip', nothing, actor, named);
    case 'human_done':
      return settle(service, button, 'done', { text, fields }, actor, named);
    case 'human_blocked':
      return settle(service, button, 'failed', { text, fields: null }, actor, named);
    case 'human_take_over':
      return settle(service, button, 'take_over', nothing, actor, named);
    case 'finding_replan':
      return settleFinding(service, button, 'replan', actor);
    case 'finding_proceed':
      return settleFinding(service, button, 'proceed', actor);
    case 'finding_leave_out':
      return settleFinding(service, button, 'leave_out', actor);
    case 'finding_dismiss':
      return settleFinding(service, button, 'dismiss', actor);
    case 'details':
      return;
    case 'retry_edited':
      throw new CountersignError('invalid_request', refusalWords.opensForm);
    default:
      action satisfies never;
  }
}

/** @param pressed deduplicates @throws refusals of the service */
export async function carryOutPress(
  service: Service,
  press: Press,
  actor: Actor,
  pressed?: Pressed,
): Promise<PressOutcome> {
  const named = pressed === undefined ? {} : { pressed };
  const { button, text } = press;
  if ('run_id' in button) {
    await decideSession(service, button, text, actor, named);
    return { kind: 'run', run_id: button.run_id };
  }
  if (button.action === 'details') return { kind: 'nothing' };
  await decidePlan(service, button, press, actor, named);
  return { kind: 'plan', plan_id: button.plan_id };
}

/**
 * Decides only in its card's conversation.
 * @param conversation null outside any
 * @param elsewhere the refusal for another conversation
 * @returns the refusal or null
 * @throws transient errors, so that the event is retried
 */
export async function carryOutPressIn(
  service: Service,
  conversation: string | null,
  press: Press,
  actor: Actor,
  pressed: Pressed,
  elsewhere: string,
): Promise<CountersignError | null> {
  try {
    if (conversation === null || !(await service.isAbout(conversation, press.button)))
      return new CountersignError('not_allowed', elsewhere);
    await carryOutPress(service, press, actor, pressed);
    return null;
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    return error;
  }
}
