// What is done about a stored signal, by its kind. May be called again with the same one.
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import { decidePress, decideSent } from './press/decide.ts';
import type { SlackContext } from './slack-context.ts';
import { hear } from './talk/hear.ts';
import { readSignal } from './transport/read-signal.ts';

export function createHandler(context: SlackContext): InboxHandler {
  return async (event, { attempt }) => {
    const signal = readSignal(event.body);
    if (signal === null) return;
    switch (signal.kind) {
      case 'message':
        return hear(context, signal, event, attempt);
      case 'press':
        return decidePress(context, signal, attempt);
      case 'sent':
        return decideSent(context, signal, attempt);
      case 'command':
      case 'home':
      case 'other':
        return;
      default:
        signal satisfies never;
    }
  };
}
