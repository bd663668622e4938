// The Teams adapter as a process has it: a handler for what was stored, a port to write with, and the way in.
import type { FastifyInstance } from 'fastify';
import type { ChatPlace, ChatPort } from '#contracts/chat.ts';
import type { TeamsAccess } from '#contracts/chat-access.ts';
import type { Clock } from '#contracts/clock.ts';
import type { ReadWithin } from '#contracts/plan-scope.ts';
import type { Service } from '#contracts/service.ts';
import type { TeamsConversations } from '#contracts/teams-conversation.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import type { Receive } from '#conversation/inbox/receive.ts';
import type { WaitUntilHandled } from '#conversation/inbox/wait-until-handled.ts';
import { createTokens, type TeamsCloud } from './cloud.ts';
import { createHandler } from './handle.ts';
import { createConnector } from './port/connector.ts';
import { createReadersOf } from './port/members.ts';
import { createTeamsPort } from './port/teams-port.ts';
import { createShow } from './press/show.ts';
import { accountOfMember, createPeople } from './talk/people.ts';
import type { TeamsContext } from './teams-context.ts';
import { isServed } from './tenants.ts';
import { createAccept } from './transport/accept.ts';
import { createAuthenticate, isAnswerable } from './transport/authenticate.ts';
import { registerTeams } from './transport/http.ts';

export type TeamsAdapter = {
  handle: InboxHandler;
  port: ChatPort;
  /** Lets Teams in: a route on `app`. */
  receive(app: FastifyInstance, inbox: { receive: Receive; wait: WaitUntilHandled }): Promise<void>;
};

export function openTeams(options: {
  access: TeamsAccess;
  /** Another sign-in than Microsoft's. */
  cloud?: TeamsCloud | null;
  service: Service;
  /** Of several tenants, the plans that are shown to the people of one. */
  readWithin: ReadWithin;
  conversations: TeamsConversations;
  /** All names of those who stand behind some, and of whoever approves everywhere. */
  namesOf(names: readonly string[]): Promise<string[]>;
  clock: Clock;
  timezone: string;
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  warn(message: string, error?: unknown): void;
}): TeamsAdapter {
  const {
    access,
    cloud = null,
    service,
    readWithin,
    conversations,
    clock,
    timezone,
    warn,
  } = options;
  const connector = createConnector({
    tokens: createTokens(access, cloud),
    answerable: (url) => isAnswerable(url, access.kind === 'Local' || cloud !== null),
    now: clock.now,
  });
  const readersOf = createReadersOf({
    ...{ connector, clock, warn },
    accountOf: (member, tenant) => accountOfMember(access, member, tenant),
    namesOf: options.namesOf,
  });
  const context: TeamsContext = {
    service,
    plansFor: (tenant, reader) =>
      access.kind === 'MultiTenant' ? readWithin({ platform: 'teams', tenant, reader }) : service,
    people: createPeople({
      ...{ access, connector, conversations, clock, timezone },
      personOf: service.personOf,
      noteName: service.noteName,
    }),
    port: createTeamsPort({ connector, conversations, readersOf }),
    conversations,
    clock,
    openConversation: options.openConversation,
    warn,
  };
  return {
    handle: createHandler(context),
    port: context.port,
    receive: (app, { receive, wait }) =>
      registerTeams(app, {
        authenticate: createAuthenticate(access, cloud),
        accept: createAccept({ receive, wait, clock, show: createShow(context) }),
        serves: (tenant) => isServed(access, tenant),
        warn,
      }),
  };
}
