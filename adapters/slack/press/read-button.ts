// What a button of ours stands for, whether it asks something before it decides, and whether two mean the same. Pure.
import type { CardPress } from '#domain/chat/card.ts';
import { AnyPress } from '#domain/chat/press.ts';
import { parseAs } from '#domain/json.ts';

/** null: a button of something else. */
export function readButton(value: string | null | undefined): AnyPress | null {
  return parseAs(AnyPress, value ?? '');
}

/** Whether a press opens a window rather than deciding by itself. */
export function opensWindow(press: AnyPress): boolean {
  switch (press.action) {
    case 'details':
    case 'propose_changes':
    case 'reject':
    case 'human_done':
    case 'human_blocked':
      return true;
    case 'session_changes':
    case 'session_answer':
      return press.choice === undefined;
    default:
      return false;
  }
}

/**
 * Whether two presses on cards ask for the same about the same thing. Of a press from before attempts and ends were said, it is
 * enough that the rest is the same.
 */
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
