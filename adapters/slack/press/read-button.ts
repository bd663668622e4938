// What a button of ours stands for, and whether it asks something before it decides. Pure.
import { AnyPress } from '#domain/chat/press.ts';

/** null: none of ours. */
export function readButton(value: string | null | undefined): AnyPress | null {
  try {
    const parsed = AnyPress.safeParse(JSON.parse(value ?? ''));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    // Not JSON: a button of something else.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
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
