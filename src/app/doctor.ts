// doctor: checks each part and suggests fixes.
import { access, constants, mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { readBackends, readShared } from '#db/backends.ts';
import { countJobs } from '#db/gauges.ts';
import { migrationState, readNewestMigration, readSchemaAge } from '#db/migrate.ts';
import { readIdentity, readServerFacts } from '#db/server-facts.ts';
import { causeOf } from '#db/transient.ts';
import { commandName } from '#domain/command-name.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { modelApis } from '#domain/model-apis.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { showWhole } from '#domain/shown-text.ts';
import { countOffered } from '#domain/tool.ts';
import { countOf, listOf } from '#domain/words.ts';
import { findDifferences } from '#executor/shared-settings.ts';
import { type ModelAccess, readModelAccess } from '#models/access.ts';
import type { Config } from './config.ts';
import { checkCalendars } from './doctor/check-calendars.ts';
import { checkChat, checkInstalled } from './doctor/check-chats.ts';
import { checkPeople } from './doctor/check-people.ts';
import {
  judgePending,
  judgePooler,
  judgeQueue,
  judgeSchema,
  judgeServer,
  judgeVersions,
} from './doctor/check-server.ts';
import {
  checkAudit,
  checkDelivery,
  checkInbox,
  checkRetention,
  checkWebhooks,
  listPools,
} from './doctor/check-stored.ts';
import {
  checkDisk,
  checkKey,
  checkPort,
  checkPublicUrl,
  checkSignIns,
  checkTraces,
  judgeZones,
} from './doctor/check-surroundings.ts';
import { judgeWorkspaces } from './doctor/check-workspaces.ts';
import { brokenCheck, offCheck, okCheck } from './doctor/results.ts';
import { openPlace } from './open-database.ts';
import { version } from './version.ts';
import type { Instance } from './wire/instance.ts';
import { findSmallCaps } from './wire/open-planner.ts';
import { openInstance } from './wire.ts';

async function checkWorkspace({ workspace }: Config): Promise<CheckResult> {
  try {
    await mkdir(workspace, { recursive: true });
    await access(workspace, constants.R_OK | constants.W_OK);
    return okCheck('Workspace', workspace);
  } catch (error) {
    return brokenCheck(
      'Workspace',
      `${workspace} cannot be used: ${errorMessage(error)}`,
      'Make it writable or set COUNTERSIGN_WORKSPACE to another folder.',
    );
  }
}

/** A console entry is known only once the database is open. */
type Reached = { reach: ModelAccess | null };

async function checkModel(config: Config, { reach }: Reached): Promise<CheckResult> {
  const { env, settings } = config;
  if (reach === null) {
    return offCheck(
      'Model',
      'No model is configured. Plans are drafted from commands (docs/commands.md).',
      'Enter a key in the console, under Settings, Models, or set OPENAI_API_KEY or ANTHROPIC_API_KEY (OPENAI_BASE_URL for a local server).',
    );
  }
  const { checkModels } = await import('#models/check-models.ts');
  const roles = [
    {
      variable: 'PLANNER_MODEL',
      model: env.PLANNER_MODEL,
      effort: env.PLANNER_REASONING_EFFORT,
    },
    { variable: 'EXECUTOR_MODEL', model: env.EXECUTOR_MODEL },
  ];
  const checks = await checkModels(reach, roles, settings.prices);
  const small = findSmallCaps(config);
  const advice = [...checks.flatMap((check) => check.advice), ...small].join(' ');
  return {
    part: 'Model',
    state: checks.every(({ ok }) => ok) && small.length === 0 ? 'ok' : 'broken',
    // Two models on one server fail alike.
    text: [
      ...new Set(checks.map(({ text }) => text)),
      `The server is ${reach.host}, by the API ${modelApis[reach.api]}.`,
    ].join(' '),
    ...(advice === '' ? {} : { advice }),
  };
}

/** `no plans`, `1 plan`, `1,000 plans or more` */
async function countWaiting({ service }: Instance): Promise<string> {
  const { plans, next_cursor } = await service.listPlans({
    status: ['proposed', 'needs_review'],
    limit: 1000,
  });
  if (plans.length === 0) return 'no plans';
  return `${countOf(plans.length, 'plan')}${next_cursor === null ? '' : ' or more'}`;
}

async function checkServer(config: Config, { db }: Instance): Promise<CheckResult[]> {
  const { DATABASE_POOL_SIZE, DATABASE_URL, DATABASE_DIRECT_URL } = config.env;
  const facts = await readServerFacts(db.query);
  const embedded = DATABASE_URL === undefined;
  const direct =
    DATABASE_DIRECT_URL === undefined
      ? null
      : await readIdentity(DATABASE_DIRECT_URL).then(
          (identity) => ({ identity }),
          (error: unknown) => ({ problem: causeOf(error) }),
        );
  return [
    // One more listens.
    ...judgeServer(facts, { needs: DATABASE_POOL_SIZE + 1, embedded }),
    ...(embedded ? [] : [judgePooler(facts, direct)]),
    judgeSchema(await readSchemaAge(db.query), await readNewestMigration()),
    judgeQueue(await countJobs(db.query)),
  ];
}

async function listBackends(
  { settings }: Config,
  { db, registry }: Instance,
): Promise<CheckResult[]> {
  const found = await readBackends(db.query);
  if (found.length === 0) {
    return [
      offCheck(
        'Back ends',
        'No worker is running, so approved plans wait.',
        `Start one: ${commandName} start, or ${commandName} worker.`,
      ),
    ];
  }
  const backends = found.map((one) => {
    const { id, name, capabilities, concurrency } = one;
    const able = capabilities.length === 0 ? 'no capabilities' : listOf(capabilities);
    const text = `${countOf(countOffered(one, registry.list()), 'operation')}, ${able}, ${concurrency} at once (${id}), last seen ${one.seen_at.toISOString().slice(0, 19)}Z`;
    return okCheck(`Back end ${name}`, text);
  });
  const differences = findDifferences(settings, await readShared(db.query)).map((text) =>
    brokenCheck(
      'Settings of workers',
      `${text} Until then, those of the worker that started last hold.`,
    ),
  );
  return [...backends, ...judgeWorkspaces(found), ...differences, ...judgeVersions(found, version)];
}

async function lookInside(config: Config, log: Logger, reached: Reached): Promise<CheckResult[]> {
  const warnings = new Set<string>();
  const instance = await openInstance({
    config,
    log,
    work: false,
    linkTo: () => null,
    onWarning: (message) => void warnings.add(message),
  });
  reached.reach = instance.model.access;
  try {
    const tools = instance.registry.status().map(
      ({ tool, ok, operations, reason, file }): CheckResult => ({
        part: `Tool ${tool}`,
        state: ok ? 'ok' : 'broken',
        text: ok
          ? `${countOf(operations, 'operation')}${file === undefined ? '' : ` of ${file}`}`
          : (reason ?? 'It does not answer.'),
        ...(ok ? {} : { advice: `Check mcpServers.${tool} in ${config.settingsFile.path}.` }),
      }),
    );
    const text = `${instance.database}; ${await countWaiting(instance)} waiting for a decision.`;
    const shown = new Set(tools.map((tool) => tool.text));
    const messages = [...warnings]
      .filter((text) => !shown.has(text))
      .map((text) =>
        offCheck(
          'Warning',
          text,
          `Correct it in ${config.settingsFile.path} or in the environment, or leave it.`,
        ),
      );
    const { settings, timezone } = config;
    const calendars = await checkCalendars(instance.registry, settings, timezone);
    const server = await checkServer(config, instance);
    const workers = [
      ...(await listBackends(config, instance)),
      ...(await listPools(instance)),
      ...(await checkInbox(instance)),
      ...(await checkDelivery(instance)),
      ...(await checkAudit(config, instance)),
      ...(await checkRetention(instance)),
      ...(await checkWebhooks(instance)),
      ...(await checkPeople(config, instance.db.query)),
      ...(
        await Promise.all(
          config.chats.map(({ platform }) => checkInstalled(instance.chats, platform.name)),
        )
      ).flat(),
    ];
    return [okCheck('Database', text), ...server, ...tools, ...calendars, ...messages, ...workers];
  } finally {
    await instance.close();
  }
}

/** Never migrates: a check changes nothing. */
async function checkInstance(
  config: Config,
  log: Logger,
  reached: Reached,
): Promise<CheckResult[]> {
  try {
    const place = await openPlace(config, log);
    try {
      const pending = judgePending(await migrationState(place.directUrl));
      if (pending !== null) return [okCheck('Database', place.words), pending];
      return await lookInside(config, log, reached);
    } finally {
      await place.close();
    }
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'invalid_configuration') {
      const advice = `Correct it in ${config.settingsFile.path}, or in the file it names.`;
      return [brokenCheck('Configuration', error.message, advice)];
    }
    const text = errorMessage(error);
    // The sentence has advice already.
    if (error instanceof CountersignError) return [brokenCheck('Database', text)];
    const advice =
      config.env.DATABASE_URL === undefined
        ? `Look at ${config.home}/postgres, or set DATABASE_URL.`
        : 'Check DATABASE_URL.';
    return [brokenCheck('Database', text, advice)];
  }
}

export async function examine(config: Config, log: Logger): Promise<CheckResult[]> {
  const { settingsFile } = config;
  const reached: Reached = { reach: readModelAccess(config.env) };
  return [
    okCheck('Node', process.version),
    settingsFile.found
      ? okCheck('Settings', settingsFile.path)
      : offCheck(
          'Settings',
          `No ${settingsFile.path}.`,
          'Copy countersign.example.json to add MCP servers, approvers or calendars.',
        ),
    ...settingsFile.warnings.map((text) => offCheck('Settings', text)),
    ...(await checkInstance(config, log, reached)),
    await checkPort(config),
    await checkWorkspace(config),
    await checkDisk(config),
    checkKey(config),
    judgeZones(config.timezone, process.versions.tz, new Date()),
    await checkPublicUrl(config),
    await checkTraces(config),
    await checkModel(config, reached),
    ...(await Promise.all(config.chats.map((chat) => checkChat(chat, log)))),
    ...(await checkSignIns(config)),
  ];
}

const marks = { ok: '✓', off: '–', broken: '✗' } as const;

export function describeFindings(findings: CheckResult[]): string {
  const width = Math.max(...findings.map(({ part }) => part.length));
  return findings
    .map(({ part, state, text, advice }) => {
      const line = `  ${marks[state]} ${part.padEnd(width)}  ${showWhole(text)}`;
      return advice === undefined
        ? line
        : `${line}\n    ${' '.repeat(width)}  ${showWhole(advice)}`;
    })
    .join('\n');
}
