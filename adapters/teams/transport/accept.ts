// What is done with an activity that is Teams': what may act is stored, then acknowledged or, where Teams waits for an answer,
// answered with what came of it; what only looks is answered at once.
import { pressWords } from '#cards/chat-words.ts';
import type { Clock } from '#contracts/clock.ts';
import type { Receive } from '#conversation/inbox/receive.ts';
import type { WaitUntilHandled } from '#conversation/inbox/wait-until-handled.ts';
import { readDecision, readLook } from '../press/read-press.ts';
import type { Show } from '../press/show.ts';
import { answerText, answerUnknown, type InvokeAnswer } from './answer.ts';
import { nameActivity } from './name-activity.ts';
import type { Signal } from './read-activity.ts';

/** Teams gives a press ten seconds. */
const answeredWithinMs = 8000;

/** null: acknowledged, nothing to say. @throws when it cannot be stored; then it must not be acknowledged */
export type Accept = (signal: Signal, body: Buffer<ArrayBuffer>) => Promise<InvokeAnswer | null>;

export function createAccept(parts: {
  receive: Receive;
  wait: WaitUntilHandled;
  clock: Clock;
  show: Show;
}): Accept {
  const { receive, wait, clock, show } = parts;
  return async (signal, body) => {
    if (signal.kind === 'other') return null;
    const { kind, scene } = signal;
    const asks = kind === 'press' && signal.asks;
    if (asks) {
      const look = readLook(signal.verb, signal.data);
      if (look !== null) return show.look(look, scene);
    }
    const decision = kind === 'press' ? readDecision(signal.verb, signal.data) : null;
    if (asks && decision === null) return answerUnknown(pressWords.unknownButton);
    const { id } = await receive(nameActivity(signal, body, clock.now()));
    if (!asks || decision === null) return null;
    const outcome = await wait(id, answeredWithinMs);
    if (outcome.state === 'open')
      return answerText(decision.kind === 'settings' ? pressWords.keptLater : pressWords.later);
    if (outcome.state === 'failed') return answerText(pressWords.failed);
    return show.outcome(decision, outcome.reply, scene);
  };
}
