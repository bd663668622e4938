// Named points at which a test can end the process like kill -9. Inert unless COUNTERSIGN_CRASH_AT names one. Each module lists its own.
import { env, kill, pid } from 'node:process';

const [wanted, count = '1'] = (env.COUNTERSIGN_CRASH_AT ?? '').split(':');
let left = Number(count);

/** Ends the process at once when `place` is the one asked for: `after_call`, or `after_call:3` for the third time. */
export function endAt(place: string): void {
  if (place !== wanted) return;
  left--;
  if (left === 0) kill(pid, 'SIGKILL');
}
