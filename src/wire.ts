// Puts the rooms together for one process: database, jobs, models, tools, planner, service; and takes them apart again in order.
import type { ChatPlace } from '#contracts/chat.ts';
import { systemClock } from '#contracts/clock.ts';
import { openConversation } from '#conversation/delivery/open-conversation.ts';
import { openHome } from '#conversation/homes/follow-plans.ts';
import { findNames } from '#conversation/identity/find-names.ts';
import { createReceiver } from '#conversation/inbox/receive.ts';
import { createWaiter } from '#conversation/inbox/wait-until-handled.ts';
import { createReadWithin, findPlansOfRun } from '#conversation/plans-within.ts';
import { createService } from '#conversation/service.ts';
import { createTeamsConversations } from '#conversation/teams-conversations.ts';
import { createToolPorts } from '#conversation/tool-ports.ts';
import { decideArguments } from '#models/decide-arguments.ts';
import { createTextModel } from '#models/text-model.ts';
import * as times from '#timeline/recurrence.ts';
import { createCatalogue } from '#tools/catalogue.ts';
import { createRegistry } from '#tools/registry.ts';
import { type Closers, createClosers } from './closers.ts';
import type { Instance, InstanceOptions } from './wire/instance.ts';
import { makeDelivery, makeInbox } from './wire/make-chat-work.ts';
import { makeConversation } from './wire/make-conversation.ts';
import { loadSlack, loadTeams, platformsApart } from './wire/open-chats.ts';
import { openConnections } from './wire/open-connections.ts';
import { openModels } from './wire/open-models.ts';
import { openPlanner } from './wire/open-planner.ts';
import { startWorking } from './work.ts';

export type { Instance, InstanceOptions } from './wire/instance.ts';

/** Opens everything `options` ask for; what was opened is closed again when a part fails. */
export async function openInstance(options: InstanceOptions): Promise<Instance> {
  const closers = createClosers(options.log);
  try {
    return await furnish(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function furnish(options: InstanceOptions, closers: Closers): Promise<Instance> {
  const { config, log, work, linkTo } = options;
  const warn = (message: string, err?: unknown) =>
    log.warn(err === undefined ? {} : { err }, message);
  const connections = await openConnections(config, { log, work, warn }, closers);
  const { db, boss, enqueue, enqueueAll, listener } = connections;
  const models = await openModels(config, warn);
  const registry = await createRegistry({
    mcpServers: config.settings.mcpServers,
    disabledTools: config.settings.disabledTools,
    workspaceDir: config.workspace,
    http: config.settings.http,
    calendars: config.settings.calendars,
    times,
    clock: systemClock,
    warn,
    ...createToolPorts(db, enqueue),
    extraOperations: options.extraOperations,
    ...(models === null ? {} : { textModel: createTextModel(models.executor) }),
  });
  closers.add('the tools', () => registry.close());
  const catalogue = createCatalogue(registry);
  const apart = platformsApart(config);
  const planner =
    options.planner ??
    openPlanner(config, {
      registry,
      catalogue,
      db,
      model: models?.planner ?? null,
      apart,
      plansOf: (runId) => findPlansOfRun(db.query, readWithin, apart, runId),
      warn,
    });
  const hasModel = models !== null;
  const conversation = makeConversation(config, {
    connections,
    catalogue,
    planner,
    hasModel,
    linkTo,
    warn,
  });
  const inChat = { ...conversation, linkTo: options.chatLinkTo ?? (() => null) };
  const chatService = createService(inChat);
  const readWithin = createReadWithin(inChat, chatService);
  const openPlace = (at: ChatPlace, timezone: string | null) =>
    db.transaction((tx) => openConversation({ enqueue }, tx, at, timezone));
  const slack = await loadSlack(config, {
    db,
    enqueueAll,
    service: chatService,
    readWithin,
    openConversation: openPlace,
    openHome: (home) => openHome({ db, enqueue }, { platform: 'slack', ...home }),
    warn,
  });
  const teams = await loadTeams(config, {
    cloud: options.teamsCloud ?? null,
    service: chatService,
    readWithin,
    conversations: createTeamsConversations({ db, enqueue }),
    namesOf: (names) => findNames(inChat, names),
    openConversation: openPlace,
    warn,
  });
  const chats = { slack, teams };
  const { inboxHandlers, inboxRule, chatPorts, deliveryRule } = options;
  const inbox = makeInbox(connections, chats, { handlers: inboxHandlers, rule: inboxRule, warn });
  const delivery = makeDelivery(inChat, chats, { ports: chatPorts, rule: deliveryRule });
  if (work) {
    const executorModel = models?.executor ?? null;
    await startWorking({
      config,
      log,
      boss,
      registry,
      conversation,
      inbox,
      delivery,
      homes: { db, enqueue, homes: slack === null ? {} : { slack: slack.homes }, warn },
      decide: executorModel === null ? null : (request) => decideArguments(executorModel, request),
      watchEveryMs: options.watchEveryMs,
      closers,
    });
  }
  return {
    service: createService(conversation),
    receive: createReceiver(inbox),
    wait: createWaiter({ db }),
    slack,
    teams,
    openConversation: (tx, place, timezone) => openConversation(delivery, tx, place, timezone),
    registry,
    catalogue,
    planner,
    db,
    listener,
    database: connections.words,
    close: closers.closeAll,
  };
}
