// What a press on a card asks of the server. Pure, so that every button is tested without a browser.
import { inputIdOf, readInputs } from '#cards/input-ids.ts';
import type { CardPress } from '#domain/chat/card.ts';
import { expectedStep } from '#domain/plan/expected-step.ts';
import type { SessionPress } from '#domain/planning/session-card.ts';

export type Call = { path: string; body: Record<string, unknown> };

/** What was typed on the card, by input id. */
export type Inputs = Record<string, unknown>;

export type PressPlan =
  | { kind: 'call'; call: Call }
  | { kind: 'show'; tab: 'steps' }
  | { kind: 'refuse'; sentence: string };

/** The press alone, out of what a button carries. */
export function readPress({
  action,
  plan_id,
  version,
  digest,
  step_id,
  attempt,
  stood,
  ended_at,
}: CardPress): CardPress {
  return {
    action,
    plan_id,
    version,
    digest,
    ...(step_id === undefined ? {} : { step_id }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(stood === undefined ? {} : { stood }),
    ...(ended_at === undefined ? {} : { ended_at }),
  };
}

/** What was typed beside the button. */
function textOf(press: CardPress | SessionPress, inputs: Inputs): string | undefined {
  const value = inputs[inputIdOf(press)];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function callOf(press: CardPress, verb: string, body: Record<string, unknown> = {}): PressPlan {
  const path = `/api/plans/${encodeURIComponent(press.plan_id)}/${verb}`;
  return { kind: 'call', call: { path, body: { version: press.version, ...body } } };
}

function settle(
  press: CardPress,
  fate: 'retry' | 'done' | 'failed',
  inputs: Inputs = {},
): PressPlan {
  if (press.step_id === undefined) {
    return { kind: 'refuse', sentence: 'This button is out of date. Reload the page.' };
  }
  const answer = textOf(press, inputs);
  const fields = readInputs(press, inputs);
  const about = expectedStep(press);
  return callOf(press, 'resume', {
    steps: { [press.step_id]: fate },
    ...(about === null ? {} : { about }),
    ...(answer === undefined ? {} : { answer }),
    ...(fields === null ? {} : { answers: { [press.step_id]: typed(fields) } }),
  });
}

/** What the inputs hold, without those left empty. */
function typed(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** The request that a press stands for, or why there is none. @param except steps that are unticked */
export function planPress(press: CardPress, inputs: Inputs, except: string[] = []): PressPlan {
  const feedback = textOf(press, inputs);
  const withFeedback = feedback === undefined ? {} : { feedback };
  switch (press.action) {
    case 'approve':
      return callOf(press, 'approve', {
        digest: press.digest,
        ...(except.length === 0 ? {} : { except }),
      });
    case 'propose_changes':
      if (feedback === undefined) {
        return { kind: 'refuse', sentence: 'Say what should change, then send it.' };
      }
      return callOf(press, 'propose-changes', { feedback });
    case 'reject':
      return callOf(press, 'reject', withFeedback);
    case 'cancel':
      return callOf(press, 'cancel', withFeedback);
    case 'pause':
      return callOf(press, 'pause');
    case 'resume':
      return callOf(press, 'resume');
    case 'retry':
      return callOf(
        press,
        'retry',
        press.ended_at === undefined ? {} : { ended_at: press.ended_at },
      );
    case 'settle_retry':
      return settle(press, 'retry');
    case 'settle_done':
      return settle(press, 'done');
    case 'settle_failed':
      return settle(press, 'failed');
    case 'human_done':
      return settle(press, 'done', inputs);
    case 'human_blocked':
      if (feedback === undefined) return { kind: 'refuse', sentence: "Say what's blocking you." };
      return settle(press, 'failed', inputs);
    case 'details':
      // The overview says what the card says; single steps, their arguments and which of them may run is what it lacks.
      return { kind: 'show', tab: 'steps' };
    default:
      return press.action satisfies never;
  }
}

/** The request that a press on a session's card stands for, or why there is none. */
export function planSessionPress(press: SessionPress, inputs: Inputs): PressPlan {
  const path = `/api/runs/${encodeURIComponent(press.run_id)}`;
  const shown = { digest: press.digest, turn: press.turn };
  const words = press.choice ?? textOf(press, inputs);
  switch (press.action) {
    case 'session_approve':
      return { kind: 'call', call: { path: `${path}/approve`, body: shown } };
    case 'session_reject':
      return { kind: 'call', call: { path: `${path}/reject`, body: shown } };
    case 'session_changes':
      if (words === undefined) {
        return { kind: 'refuse', sentence: 'Say what should change, then send it.' };
      }
      return {
        kind: 'call',
        call: { path: `${path}/propose-changes`, body: { ...shown, feedback: words } },
      };
    case 'session_answer':
      if (words === undefined)
        return { kind: 'refuse', sentence: 'Write an answer, then send it.' };
      return { kind: 'call', call: { path: `${path}/reply`, body: { text: words, ...shown } } };
    default:
      return press.action satisfies never;
  }
}
