// A press on something that was drawn here, carried out like a press on any other surface.
import type { Button } from '#cards/view.ts';
import { carryOutPress } from '#conversation/press.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { type AnyPress, bare, type Press } from '#domain/chat/press.ts';
import type { CountersignError } from '#domain/errors.ts';
import { type Session, tellError } from './session.ts';

/**
 * The button that was drawn for `action`; else what it would send, as another button of the same subject does.
 * @returns null where nothing was drawn to press
 */
export function findPress(
  buttons: Pick<Button, 'press'>[],
  action: CardPress['action'],
): CardPress | null {
  const drawn = buttons.find(({ press }) => press.action === action)?.press;
  if (drawn !== undefined) return drawn;
  const [other] = buttons;
  return other === undefined ? null : { ...other.press, action };
}

/** What was pressed, for machines. */
function dataOf({ button, text, fields, part }: Press): Record<string, unknown> {
  const { action, ...about } = button;
  return {
    action: action.replace(/^session_/, ''),
    ...about,
    ...(text === '' ? {} : { text }),
    ...(fields === null ? {} : { fields }),
    ...(part ?? {}),
  };
}

/** @returns why it was refused, which was told; null: it was carried out */
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
