// What is done about a stored signal, by its kind. May be called again with the same one.

import type { Clock } from '#contracts/clock.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import { answerCommand } from './lists/answer-command.ts';
import { setFromHome } from './lists/home.ts';
import { decidePress, decideSent } from './press/decide.ts';
import type { SlackContext } from './slack-context.ts';
import { hear } from './talk/hear.ts';
import { readSignal } from './transport/read-signal.ts';

export function createHandler(context: SlackContext, clock: Clock): InboxHandler {
  return async (event, { attempt }) => {
    const signal = readSignal(event.body);
    if (signal === null) return;
    switch (signal.kind) {
      case 'message':
        return hear(context, signal);
      case 'press':
        if (await setFromHome(context, signal)) return;
        return decidePress(context, signal, attempt);
      case 'sent':
        return decideSent(context, signal, attempt);
      case 'command':
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
