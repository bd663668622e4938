// The Slack adapter as a process has it: a handler for what was stored, a port to write with, and the way in.
import type { FastifyInstance } from 'fastify';
import type { ChatPlace, ChatPort } from '#contracts/chat.ts';
import type { SlackAccess } from '#contracts/chat-access.ts';
import type { Clock } from '#contracts/clock.ts';
import type { Service } from '#contracts/service.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import type { Receive } from '#conversation/inbox/receive.ts';
import { createHandler } from './handle.ts';
import { conversationOf } from './place.ts';
import { createSlackPort } from './port/slack-port.ts';
import { objectTo } from './press/read-entered.ts';
import { createShow } from './press/show.ts';
import type { SlackContext } from './slack-context.ts';
import { createSlackLogger } from './slack-logger.ts';
import { createPeople } from './talk/people.ts';
import { createAccept } from './transport/accept.ts';
import { registerSlack } from './transport/http.ts';
import { connectSocket } from './transport/socket.ts';
import { createClientOf, createTokenOf } from './workspaces.ts';

export type SlackAdapter = {
  handle: InboxHandler;
  port: ChatPort;
  /** Lets Slack in: a route on `app`, or a connection to Slack. @returns how to end it */
  receive(app: FastifyInstance, receive: Receive): Promise<() => Promise<void>>;
};

export function openSlack(options: {
  access: SlackAccess;
  service: Service;
  clock: Clock;
  timezone: string;
  openConversation?: SlackContext['openConversation'];
  warn(message: string, error?: unknown): void;
}): SlackAdapter {
  const { access, service, clock, timezone, warn } = options;
  const { apiUrl, transport, workspaces } = access;
  const logger = createSlackLogger(warn);
  const clientOf = createClientOf(createTokenOf(access, { apiUrl, logger }), { apiUrl, logger });
  const port = createSlackPort({ clientOf, clock });
  const context: SlackContext = {
    service,
    clientOf,
    // Whoever sets one token vouches for that workspace; of several, each could claim anybody's address.
    people: createPeople({
      clientOf,
      clock,
      timezone,
      vouched: workspaces.kind === 'one',
      personOf: service.personOf,
    }),
    port,
    openConversation:
      options.openConversation ?? (async (place: ChatPlace) => conversationOf(place)),
    warn,
  };
  return {
    handle: createHandler(context, clock),
    port,
    async receive(app, receive) {
      const accept = createAccept({
        receive,
        clock,
        object: objectTo,
        show: createShow(context),
      });
      if (transport.kind === 'socket') {
        const { appToken } = transport;
        return connectSocket({ appToken, apiUrl, accept, logger, warn });
      }
      const { signingSecret } = transport;
      await registerSlack(app, { signingSecret, accept, now: clock.now, warn });
      return async () => {};
    },
  };
}
