// Wires up one process, and closes it in order.
import { dirname } from 'node:path';
import { openHome } from '#chat/homes.ts';
import { createReceiver, createWaker } from '#chat/inbox/receive.ts';
import { createWaiter } from '#chat/inbox/wait-until-handled.ts';
import { openConversation } from '#chat/outbox/deliver-jobs.ts';
import type { CardDrawing } from '#chat/outbox/draw-message.ts';
import { createSealedFiles } from '#chat/sealed-files.ts';
import { createUserGroups } from '#chat/user-groups.ts';
import { createDraftPort } from '#conversation/draft-port.ts';
import { findPlansOfRun } from '#conversation/plans-within.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import { createService } from '#conversation/service.ts';
import { createToolPorts } from '#conversation/tool-ports.ts';
import { findElsewhere } from '#db/backends.ts';
import { readEveryName } from '#db/people/identities.ts';
import { createSignInStore } from '#db/people/mcp-sign-ins.ts';
import { followTenancy } from '#db/people/tenancy.ts';
import { createRateLimits } from '#db/rate-limits.ts';
import type { PlaceFinders } from '#domain/chat/find-place.ts';
import type { FileFetchers } from '#domain/chat/thread.ts';
import { systemClock, systemRandom } from '#domain/clock.ts';
import type { UserGroups } from '#domain/people/user-groups.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { ServeWithin } from '#domain/service.ts';
import type { Catalogues } from '#domain/tool.ts';
import type { SignInStore, SignIns } from '#domain/tool-sign-in.ts';
import { answerCallback } from '#executor/callbacks.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readModelAccess } from '#models/access.ts';
import { type DecideRequest, decideArguments } from '#models/decide-arguments.ts';
import { createTextModel } from '#models/text-model.ts';
import { createIdentity } from '#people/identity.ts';
import { findNames } from '#people/people-named.ts';
import { createBudget } from '#planner/budget/budget.ts';
import { createPartPlanners } from '#planner/parts/part-planners.ts';
import { createDataRequests } from '#planner/reads/data-requests.ts';
import { createPostTargets } from '#plans/content/post-targets.ts';
import { replanForPerson } from '#plans/replan/start-replanning.ts';
import { createAttachedFiles } from '#runs/attached-files.ts';
import { createPlansAtHand } from '#runs/plans-at-hand.ts';
import { createCatalogue } from '#tools/catalogue.ts';
import { openDocuments } from '#tools/documents/read-document.ts';
import { createAddressRules } from '#tools/http/addresses.ts';
import { createRegistry } from '#tools/registry.ts';
import { readWorkspaceId } from '#tools/workspace/workspace-id.ts';
import { type Closers, createClosers } from './closers.ts';
import type { Config } from './config.ts';
import { otherWorkspace } from './doctor/check-workspaces.ts';
import { followRules, groupingOf } from './follow-rules.ts';
import { openSecretSeal } from './secret-seal.ts';
import { findUnreached } from './unreached-settings.ts';
import type { Instance, InstanceOptions } from './wire/instance.ts';
import { makeDelivery, makeInbox, partsOf } from './wire/make-chat-work.ts';
import { type OpenChats, openChats } from './wire/open-chats.ts';
import { type Connections, openConnections } from './wire/open-connections.ts';
import { openModelAccess } from './wire/open-model-access.ts';
import {
  openAskPlanner,
  openModels,
  openPlanner,
  openReadBusy,
  readCaps,
  readModelBudget,
} from './wire/open-planner.ts';
import { startWorking, workWhenAlone } from './work.ts';

/** On failure, closes what was opened. */
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
  const { config: given, log, work, linkTo } = options;
  const warn = (message: string, err?: unknown) => {
    options.onWarning?.(message);
    log.warn(err === undefined ? {} : { err }, message);
  };
  for (const warning of given.settingsFile.warnings)
    log.warn(`${given.settingsFile.path}: ${warning}`);
  const unfollow = followRules(given, { info: (message) => log.info(message), warn });
  closers.add('the rules of the settings file', async () => unfollow());
  const connections = await openConnections(
    given,
    { log, work: work !== false, reopened: options.reopened === true, warn },
    closers,
  );
  const { db, boss, enqueue, enqueueAll, listener } = connections;
  const {
    model,
    config,
    close: unfollowModel,
  } = await openModelAccess(given, { db, listener }, warn);
  options.scrub?.add(config.secrets);
  closers.add('the access to the model', async () => unfollowModel());
  const models = await openModels(config, warn);
  const budget = createBudget({ db, clock: systemClock, caps: readCaps(config) });
  const readTenancy = await followTenancy(db, listener, servesOrganisations(config), warn);
  for (const unreached of findUnreached(config.settings, readTenancy())) warn(unreached);
  // Only workers touch the plans' files.
  const folder = work === true ? await readWorkspaceId(config.workspace) : null;
  const elsewhere = folder === null ? null : await findElsewhere(db.query, folder);
  if (elsewhere !== null) warn(otherWorkspace(config.workspace, elsewhere));
  const readSeal = () => openSecretSeal(config);
  const store = hasHosted(config) ? createSignInStore(db, listener, readSeal()) : null;
  const registry = await createRegistry({
    mcpServers: config.settings.mcpServers,
    toolFiles: { files: config.settings.tools, from: dirname(config.settingsFile.path) },
    disabledTools: [
      ...config.settings.disabledTools,
      ...(elsewhere === null ? [] : ['workspace', 'calendar']),
    ],
    tenancy: readTenancy,
    secrets: config.secrets,
    ...(store === null ? {} : { signIns: store }),
    workspaceDir: config.workspace,
    http: config.settings.http,
    calendars: config.settings.calendars,
    clock: systemClock,
    warn,
    ...createToolPorts(db, enqueue, () => ({
      ...conversation,
      registry,
      guardMode: config.settings.guardMode,
      askPlanner,
    })),
    drafts: createDraftPort(db),
    extraOperations: options.extraOperations,
    ...(models === null ? {} : { textModel: createTextModel(models.executors) }),
  });
  closers.add('the tools', () => registry.close());
  const catalogue = createCatalogue(registry, readTenancy, models?.findProblem);
  const documents = openDocuments();
  closers.add('the readers of documents', documents.close);
  let chats: OpenChats = {};
  const placesOf = () => partsOf(chats, ({ findPlace }) => findPlace);
  const planner =
    options.planner ??
    openPlanner(config, {
      registry,
      catalogue,
      readTenancy,
      db,
      model: models?.planner ?? null,
      budget,
      plansOf: (runId) => findPlansOfRun(db.query, serveChats, readTenancy().apart, runId),
      atHand: createPlansAtHand(
        () => conversation,
        () => readTenancy().apart,
      ),
      files: createAttachedFiles(() => conversation, documents.read),
      posts: createPostTargets(db.query, placesOf),
      requests: createDataRequests({ db, enqueue, listener, random: systemRandom }),
      parts: createPartPlanners({ db, enqueueAll, listener }),
      warn,
    });
  const hasModel = models !== null;
  const askPlanner = hasModel
    ? openAskPlanner(
        config,
        { registry, catalogue, readTenancy, db, model: models.planner },
        () => conversation,
      )
    : null;
  const userGroups = createUserGroups({
    db,
    readerOf: () => Object.values(partsOf(chats, ({ userGroups: groups }) => groups))[0] ?? null,
    warn,
  });
  const conversation = makeConversation(config, {
    connections,
    userGroups,
    catalogue,
    planner,
    readBusy: openReadBusy(config, { registry, readTenancy }),
    hasModel,
    places: placesOf,
    openSeal: readSeal,
    files: () => partsOf(chats, ({ fetchFile }) => fetchFile),
    threads: () => partsOf(chats, ({ readThread }) => readThread),
    linkTo,
    warn,
  });
  const inChat = { ...conversation, linkTo: options.chatLinkTo ?? (() => null) };
  const chatService = createService(inChat);
  const serveChats: ServeWithin = (scope) => serveWithin(chatService, scope);
  chats = await openChats(config, {
    store: { db, enqueue, enqueueAll },
    service: chatService,
    serveWithin: serveChats,
    openConversation: (at, timezone) =>
      db.transaction((tx) => openConversation({ enqueue }, tx, at, timezone)),
    openHome: (home) => openHome({ db, enqueue }, home),
    renewGroups: userGroups.renew,
    everyNameOf: (name) => readEveryName(db.query, name),
    namesOf: (names) => findNames(inChat, names),
    clock: systemClock,
    limits: createRateLimits(db.query),
    sealedFiles: createSealedFiles(db, readSeal, config.settings.http.allowPrivate),
    hasModel,
    timezone: config.timezone,
    warn,
  });
  const { inboxHandlers, inboxRule, chatPorts, deliveryRule } = options;
  const inbox = makeInbox(connections, chats, { handlers: inboxHandlers, rule: inboxRule, warn });
  const waker = createWaker(inbox);
  closers.add('wakeups under way', waker.close);
  const delivery = makeDelivery(inChat, chats, {
    drawingOf: (name) => drawingOf(config, name),
    ports: chatPorts,
    rule: deliveryRule,
  });
  const parts = {
    config,
    log,
    boss,
    registry,
    conversation,
    inbox,
    delivery,
    homes: { db, enqueue, homes: partsOf(chats, ({ homes }) => homes), warn },
    decide:
      models === null
        ? null
        : (name: string | null, request: DecideRequest) =>
            decideArguments(models.executors(name), request),
    budget,
    recoverEveryMs: options.recoverEveryMs,
    closers,
  };
  const working =
    work === false
      ? { vitals: () => null, drain: async () => {} }
      : await (work === 'when_alone' ? workWhenAlone(parts) : startWorking(parts));
  return {
    model,
    signIns: store === null ? null : await openSignIns(config, store),
    service: createService(conversation),
    answerCallback: (token, result) =>
      answerCallback({ ...conversation, settings: config.settings.executor }, token, result),
    receive: createReceiver(inbox, waker.wake),
    wait: createWaiter({ db }),
    chats,
    openConversation: (tx, place, timezone) => openConversation(delivery, tx, place, timezone),
    identity: createIdentity({
      db,
      clock: systemClock,
      random: systemRandom,
      identity: config.settings.identity,
      grouping: groupingOf(config),
      apart: config.apart,
      publicUrl: config.env.COUNTERSIGN_PUBLIC_URL ?? null,
      warn,
    }),
    registry,
    catalogue,
    planner,
    db,
    listener,
    database: connections.words,
    ...working,
    linkTo,
    close: closers.closeAll,
  };
}

function drawingOf({ chats }: Config, name: string): CardDrawing {
  const found = chats.find(({ platform }) => platform.name === name);
  if (found === undefined) throw new Error(`There is no chat platform ${name}.`);
  return found.platform.drawing;
}

/** Null if it serves no organisations. */
function servesOrganisations({ apart, chats, settings }: Config): boolean | null {
  const serves =
    chats.some(({ setup }) => setup !== null) ||
    Object.keys(settings.identity.providers).length > 0;
  return serves ? apart : null;
}

function hasHosted({ settings }: Config): boolean {
  return Object.values(settings.mcpServers).some(
    ({ url, disabled }) => url !== undefined && !disabled,
  );
}

/** Loads the library only for a hosted server. */
async function openSignIns({ settings }: Config, store: SignInStore): Promise<SignIns> {
  const { createSignIns } = await import('#tools/mcp/sign-in.ts');
  const rules = createAddressRules(settings.http.allowPrivate);
  return createSignIns(settings.mcpServers, store, systemClock, rules);
}

function makeConversation(
  config: Config,
  parts: {
    connections: Connections;
    catalogue: Catalogues;
    planner: Planner;
    readBusy: ConversationContext['readBusy'];
    userGroups: UserGroups;
    hasModel: boolean;
    threads: ConversationContext['threads'];
    openSeal: ConversationContext['openSeal'];
    places: () => PlaceFinders;
    files: () => FileFetchers;
    linkTo: (planId: string) => string | null;
    warn(message: string, err?: unknown): void;
  },
): ConversationContext {
  const { env, settings, timezone } = config;
  const {
    connections,
    catalogue,
    planner,
    readBusy,
    userGroups,
    hasModel,
    threads,
    openSeal,
    places,
    files,
    linkTo,
    warn,
  } = parts;
  const { db, enqueue, listener } = connections;
  const conversation: ConversationContext = {
    db,
    enqueue,
    catalogue,
    guardedTools: settings.guardedTools,
    approvers: settings.approvers,
    guardedApprovers: settings.guardedApprovers,
    delegates: settings.delegates,
    grouping: groupingOf(config),
    identity: settings.identity,
    userGroups,
    resourcePools: settings.resourcePools,
    onFailure: settings.executor.on_failure,
    personLimits: settings.limits.person,
    ...(hasModel ? { modelBudget: readModelBudget(config) } : {}),
    replan: settings.executor.replan,
    clock: systemClock,
    random: systemRandom,
    planner,
    readBusy,
    executorModel: hasModel ? env.EXECUTOR_MODEL : null,
    modelHost: hasModel ? (readModelAccess(env)?.host ?? null) : null,
    modes: {
      plan_reasoning_mode: env.PLAN_REASONING_MODE_DEFAULT,
      planning_mode: env.PLANNING_MODE_DEFAULT,
      reasoning_level: env.REASONING_LEVEL_DEFAULT,
    },
    planningSeconds: env.WALL_TIME_SEC,
    timezone,
    profile: settings.schedule,
    listener,
    threads,
    openSeal,
    places,
    files,
    linkTo,
    warn,
    onReplan: (tx, row, finding, actor) => replanForPerson(conversation, tx, row, finding, actor),
  };
  return conversation;
}
