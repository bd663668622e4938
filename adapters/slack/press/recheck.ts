// An approval from a window whose plan has changed since: the window answers with the plan as it is now, and nothing is decided.
import { setTimeout as pause } from 'node:timers/promises';
import type { SlackContext } from '../slack-context.ts';
import type { Acknowledgement } from '../transport/accept.ts';
import type { Signal } from '../transport/read-signal.ts';
import { readHeld } from './held.ts';
import { fill } from './show.ts';
import { isApproval } from './windows.ts';

/** Slack waits three seconds for the answer to a form, which has to be stored within them as well. */
const answersWithinMs = 1500;

async function look(context: SlackContext, signal: Signal): Promise<Acknowledgement> {
  if (signal.kind !== 'sent') return null;
  const { view, user } = signal.sent;
  const held = readHeld(view.private_metadata);
  if (!isApproval(view) || held === null || held.team !== signal.team || held.user !== user.id)
    return null;
  const { press } = held;
  if (!('plan_id' in press)) return null;
  const { version, digest } = await context.service.getPlan(press.plan_id);
  if (version === press.version && digest === press.digest) return null;
  return { response_action: 'update', view: await fill(context, held, true) };
}

/**
 * What a form is answered with in place of being decided about; null: it is decided about. Does not throw: what cannot be said in
 * time is found out when it is decided about, which refuses the approval of another version.
 */
export function createRecheck(
  context: SlackContext,
  withinMs = answersWithinMs,
): (signal: Signal) => Promise<Acknowledgement> {
  return async (signal) => {
    try {
      return await Promise.race([look(context, signal), pause(withinMs, null, { ref: false })]);
    } catch (error) {
      context.warn('A window of Slack could not be compared with its plan.', error);
      return null;
    }
  };
}
