// Whether two presses on cards ask for the same about the same thing. Pure.
import type { CardPress } from '#domain/chat/card.ts';

/** Of a press from before attempts and ends were said, it is enough that the rest is the same. */
export function isSamePress(drawn: CardPress, pressed: CardPress): boolean {
  return (
    drawn.action === pressed.action &&
    drawn.step_id === pressed.step_id &&
    drawn.finding_id === pressed.finding_id &&
    (pressed.attempt ?? drawn.attempt) === drawn.attempt &&
    (pressed.stood ?? drawn.stood) === drawn.stood &&
    (pressed.ended_at ?? drawn.ended_at) === drawn.ended_at &&
    drawn.version === pressed.version &&
    drawn.digest === pressed.digest
  );
}
