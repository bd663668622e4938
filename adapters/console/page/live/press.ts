// Carries out a press once, reporting refusals.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import type { StepComment } from '#domain/plan/plan.ts';
import { describeError, post } from './api.ts';
import { openPlan, showPane } from './focus.ts';
import { takenOff } from './part.ts';
import { loadCard, refreshPlan } from './plans.ts';
import { type Inputs, type PressBody, planPress } from './presses.ts';
import { loadSession } from './sessions.ts';
import { change, state } from './store.ts';

function notice(id: string, sentence: string): void {
  change((s) => s.notices.set(id, sentence));
}

/** Ignored while another is under way. @returns whether the server took it */
export async function press(
  pressed: CardPress,
  inputs: Inputs,
  comments: StepComment[] = [],
): Promise<boolean> {
  const id = pressed.plan_id;
  if (state.pressing.has(id)) return false;
  const planned = planPress(pressed, inputs, { except: [...takenOff(state, pressed)], comments });
  switch (planned.kind) {
    case 'refuse':
      notice(id, planned.sentence);
      return false;
    case 'show':
      openPlan(id, planned.tab);
      showPane('plan');
      return false;
    case 'send':
      return send(id, planned.body, () => (state.plan?.id === id ? refreshPlan() : loadCard(id)));
    default:
      return planned satisfies never;
  }
}

export async function pressSession(pressed: SessionPress, inputs: Inputs): Promise<void> {
  const id = pressed.run_id;
  if (state.pressing.has(id)) return;
  const planned = planPress(pressed, inputs);
  if (planned.kind === 'refuse') return notice(id, planned.sentence);
  if (planned.kind === 'send') await send(id, planned.body, () => loadSession(id));
}

/** Reloads the result. @returns whether the server took it */
async function send(id: string, body: PressBody, reload: () => Promise<unknown>): Promise<boolean> {
  let taken = false;
  change((s) => {
    s.pressing.add(id);
    s.notices.delete(id);
  });
  try {
    await post('/api/press', body);
    taken = true;
  } catch (error) {
    notice(id, describeError(error));
  }
  try {
    await reload();
  } catch (error) {
    notice(id, describeError(error));
  } finally {
    change((s) => s.pressing.delete(id));
  }
  return taken;
}
