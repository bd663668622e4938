// What is done about a stored signal, by its kind. May be called again with the same one.
import type { Clock } from '#contracts/clock.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import { answerCommand } from './lists/answer-command.ts';
import { setFromHome } from './lists/home.ts';
import { decidePress, decideSent } from './press/decide.ts';
import type { SlackContext } from './slack-context.ts';
import { hear } from './talk/hear.ts';
import { readSignal } from './transport/read-signal.ts';

/** For how long Slack takes an answer to a command. */
const answerableForMs = 30 * 60_000;

export function createHandler(context: SlackContext, clock: Clock): InboxHandler {
  return async (event) => {
    const signal = readSignal(event.body);
    if (signal === null) return;
    switch (signal.kind) {
      case 'message':
        return hear(context, signal);
      case 'press':
        if (await setFromHome(context, signal, event.received_at)) return;
        return decidePress(context, signal, event);
      case 'sent':
        return decideSent(context, signal, event);
      case 'command':
        // Slack takes no answer any more: whoever asked has asked again.
        if (clock.now().getTime() - event.received_at.getTime() > answerableForMs) return;
        return answerCommand(context, signal, clock.now());
      case 'home':
        return context.openHome({ tenant: signal.team, user: signal.user });
      case 'other':
        return;
      default:
        signal satisfies never;
    }
  };
}
