// Opens the Slack adapter.
import { sliderPrefix } from '#cards/slack-lists.ts';
import type { EventAttempt, InboxHandler } from '#chat/inbox/inbox-context.ts';
import { keepRefused } from '#chat/inbox/keep-refused.ts';
import type { OpenPlatform, PlatformParts } from '#chat/platform.ts';
import { openSlackInstallations } from '#chat/slack-installations.ts';
import { unlessForbidden } from '#chat/talk.ts';
import type { InboxEvent } from '#domain/chat/inbox.ts';
import type { SlackAccess } from './access.ts';
import { createAsk } from './calls/hold.ts';
import { checkWorkspaces } from './check.ts';
import { guardWorkspaces } from './install/guard-workspaces.ts';
import { type InstallOptions, isAlive, registerInstall } from './install/routes.ts';
import { tokensOfMany } from './install/tokens.ts';
import { answerCommand } from './lists/answer-command.ts';
import { createHomes, setFromHome } from './lists/home.ts';
import { createFindPlace } from './people/find-place.ts';
import { createPeople } from './people/people.ts';
import { createReach } from './people/reach.ts';
import { createUserGroupReader } from './people/user-groups.ts';
import { createRespond } from './port/respond.ts';
import { createSlackPort } from './port/slack-port.ts';
import { isPlanThis } from './press/about.ts';
import { proposeBuild, suggestBuild } from './press/build.ts';
import { isBuild } from './press/build-windows.ts';
import { decidePress, decideSent } from './press/handle-press.ts';
import { planThis } from './press/plan-this.ts';
import { objectTo } from './press/read-entered.ts';
import { pressRecurring, recurringPrefix, sendRecurring } from './press/recurring.ts';
import { type Listener, tellAlone } from './press/send.ts';
import { createFirstStatus, createRecheck, createShow } from './press/show.ts';
import { placeOf, placeOfPress } from './signals/name-signal.ts';
import { readSignal, type Signal } from './signals/read-signal.ts';
import type { SlackContext } from './slack-context.ts';
import { createSlackLogger } from './slack-logger.ts';
import { createFetchFile } from './talk/fetch-file.ts';
import { createGreet } from './talk/greet.ts';
import { previewLinks } from './talk/preview-links.ts';
import { createReadThread } from './talk/read-thread.ts';
import { receiveMessage, stop } from './talk/receive-message.ts';
import { createAccept } from './transport/accept.ts';
import { registerSlack } from './transport/http.ts';
import { connectSocket } from './transport/socket.ts';
import { type ClientOptions, createClientOf, type Tokens, tokensOfOne } from './workspaces.ts';

// Handles stored signals by kind; idempotent.

/** Slack's limit for answers to a command. */
const answerableForMs = 30 * 60_000;

export function createHandler(context: SlackContext): InboxHandler {
  const act = createAct(context);
  return async (event, attempt) => {
    const signal = readSignal(event.body);
    if (signal === null) return;
    const who = senderOf(signal);
    await unlessForbidden(
      () => act(signal, event, attempt),
      async (why) => {
        if (who !== null) await tellAlone(context, who, why);
      },
    );
  };
}

/** Null if nobody waits. */
function senderOf(signal: Signal): Listener | null {
  const { team } = signal;
  switch (signal.kind) {
    case 'message': {
      const { user, channel, ts, thread_ts } = signal.message;
      return user === undefined
        ? null
        : { team, user, place: placeOf(team, channel, thread_ts ?? ts) };
    }
    case 'press':
      return {
        ...{ team, user: signal.pressed.user.id },
        ...{ place: placeOfPress(signal), answerAt: signal.pressed.response_url },
      };
    case 'sent':
      return { team, user: signal.sent.user.id, place: null };
    case 'command':
      return {
        ...{ team, user: signal.command.user_id },
        ...{ place: null, answerAt: signal.command.response_url },
      };
    case 'stopped': {
      const { channel, user, thread_ts } = signal.stopped;
      return { team, user, place: placeOf(team, channel, thread_ts) };
    }
    default:
      return null;
  }
}

function createAct(context: SlackContext) {
  const { clock } = context;
  const greet = createGreet(context);
  return async (signal: Signal, event: InboxEvent, attempt: EventAttempt): Promise<void> => {
    switch (signal.kind) {
      case 'message':
        return receiveMessage(context, signal, attempt);
      case 'press': {
        const { action_id: id = '' } = signal.pressed.actions[0] ?? {};
        if (id.startsWith(recurringPrefix)) return pressRecurring(context, signal);
        if (!id.startsWith(sliderPrefix)) return decidePress(context, signal, event);
        if (await setFromHome(context, signal, event.received_at)) attempt.forget();
        return;
      }
      case 'shortcut':
      case 'start':
      case 'suggest':
        return;
      case 'sent':
        if (isBuild(signal.sent.view)) return proposeBuild(context, signal);
        if (isPlanThis(signal.sent.view)) return planThis(context, signal);
        if (await sendRecurring(context, signal)) return;
        return decideSent(context, signal, event);
      case 'command':
        // Too late for an answer; the person has asked again.
        if (clock.now().getTime() - event.received_at.getTime() > answerableForMs) return;
        return answerCommand(context, signal);
      case 'opened':
        return greet(signal);
      case 'home':
        return context.openHome({ tenant: signal.team, user: signal.user });
      case 'stopped':
        return stop(context, signal);
      case 'links':
        return previewLinks(context, signal);
      case 'groups':
        return context.renewGroups(signal.team, event.received_at);
      case 'other':
        return;
      default:
        signal satisfies never;
    }
  };
}

async function openWorkspaces(
  { workspaces }: SlackAccess,
  options: ClientOptions,
  parts: PlatformParts,
): Promise<{ tokens: Tokens; many: InstallOptions | null }> {
  if (workspaces.kind === 'one')
    return { tokens: tokensOfOne(workspaces.botToken, options), many: null };
  const installations = await openSlackInstallations(workspaces, parts);
  const { clock, warn } = parts;
  const many = { ...options, clock, warn, installations };
  return { tokens: tokensOfMany({ ...many, ...workspaces }), many: { ...many, workspaces } };
}

export async function openSlack(access: SlackAccess, parts: PlatformParts): Promise<OpenPlatform> {
  const { service, clock, limits, timezone, warn } = parts;
  const { apiUrl, transport, workspaces } = access;
  const options: ClientOptions = { apiUrl, logger: createSlackLogger(warn) };
  const { tokens, many } = await openWorkspaces(access, options, parts);
  const clientOf = createClientOf(tokens, options);
  // A single workspace is vouched for; several could each claim any address.
  const known = { clientOf, clock, timezone, vouched: workspaces.kind === 'one' };
  const ask = createAsk(limits);
  const reach = createReach({ ...known, ask, namesOf: parts.everyNameOf, warn });
  const port = createSlackPort({ clientOf, clock, limits, reach, warn });
  const { personOf, noteName } = service;
  const people = createPeople({ ...known, ask, personOf, noteName });
  const userGroups = createUserGroupReader({ tokens, clientOf, ask, people });
  const respond = createRespond({ apiUrl, warn });
  const context: SlackContext = { ...parts, clientOf, people, userGroups, port, reach, respond };
  const handle = createHandler(context);
  return {
    handle:
      many === null
        ? handle
        : guardWorkspaces(handle, { ...many, tokens, isAlive: (token) => isAlive(token, options) }),
    port,
    homes: createHomes(context),
    fetchFile: createFetchFile({ clientOf, ask, apiUrl }),
    findPlace: createFindPlace({ clientOf, ask, reach, clock }),
    readThread: createReadThread({ clientOf, ask, people, clock }),
    userGroups,
    checkInstalled: async () => (many === null ? [] : checkWorkspaces(many, options)),
    async receive(app, { receive }) {
      const ended = new AbortController();
      app.addHook('onClose', () => ended.abort());
      const receiveKeeping = keepRefused(receive, ended.signal);
      const accept = createAccept({
        // Only events are retried: failed presses show an error.
        receive: (event, first) =>
          (event.kind === 'event' ? receiveKeeping : receive)(event, first),
        clock,
        object: objectTo,
        show: createShow(context),
        showFirst: createFirstStatus(context),
        recheck: createRecheck(context),
        suggest: (signal) => suggestBuild(context, signal),
        isRedrawn: isBuild,
      });
      if (many !== null) registerInstall(app, many);
      if (transport.kind === 'socket') {
        const { appToken } = transport;
        let leave = async () => {};
        app.addHook('onListen', async () => {
          leave = connectSocket({ appToken, apiUrl, accept, warn });
        });
        // Requests during shutdown are still acknowledged.
        app.addHook('onClose', () => leave());
        return;
      }
      const { signingSecret } = transport;
      await registerSlack(app, { signingSecret, accept, now: clock.now, warn });
    },
  };
}
