// Presses what was drawn here.
import type { Button } from '#cards/view.ts';
import { carryOutPress } from '#conversation/press.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { type AnyPress, bare, type Press } from '#domain/chat/press.ts';
import type { CountersignError } from '#domain/errors.ts';
import { expectedStep } from '#domain/plan/expected-step.ts';
import { type Session, tellError } from './session.ts';

/** Or one built from another button. Null if nothing was drawn. */
export function findPress(
  buttons: Pick<Button, 'press'>[],
  action: CardPress['action'],
): CardPress | null {
  const drawn = buttons.find(({ press }) => press.action === action)?.press;
  if (drawn !== undefined) return drawn;
  const [other] = buttons;
  return other === undefined ? null : { ...other.press, action };
}

const resolutions: Partial<Record<AnyPress['action'], string>> = {
  settle_retry: 'retry',
  settle_done: 'done',
  settle_failed: 'failed',
  settle_skip: 'skip',
  human_done: 'done',
  human_blocked: 'failed',
  human_take_over: 'take_over',
};

/** As the API's body. */
function settlementOf({ button, text, fields }: Press): Record<string, unknown> | null {
  const resolution = resolutions[button.action];
  if (resolution === undefined || !('step_id' in button) || button.step_id === undefined)
    return null;
  const about = expectedStep(button);
  return {
    ...{ action: 'settle', press: button.action },
    steps: { [button.step_id]: resolution },
    ...(about === null ? {} : { about }),
    ...(text === '' ? {} : { answer: text }),
    ...(fields === null ? {} : { answers: { [button.step_id]: fields } }),
  };
}

/** As the API's body. */
function dataOf(pressed: Press): Record<string, unknown> {
  const { button, text, fields, part } = pressed;
  const { action, ...about } = button;
  const changes = action === 'propose_changes' || action === 'session_changes';
  return {
    action: action.replace(/^(?:session|finding)_/, ''),
    ...about,
    ...(text === '' ? {} : { text, ...(changes ? { feedback: text } : {}) }),
    ...(fields === null ? {} : { fields }),
    ...(part ?? {}),
    ...settlementOf(pressed),
  };
}

/** @returns the refusal, or null */
export async function pressDrawn(
  session: Session,
  button: AnyPress,
  entered: Partial<Omit<Press, 'button'>> = {},
  explain: (error: unknown) => unknown = (error) => error,
): Promise<CountersignError | null> {
  const press = { ...bare(button), ...entered };
  try {
    await carryOutPress(session.service, press, session.actor);
  } catch (error) {
    return tellError(session, explain(error));
  }
  session.event('decision', dataOf(press));
  return null;
}
