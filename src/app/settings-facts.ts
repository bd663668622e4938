// Facts for the console's settings, listed one by one against leaks.
import { lookup } from 'node:dns/promises';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { readBackends } from '#db/backends.ts';
import { readSpentSince } from '#db/planning/spending.ts';
import { readPools } from '#db/sql/resources.ts';
import { readEndpoints } from '#db/webhooks.ts';
import { startOfUtcDay, systemClock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { isLoopbackHost } from '#domain/public-url.ts';
import { createRedactor } from '#domain/secrets.ts';
import type { McpServer, Retention } from '#domain/settings.ts';
import {
  type CheckedPart,
  type CheckResult,
  type ModelEntry,
  type ModelFacts,
  type OperationFacts,
  SettingsView,
  type ToolFacts,
} from '#domain/settings-view.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOffered, isOffered, type ToolStatus } from '#domain/tool.ts';
import { readModelAccess, toVariables } from '#models/access.ts';
import { findPrice } from '#models/catalogue.ts';
import { archiveFolder } from '#retention/run-retention.ts';
import { describeCall } from '#tools/describe-call.ts';
import { plannerOperations } from '#tools/guard.ts';
import { isLinkLocal } from '#tools/http/addresses.ts';
import type { Config } from './config.ts';
import { readCalendarStates } from './doctor/check-calendars.ts';
import { checkChat, checkInstalled } from './doctor/check-chats.ts';
import { brokenCheck, okCheck } from './doctor/results.ts';
import { listSettings } from './settings-lines.ts';
import { readTraceTarget } from './telemetry/target.ts';
import { version } from './version.ts';
import type { Instance } from './wire/instance.ts';

/** Characters. */
const maxDescribed = 600;

export type SettingsFacts = {
  read(): Promise<SettingsView>;
  /** Tests it, and keeps it if every model answers. */
  connectModel(access: ModelEntry, actor: Actor): Promise<CheckResult[]>;
  disconnectModel(actor: Actor): Promise<boolean>;
  check(part: CheckedPart): Promise<CheckResult[]>;
};

export function createSettingsFacts(
  config: Config,
  instance: Instance,
  log: Logger,
): SettingsFacts {
  const startedAt = new Date(performance.timeOrigin).toISOString();
  const hide = createRedactor(config.secrets);
  const withoutSecrets = (view: SettingsView): SettingsView =>
    config.secrets.length === 0 ? view : SettingsView.parse(JSON.parse(hide(JSON.stringify(view))));
  return {
    async read() {
      const { env, settings, settingsFile, home, workspace } = config;
      const [models, running] = await Promise.all([
        readModels(config, instance),
        readRunning(config, instance),
      ]);
      return withoutSecrets({
        version,
        started_at: startedAt,
        file: settingsFile,
        tools: readTools(config, instance),
        approvals: readApprovals(config, instance),
        models,
        planning: readPlanning(config),
        running,
        chats: readChats(config),
        webhooks: await readWebhooks(instance),
        access: {
          token: env.COUNTERSIGN_API_TOKEN !== undefined,
          host: env.HOST,
          loopback_only: isLoopbackHost(env.HOST),
          public_url: env.COUNTERSIGN_PUBLIC_URL ?? null,
          requests_per_minute: env.API_REQUESTS_PER_MINUTE,
          home,
          workspace,
          database: env.DATABASE_URL === undefined ? 'embedded' : 'external',
          private_addresses: settings.http.allowPrivate,
          kept_days: keptDays(settings.retention),
          archive: archiveFolder(settings.retention, home),
          traces: describeTraces(config),
        },
        settings: listSettings(settings),
      });
    },
    check: (part) => check(part, config, instance, log),
    connectModel: (entry, actor) => connectModel(entry, actor, config, instance),
    disconnectModel: (actor) => instance.model.remove(actor),
  };
}

function describeTraces({ env }: Config): string | null {
  const words = readTraceTarget(env)?.words;
  return words?.replace(/\/\/[^/\s]*@/, '//').replace(/\?\S*/, '') ?? null;
}

function keptDays({ archive: _, ...days }: Retention): Record<string, number | null> {
  return days;
}

async function check(
  part: CheckedPart,
  config: Config,
  instance: Instance,
  log: Logger,
): Promise<CheckResult[]> {
  if ('tool' in part) {
    const found = await instance.registry.check(part.tool);
    const name = `Tool ${part.tool}`;
    return [found.ok ? okCheck(name, 'It answers.') : brokenCheck(name, found.reason)];
  }
  const chat = config.chats.find(({ platform }) => platform.name === part.part);
  if (chat === undefined)
    throw new CountersignError(
      'not_found',
      `There is no chat platform ${quoteWords(part.part, 80)}.`,
    );
  return [await checkChat(chat, log), ...(await checkInstalled(instance.chats, part.part))];
}

/** @throws `address_not_allowed` */
async function refuseLinkLocal(baseUrl: string): Promise<void> {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  // The model's test reports unknown names.
  const found = await lookup(host, { all: true }).catch(() => []);
  if (found.some(({ address }) => isLinkLocal(address)))
    throw new CountersignError(
      'address_not_allowed',
      `${host} is a link-local address, which can't be a model server.`,
    );
}

/** @throws `invalid_request` if set by the environment, empty or unstorable */
async function connectModel(
  entry: ModelEntry,
  actor: Actor,
  { env, settings }: Config,
  { model }: Instance,
): Promise<CheckResult[]> {
  if (readModelAccess(env) !== null)
    throw new CountersignError(
      'invalid_request',
      'The key or address of a model server is set in the environment, which takes precedence. Remove it there first.',
    );
  const access = readModelAccess({
    ...toVariables(entry.api_key, entry.base_url),
    OPENAI_API: env.OPENAI_API,
  });
  if (access === null)
    throw new CountersignError(
      'invalid_request',
      'Enter a key, or the address of a server that needs none.',
    );
  model.requireSeal();
  if (entry.base_url !== undefined) await refuseLinkLocal(entry.base_url);
  const { checkModels } = await import('#models/check-models.ts');
  const roles = [
    { variable: 'PLANNER_MODEL', model: env.PLANNER_MODEL, effort: env.PLANNER_REASONING_EFFORT },
    { variable: 'EXECUTOR_MODEL', model: env.EXECUTOR_MODEL },
  ];
  const checks = await checkModels(access, roles, settings.prices);
  if (checks.every(({ ok }) => ok)) await model.store(entry, actor);
  return checks.map(({ model: part, ok, text, advice }) => ({
    part,
    state: ok ? 'ok' : 'broken',
    text,
    ...(advice.length === 0 ? {} : { advice: advice.join(' ') }),
  }));
}

async function readWebhooks({ db }: Instance): Promise<SettingsView['webhooks']> {
  return (await readEndpoints(db.query)).map(
    ({ id, url, events, open, failed, failures, last_error }) => ({
      id,
      host: new URL(url).host,
      events,
      waiting: open,
      given_up: failed,
      problem: failures > 0 ? last_error : null,
    }),
  );
}

/** Program or host only: the rest may hold a secret. */
function placeOf({ command, url }: McpServer): string {
  return url === undefined ? basename(command ?? '') : new URL(url).host;
}

function transportOf({ type, url }: McpServer): 'stdio' | 'http' | 'sse' {
  if (url === undefined) return 'stdio';
  return type === 'sse' ? 'sse' : 'http';
}

function describeServer(server: McpServer, status: ToolStatus | undefined): ToolFacts['server'] {
  const nothing = {
    since: null,
    name: null,
    version: null,
    protocol: null,
    last_problem: null,
    sign_in: null,
  };
  return {
    ...(status?.health ?? nothing),
    transport: transportOf(server),
    at: placeOf(server),
    trusted: server.trusted,
  };
}

function readTools({ settings }: Config, { registry }: Instance): ToolFacts[] {
  const readable = new Set(
    plannerOperations(registry, settings.plannerTools).map(({ name }) => name),
  );
  const offered = registry.list().filter(isOffered);
  const operationsOf = (tool: string): OperationFacts[] =>
    offered
      .filter((spec) => spec.tool === tool)
      .map((spec) => ({
        name: spec.name,
        description: spec.description.slice(0, maxDescribed).toWellFormed(),
        effect: describeCall(spec.name, spec, {}).class,
        destructive: spec.destructive,
        guarded: settings.guardedTools.includes(spec.name),
        planner: readable.has(spec.name),
        person: spec.human === true,
      }));
  const known = registry.status();
  const own = known
    .filter(({ source }) => source !== 'mcp')
    .sort((one, other) => Number(one.source === 'builtin') - Number(other.source === 'builtin'))
    .map(
      ({ tool, source, file, ok, reason }): ToolFacts => ({
        name: tool,
        source,
        ...(file === undefined ? {} : { file }),
        state: ok ? 'ok' : 'down',
        problem: reason ?? null,
        server: null,
        notes: [],
        operations: operationsOf(tool),
      }),
    )
    .filter(({ operations }) => operations.length > 0);
  const servers = Object.entries(settings.mcpServers).map(([name, server]): ToolFacts => {
    const status = known.find(({ tool, source }) => tool === name && source === 'mcp');
    return {
      name,
      source: 'mcp',
      state: status === undefined ? 'off' : status.ok ? 'ok' : 'down',
      problem: status?.reason ?? null,
      server: describeServer(server, status),
      notes: status?.notes ?? [],
      operations: operationsOf(name),
    };
  });
  const off = settings.disabledTools.map(
    (name): ToolFacts => ({
      name,
      source: 'builtin',
      state: 'off',
      problem: null,
      server: null,
      notes: [],
      operations: [],
    }),
  );
  return [...servers, ...own, ...off];
}

function readApprovals({ settings }: Config, { registry }: Instance): SettingsView['approvals'] {
  const { approvers, guardMode, guardedTools, guardedApprovers } = settings;
  const names = new Set([...guardedTools, ...Object.keys(guardedApprovers)]);
  return {
    approvers,
    guard_mode: guardMode,
    guarded: [...names].map((operation) => ({
      operation,
      offered: registry.list().some(({ name }) => name === operation),
      rule: guardedApprovers[operation] ?? null,
    })),
  };
}

async function readModels(
  { env, settings }: Config,
  { db, model: { access, by } }: Instance,
): Promise<SettingsView['models']> {
  const spent = await readSpentSince(db.query, startOfUtcDay(systemClock.now()));
  const describe = (name: string, effort: string | null): ModelFacts => {
    const price = findPrice(name, settings.prices);
    return { name, effort, price: price && { input: price.input, output: price.output } };
  };
  return {
    connected: access && {
      host: access.host,
      api: access.api,
      key: access.apiKey !== undefined,
      planner: describe(env.PLANNER_MODEL, env.PLANNER_REASONING_EFFORT ?? null),
      executor: describe(env.EXECUTOR_MODEL, null),
      entered_by: by,
    },
    spent_today_usd: spent,
  };
}

function readPlanning({ env, settings }: Config): SettingsView['planning'] {
  return {
    planning_mode: env.PLANNING_MODE_DEFAULT,
    plan_reasoning_mode: env.PLAN_REASONING_MODE_DEFAULT,
    reasoning_level: env.REASONING_LEVEL_DEFAULT,
    turn_limit: env.TURN_LIMIT,
    wall_time_seconds: env.WALL_TIME_SEC,
    retry_limit_per_stage: env.RETRY_LIMIT_PER_STAGE,
    soft_budget_per_turn_usd: env.SOFT_BUDGET_PER_TURN_USD,
    budget_per_session_usd: env.BUDGET_PER_SESSION_USD,
    budget_per_day_usd: env.BUDGET_PER_DAY_USD,
    new_subtypes: env.ALLOW_NEW_SUBTYPE_PROPOSALS,
    ask_for_new_subtype: env.REQUIRE_RFC_FOR_NEW_SUBTYPE,
    confidence: settings.confidence,
  };
}

async function readRunning(
  { settings, timezone }: Config,
  { db, registry }: Instance,
): Promise<SettingsView['running']> {
  const { executor } = settings;
  const [backEnds, pools, calendars] = await Promise.all([
    readBackends(db.query),
    readPools(db.query),
    readCalendarStates(registry, settings, timezone),
  ]);
  return {
    back_ends: backEnds.map((one) => ({ ...one, operations: countOffered(one, registry.list()) })),
    pools: pools.map(({ waiting, ...pool }) => ({ ...pool, waiting_plans: waiting.length })),
    concurrency: executor.concurrency,
    step_timeout_seconds: executor.step_timeout_seconds,
    max_attempts: executor.max_attempts,
    stall_minutes: executor.stall_minutes,
    on_failure: executor.on_failure,
    replan: executor.replan,
    rules: Object.entries(settings.operations).map(([operation, rule]) => ({
      operation,
      timeout_seconds: rule.timeout_seconds ?? null,
      max_attempts: rule.max_attempts ?? null,
    })),
    timezone,
    schedule: settings.schedule,
    calendars,
    human_reminder_hours: settings.human_reminder_hours,
    stale_after_days: settings.stale_after_days,
    terminal_stale_after_days: settings.terminal_stale_after_days,
  };
}

const readChats = ({ chats }: Config): SettingsView['chats'] =>
  SettingsView.shape.chats.parse(
    Object.fromEntries(chats.map(({ platform, setup }) => [platform.name, setup?.facts ?? null])),
  );
