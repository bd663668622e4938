// Puts the rooms together for one process: database, jobs, models, tools, planner, service; and takes them apart again in order.
import type { Logger } from 'pino';
import type { openSlack, SlackAdapter } from '#adapters/slack/open-slack.ts';
import type { openTeams, TeamsAdapter } from '#adapters/teams/open-teams.ts';
import type { Config } from '#config';
import type { ChatPlace } from '#contracts/chat.ts';
import type { SlackAccess } from '#contracts/chat-access.ts';
import { systemClock, systemRandom } from '#contracts/clock.ts';
import type { Platform } from '#contracts/inbox.ts';
import type { EnqueueAll } from '#contracts/jobs.ts';
import type { Planner } from '#contracts/run.ts';
import type { Service } from '#contracts/service.ts';
import type { SlackInstallations } from '#contracts/slack-installation.ts';
import type { Catalogue, Operation, ToolRegistry } from '#contracts/tool.ts';
import type { ConversationContext } from '#conversation/conversation-context.ts';
import {
  type ChatPorts,
  type DeliveryContext,
  type DeliveryRule,
  deliveryRule,
} from '#conversation/delivery/delivery-context.ts';
import { openConversation } from '#conversation/delivery/open-conversation.ts';
import { openHome } from '#conversation/homes/follow-plans.ts';
import {
  type InboxContext,
  type InboxHandlers,
  type InboxRule,
  inboxRule,
} from '#conversation/inbox/inbox-context.ts';
import { createReceiver, type Receive, receivingLimits } from '#conversation/inbox/receive.ts';
import { createWaiter, type WaitUntilHandled } from '#conversation/inbox/wait-until-handled.ts';
import { readCardFacts } from '#conversation/plan-card.ts';
import { createReadWithin, findPlansOfRun } from '#conversation/plans-within.ts';
import { createService } from '#conversation/service.ts';
import { readTurnCard } from '#conversation/session-past.ts';
import { createSlackInstallations, warnOfForeignKeys } from '#conversation/slack-installations.ts';
import { createTeamsConversations } from '#conversation/teams-conversations.ts';
import { createToolPorts } from '#conversation/tool-ports.ts';
import { drawForChat } from '#jobs/draw-for-chat.ts';
import { queues } from '#jobs/queues.ts';
import { type ChatModel, createChatModel } from '#models/chat-model.ts';
import { decideArguments } from '#models/decide-arguments.ts';
import { createModelClient, readModelAccess } from '#models/openai.ts';
import { createTextModel } from '#models/text-model.ts';
import { createBudget } from '#planner/budget.ts';
import { createPlanner } from '#planner/create-planner.ts';
import type { PlanningLimits } from '#planner/limits.ts';
import { openPlannerTools } from '#planner/open-tools.ts';
import { createManifestReader } from '#store/backends.ts';
import {
  createEnqueue,
  createEnqueueAll,
  createQueues,
  openBoss,
  readSendingText,
} from '#store/boss.ts';
import { type Database, openDatabase, type Transaction } from '#store/database.ts';
import { type Listener, openListener } from '#store/notify.ts';
import { readPlan } from '#store/plans.ts';
import { createPortfolioReader } from '#store/portfolio.ts';
import { readRun } from '#store/runs.ts';
import { createSeal } from '#store/seal.ts';
import { storePools } from '#store/sql/resources.ts';
import { createStoreAtOnce } from '#store/store-at-once.ts';
import * as times from '#timeline/recurrence.ts';
import { createCatalogue } from '#tools/catalogue.ts';
import { createRegistry } from '#tools/registry.ts';
import { type Closers, createClosers } from './closers.ts';
import { openMigrated } from './open-database.ts';
import { startWorking } from './work.ts';

export type House = {
  service: Service;
  /** Stores what a chat platform sends, so that it may be acknowledged. */
  receive: Receive;
  /** Waits for what becomes of a stored event, whoever handles it. */
  wait: WaitUntilHandled;
  /** null: Slack is not set up. */
  slack: SlackAdapter | null;
  /** null: Teams is not set up. */
  teams: TeamsAdapter | null;
  /**
   * The conversation at a place of a chat platform, always the same one; an event that came from there mends a broken place.
   * @param timezone of the one who reads there, in a direct message
   */
  openConversation(tx: Transaction, place: ChatPlace, timezone?: string | null): Promise<string>;
  registry: ToolRegistry;
  catalogue: Catalogue;
  planner: Planner;
  db: Database;
  listener: Listener;
  /** Where the database is, in words. */
  database: string;
  /** Ends what is under way, hands back the rest, closes connections. */
  close(): Promise<void>;
};

export type HouseOptions = {
  config: Config;
  log: Logger;
  /** Takes jobs: planners, executors, reminders. */
  work: boolean;
  linkTo: (planId: string) => string | null;
  /** The same for cards in a chat; left out: they have no links. */
  chatLinkTo?: (planId: string) => string | null;
  /** Instead of the one the configuration asks for. */
  planner?: Planner;
  /** Milliseconds between two rounds of recovery; default 5,000. */
  watchEveryMs?: number;
  /** Built-in operations of this process alone, which no configuration can offer; the bench brings one. */
  extraOperations?: Operation[];
  /** What handles the events of chat platforms, and how it is tried; those of a platform without one wait. */
  inboxHandlers?: InboxHandlers | undefined;
  inboxRule?: Partial<InboxRule> | undefined;
  /** Another sign-in for Teams than Microsoft's. */
  teamsCloud?: Parameters<typeof openTeams>[0]['cloud'] | undefined;
  /** What writes to chat platforms, and how it is tried; what is said on those without one waits. */
  chatPorts?: ChatPorts | undefined;
  deliveryRule?: Partial<DeliveryRule> | undefined;
};

/** Connections of one process to the database. */
const poolSize = 12;

function openModels({ env, settings }: Config): { planner: ChatModel; executor: ChatModel } | null {
  const access = readModelAccess(env);
  if (access === null) return null;
  const client = createModelClient(access);
  const { prices } = settings;
  return {
    planner: createChatModel({ client, name: env.PLANNER_MODEL, prices }),
    executor: createChatModel({ client, name: env.EXECUTOR_MODEL, prices }),
  };
}

function readLimits(env: Config['env']): PlanningLimits {
  return {
    turns: env.TURN_LIMIT,
    retries: env.RETRY_LIMIT_PER_STAGE,
    wallSeconds: env.WALL_TIME_SEC,
    softPerTurn: env.SOFT_BUDGET_PER_TURN_USD,
    perSession: env.BUDGET_PER_SESSION_USD,
    perDay: env.BUDGET_PER_DAY_USD,
  };
}

/** Opens everything `options` ask for; what was opened is closed again when a part fails. */
export async function openHouse(options: HouseOptions): Promise<House> {
  const closers = createClosers(options.log);
  try {
    return await furnish(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/** Where several workspaces of Slack are kept; null: there is one, by its token. */
async function openInstallations(
  { workspaces }: SlackAccess,
  parts: { db: Database; enqueueAll: EnqueueAll<Transaction>; warn(message: string): void },
): Promise<SlackInstallations | null> {
  if (workspaces.kind === 'one') return null;
  const { encryptionKey, installAt } = workspaces;
  const seal = createSeal(encryptionKey);
  const installations = createSlackInstallations({
    ...parts,
    seal,
    clock: systemClock,
    installAt,
  });
  await warnOfForeignKeys(installations, { ...parts, installAt });
  return installations;
}

/** Platforms on which several organisations share the house: people of one are shown no plans of another. */
function platformsApart({ slack, teams }: Config): Platform[] {
  return [
    ...(slack?.workspaces.kind === 'many' ? ['slack' as const] : []),
    ...(teams?.kind === 'MultiTenant' ? ['teams' as const] : []),
  ];
}

/** Slack's own libraries are loaded only where Slack is set up. */
async function loadSlack(
  { slack: access, timezone }: Config,
  parts: Pick<
    Parameters<typeof openSlack>[0],
    'service' | 'readWithin' | 'openConversation' | 'openHome' | 'warn'
  > &
    Parameters<typeof openInstallations>[1],
): Promise<SlackAdapter | null> {
  if (access === null) return null;
  const installations = await openInstallations(access, parts);
  const { openSlack } = await import('#adapters/slack/open-slack.ts');
  return openSlack({ ...parts, access, installations, clock: systemClock, timezone });
}

/** Microsoft's libraries are loaded only where Teams is set up. */
async function loadTeams(
  { teams: access, timezone }: Config,
  parts: Pick<
    Parameters<typeof openTeams>[0],
    'cloud' | 'service' | 'readWithin' | 'conversations' | 'openConversation' | 'warn'
  >,
): Promise<TeamsAdapter | null> {
  if (access === null) return null;
  const { openTeams } = await import('#adapters/teams/open-teams.ts');
  return openTeams({ ...parts, access, clock: systemClock, timezone });
}

async function furnish(options: HouseOptions, closers: Closers): Promise<House> {
  const { config, log, work, linkTo } = options;
  const warn = (message: string, err?: unknown) =>
    log.warn(err === undefined ? {} : { err }, message);
  const place = await openMigrated(config, log);
  closers.add('the database server', place.close);
  const db = openDatabase(place.url, {
    max: poolSize,
    applicationName: 'countersign',
    onError: (error) => warn('A database connection was lost.', error),
  });
  closers.add('the database pool', db.close);
  // Of its own, so that what is stored waits for nothing that is done; unused until something comes.
  const receiving = openDatabase(place.url, {
    max: 2,
    applicationName: 'countersign inbox',
    session: receivingLimits,
    onError: (error) => warn('A connection for what comes in was lost.', error),
  });
  closers.add('the connections for what comes in', receiving.close);
  const boss = await openBoss(place.url, {
    work,
    onError: (error) => warn('pg-boss reported an error.', error),
  });
  closers.add('pg-boss', () => boss.stop({ graceful: true, timeout: 30_000 }));
  await createQueues(boss, queues);
  await storePools(db.query, config.settings.resourcePools);
  const enqueue = createEnqueue(boss);
  const listener = await openListener(place.url, (error) =>
    warn('The listening connection was lost.', error),
  );
  closers.add('the listener', listener.close);
  const models = openModels(config);
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
  const catalogue = createCatalogue(registry, createManifestReader(db.query));
  const { env, settings } = config;
  const limits = readLimits(env);
  const apart = platformsApart(config);
  const planner =
    options.planner ??
    createPlanner({
      tools: openPlannerTools({
        registry,
        catalogue,
        db: db.query,
        allowed: settings.plannerTools,
        guarded: settings.guardedTools,
        timezone: config.timezone,
        plansOf: (runId) => findPlansOfRun(db.query, readWithin, apart, runId),
      }),
      model: models?.planner ?? null,
      limits,
      thresholds: settings.confidence,
      flags: {
        allowNewSubtypes: env.ALLOW_NEW_SUBTYPE_PROPOSALS,
        requireRfcForNewSubtype: env.REQUIRE_RFC_FOR_NEW_SUBTYPE,
      },
      profile: settings.schedule,
      guarded: settings.guardedTools,
      store: {
        db,
        budget: createBudget({
          db,
          clock: systemClock,
          caps: { turnSoft: limits.softPerTurn, session: limits.perSession, day: limits.perDay },
          prices: settings.prices,
          warn,
        }),
        otherPlans: createPortfolioReader(db.query, undefined, apart),
        warn,
      },
      clock: systemClock,
    });
  const conversation: ConversationContext = {
    db,
    enqueue,
    catalogue,
    guardedTools: config.settings.guardedTools,
    approvers: config.settings.approvers,
    guardedApprovers: config.settings.guardedApprovers,
    resourcePools: config.settings.resourcePools,
    clock: systemClock,
    random: systemRandom,
    planner,
    executorModel: models === null ? null : env.EXECUTOR_MODEL,
    modes: {
      plan_reasoning_mode: env.PLAN_REASONING_MODE_DEFAULT,
      planning_mode: env.PLANNING_MODE_DEFAULT,
      reasoning_level: env.REASONING_LEVEL_DEFAULT,
    },
    planningSeconds: env.WALL_TIME_SEC,
    timezone: config.timezone,
    listener,
    linkTo,
    warn,
  };
  const service = createService(conversation);
  const inChat = { ...conversation, linkTo: options.chatLinkTo ?? (() => null) };
  const chatService = createService(inChat);
  const readWithin = createReadWithin(inChat, chatService);
  const enqueueAll = createEnqueueAll(boss);
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
    openConversation: openPlace,
    warn,
  });
  const inbox: InboxContext = {
    db,
    enqueue,
    enqueueAll,
    handlers: {
      ...(slack === null ? {} : { slack: slack.handle }),
      ...(teams === null ? {} : { teams: teams.handle }),
      ...options.inboxHandlers,
    },
    random: systemRandom,
    rule: { ...inboxRule, ...options.inboxRule },
    warn,
  };
  const shared = { user: '', timezone: config.timezone };
  const delivery: DeliveryContext = {
    db,
    enqueue,
    ports: {
      ...(slack === null ? {} : { slack: slack.port }),
      ...(teams === null ? {} : { teams: teams.port }),
      ...options.chatPorts,
    },
    draw: drawForChat,
    // A shared card speaks to nobody in particular: it says who is waited for by name. Times are those of the house, in which
    // its plans are agreed. In a direct message one person reads, and it is they who asked for what is planned there.
    readFacts: async (planId, timezone) => {
      if (timezone === null) return readCardFacts(inChat, planId, shared);
      const { requester: user } = await readPlan(db.query, planId);
      return readCardFacts(inChat, planId, { user, timezone });
    },
    readSession: async (said, timezone) => {
      if (timezone === null) return readTurnCard(inChat, said, shared);
      const { user } = await readRun(db.query, said.run_id);
      return readTurnCard(inChat, said, { user, timezone });
    },
    random: systemRandom,
    rule: { ...deliveryRule, ...options.deliveryRule },
    warn,
  };
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
    service,
    receive: createReceiver({
      ...inbox,
      storeAtOnce: createStoreAtOnce(receiving.query, (platform) =>
        readSendingText(boss, `inbox-${platform}`),
      ),
    }),
    wait: createWaiter({ db }),
    slack,
    teams,
    openConversation: (tx, place, timezone) => openConversation(delivery, tx, place, timezone),
    registry,
    catalogue,
    planner,
    db,
    listener,
    database: place.words,
    close: closers.closeAll,
  };
}
