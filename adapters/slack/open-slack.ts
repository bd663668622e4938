// The Slack adapter as a process has it: a handler for what was stored, a port to write with, and the way in.
import type { FastifyInstance } from 'fastify';
import type { ChatHomes, ChatPlace, ChatPort } from '#contracts/chat.ts';
import type { SlackAccess } from '#contracts/chat-access.ts';
import type { Clock } from '#contracts/clock.ts';
import type { ReadWithin } from '#contracts/plan-scope.ts';
import type { RateLimits } from '#contracts/rate-limits.ts';
import type { Service } from '#contracts/service.ts';
import type { SlackInstallations } from '#contracts/slack-installation.ts';
import { conversationAt } from '#conversation/delivery/open-conversation.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import type { Receive } from '#conversation/inbox/receive.ts';
import { checkWorkspaces, type WorkspaceState } from './check.ts';
import { createHandler } from './handle.ts';
import { guardWorkspaces } from './install/guard-workspaces.ts';
import { type InstallOptions, isAlive, registerInstall } from './install/routes.ts';
import { tokensOfMany } from './install/tokens.ts';
import { createHomes } from './lists/home.ts';
import { createRespond } from './port/respond.ts';
import { createSlackPort } from './port/slack-port.ts';
import { objectTo } from './press/read-entered.ts';
import { createRecheck } from './press/recheck.ts';
import { createShow } from './press/show.ts';
import type { SlackContext } from './slack-context.ts';
import { createSlackLogger } from './slack-logger.ts';
import { createPeople } from './talk/people.ts';
import { createAccept } from './transport/accept.ts';
import { registerSlack } from './transport/http.ts';
import { connectSocket } from './transport/socket.ts';
import { type ClientOptions, createClientOf, type Tokens, tokensOfOne } from './workspaces.ts';

export type SlackAdapter = {
  handle: InboxHandler;
  port: ChatPort;
  homes: ChatHomes;
  /** Lets Slack in while `app` listens, which it does not yet: by a route, or by a connection to Slack. */
  receive(app: FastifyInstance, receive: Receive): Promise<void>;
  /** How the workspaces are that added the app; none where it serves one by its token. */
  checkWorkspaces(): Promise<WorkspaceState[]>;
};

/** Where tokens come from, by what is set; and, of several workspaces, what adds them and looks after them. */
function openWorkspaces(
  { workspaces }: SlackAccess,
  parts: Omit<InstallOptions, 'workspaces' | 'installations'> & {
    installations: SlackInstallations | null;
  },
): { tokens: Tokens; many: InstallOptions | null } {
  if (workspaces.kind === 'one')
    return { tokens: tokensOfOne(workspaces.botToken, parts), many: null };
  const { installations } = parts;
  if (installations === null) throw new Error('openSlack: several workspaces need installations');
  return {
    tokens: tokensOfMany({ ...parts, ...workspaces, installations }),
    many: { ...parts, workspaces, installations },
  };
}

export function openSlack(options: {
  access: SlackAccess;
  /** Of several workspaces; null: there is one, by its token. */
  installations: SlackInstallations | null;
  service: Service;
  /** Of several workspaces, the plans that are shown to the people of one. */
  readWithin: ReadWithin;
  clock: Clock;
  limits: RateLimits;
  timezone: string;
  openConversation?: SlackContext['openConversation'];
  openHome: SlackContext['openHome'];
  warn(message: string, error?: unknown): void;
}): SlackAdapter {
  const { access, installations, service, readWithin, clock, limits, timezone, warn } = options;
  const { apiUrl, transport, workspaces } = access;
  const logger = createSlackLogger(warn);
  const slack: ClientOptions = { apiUrl, logger };
  const { tokens, many } = openWorkspaces(access, { ...slack, installations, clock, warn });
  const clientOf = createClientOf(tokens, slack);
  const port = createSlackPort({ clientOf, clock, limits, warn });
  const context: SlackContext = {
    service,
    plansFor: (tenant, reader) =>
      workspaces.kind === 'one' ? service : readWithin({ platform: 'slack', tenant, reader }),
    clientOf,
    // Whoever sets one token vouches for that workspace; of several, each could claim anybody's address.
    people: createPeople({
      personOf: service.personOf,
      noteName: service.noteName,
      clientOf,
      clock,
      timezone,
      vouched: workspaces.kind === 'one',
    }),
    port,
    respond: createRespond({ apiUrl, warn }),
    openConversation:
      options.openConversation ?? (async (place: ChatPlace) => conversationAt(place)),
    openHome: options.openHome,
    warn,
  };
  const handle = createHandler(context, clock);
  return {
    handle:
      many === null
        ? handle
        : guardWorkspaces(handle, { ...many, tokens, isAlive: (token) => isAlive(token, slack) }),
    port,
    homes: createHomes(context, clock),
    checkWorkspaces: async () => (many === null ? [] : checkWorkspaces(many.installations, slack)),
    async receive(app, receive) {
      const accept = createAccept({
        receive,
        clock,
        object: objectTo,
        show: createShow(context),
        recheck: createRecheck(context),
      });
      if (many !== null) registerInstall(app, many);
      if (transport.kind === 'socket') {
        const { appToken } = transport;
        let leave = async () => {};
        app.addHook('onListen', async () => {
          leave = connectSocket({ appToken, apiUrl, accept, warn });
        });
        // What comes while the server closes is still acknowledged; the instance outlives it.
        app.addHook('onClose', () => leave());
        return;
      }
      const { signingSecret } = transport;
      await registerSlack(app, { signingSecret, accept, now: clock.now, warn });
    },
  };
}
