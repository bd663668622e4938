// What is done about a stored activity, by its kind. May be called again with the same one.
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import { decide } from './press/decide.ts';
import { greet } from './talk/greet.ts';
import { hear } from './talk/hear.ts';
import type { TeamsContext } from './teams-context.ts';
import { readActivity, readSignal, type Scene } from './transport/read-activity.ts';

/** Remembers where the activity came from, so that anybody can write there later. */
async function keepScene({ conversations }: TeamsContext, scene: Scene): Promise<void> {
  const { tenant, place, kind, serviceUrl, bot, from, team, timezone } = scene;
  const personal = kind === 'personal';
  await conversations.keep({
    ...{ tenant, channel: place.channel, kind, service_url: serviceUrl, bot, team },
    person: personal ? from.id : null,
    timezone: personal ? timezone : null,
  });
}

export function createHandler(context: TeamsContext): InboxHandler {
  return async (event, attempt) => {
    const activity = readActivity(event.body);
    const signal = activity === null ? null : readSignal(activity);
    if (signal === null) return;
    if (signal.kind !== 'removed') await keepScene(context, signal.scene);
    switch (signal.kind) {
      case 'message':
        return hear(context, signal, event);
      case 'press':
        return decide(context, signal, event, attempt);
      case 'added':
      case 'removed':
        return greet(context, signal, signal.sentAt ?? event.received_at);
      case 'other':
        return;
      default:
        signal satisfies never;
    }
  };
}
