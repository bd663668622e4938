// doctor: checks each part and says what to do about what is broken.
import { access, constants, mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { readBackends } from '#db/backends.ts';
import { readDeliveryState } from '#db/chat-places.ts';
import { readInboxState } from '#db/inbox.ts';
import { readPools } from '#db/sql/resources.ts';
import { errorMessage } from '#domain/errors.ts';
import { countOf, listOf } from '#domain/words.ts';
import { readModelAccess } from '#models/access.ts';
import type { Config } from './config.ts';
import { type Instance, openInstance } from './wire.ts';

export type Finding = {
  part: string;
  state: 'ok' | 'off' | 'broken';
  /** What is, in a sentence. */
  text: string;
  /** What to do, when there is something to do. */
  advice?: string;
};

async function checkWorkspace({ workspace }: Config): Promise<Finding> {
  try {
    await mkdir(workspace, { recursive: true });
    await access(workspace, constants.R_OK | constants.W_OK);
    return { part: 'Workspace', state: 'ok', text: workspace };
  } catch (error) {
    return {
      part: 'Workspace',
      state: 'broken',
      text: `${workspace} cannot be used: ${errorMessage(error)}`,
      advice: 'Make it writable or set COUNTERSIGN_WORKSPACE to another folder.',
    };
  }
}

async function checkModel({ env, settings }: Config): Promise<Finding> {
  const reach = readModelAccess(env);
  if (reach === null) {
    return {
      part: 'Model',
      state: 'off',
      text: 'No model is configured. The offline planner drafts plans from plain requests.',
      advice: 'Set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server, to plan with a model.',
    };
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
  const advice = checks.flatMap((check) => check.advice).join(' ');
  return {
    part: 'Model',
    state: checks.every(({ ok }) => ok) ? 'ok' : 'broken',
    text: checks.map(({ text }) => text).join(' '),
    ...(advice === '' ? {} : { advice }),
  };
}

async function checkSlackAccess({ slack }: Config, log: Logger): Promise<Finding> {
  const part = 'Slack';
  if (slack === null)
    return {
      part,
      state: 'off',
      text: 'Not set up.',
      advice: 'docs/slack.md says how.',
    };
  try {
    const { checkSlack } = await import('#adapters/slack/check.ts');
    const { text, missing } = await checkSlack(slack, (message) => log.warn(message));
    if (missing.length === 0) return { part, state: 'ok', text };
    return {
      part,
      state: 'broken',
      text: `${text}, without ${missing.length === 1 ? 'the scope' : 'the scopes'} ${listOf(missing)}`,
      advice: 'Put manifest.json into "App Manifest" of the Slack app and install it again.',
    };
  } catch (error) {
    return { part, state: 'broken', text: errorMessage(error) };
  }
}

async function checkTeamsAccess({ teams }: Config): Promise<Finding> {
  const part = 'Teams';
  if (teams === null)
    return {
      part,
      state: 'off',
      text: 'Not set up.',
      advice: 'docs/teams.md says how.',
    };
  try {
    const { checkTeams } = await import('#adapters/teams/check.ts');
    const { text, advice } = await checkTeams(teams);
    return { part, state: 'ok', text, ...(advice === null ? {} : { advice }) };
  } catch (error) {
    return { part, state: 'broken', text: errorMessage(error) };
  }
}

/** The workspaces that added the app, where there may be several. */
async function checkSlackWorkspaces(
  { slack: access }: Config,
  { slack }: Instance,
): Promise<Finding[]> {
  if (access?.workspaces.kind !== 'many') return [];
  const { installAt } = access.workspaces;
  const found = slack === null ? [] : await slack.checkWorkspaces();
  return found.map(({ name, state, text, missing }): Finding => {
    const part = `Slack ${name}`;
    switch (state) {
      case 'ok':
        return missing.length === 0
          ? { part, state, text }
          : {
              part,
              state: 'broken',
              text: `${text}, without ${missing.length === 1 ? 'the scope' : 'the scopes'} ${listOf(missing)}`,
              advice: `Put manifest.json into "App Manifest" of the Slack app and add it again at ${installAt}.`,
            };
      case 'removed':
        return { part, state: 'off', text };
      case 'unreadable':
        return {
          part,
          state: 'broken',
          text,
          advice: `Set COUNTERSIGN_ENCRYPTION_KEY to the former key, or have the app added there again at ${installAt}.`,
        };
      case 'broken':
        return { part, state, text };
      default:
        return state satisfies never;
    }
  });
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

async function listBackends({ db }: Instance): Promise<Finding[]> {
  const found = await readBackends(db.query);
  if (found.length === 0) {
    return [
      {
        part: 'Back ends',
        state: 'off',
        text: 'No worker is running, so approved plans wait.',
        advice: 'Start one: npx countersign start, or npx countersign worker.',
      },
    ];
  }
  return found.map(({ id, name, capabilities, operations, concurrency }) => {
    const able = capabilities.length === 0 ? 'no capabilities' : listOf(capabilities);
    const text = `${countOf(operations.length, 'operation')}, ${able}, ${concurrency} at once (${id})`;
    return { part: `Back end ${name}`, state: 'ok', text };
  });
}

async function listPools({ db }: Instance): Promise<Finding[]> {
  return (await readPools(db.query)).map(({ name, capacity, headroom, in_use, waiting }) => {
    const kept = headroom === 0 ? '' : `, ${headroom} kept back`;
    const line =
      waiting.length === 0
        ? 'nobody waits'
        : waiting.length === 1
          ? `${waiting[0]} waits`
          : `${waiting[0]} and ${countOf(waiting.length - 1, 'other plan')} wait`;
    return {
      part: `Pool ${name}`,
      state: 'ok',
      text: `${in_use} of ${capacity} in use${kept}; ${line}`,
    };
  });
}

/** Events are counted up to this many. */
const eventsCounted = 1000;

/** What chat platforms sent: nothing to say while it is handled as it comes. */
async function checkInbox({ db }: Instance): Promise<Finding[]> {
  const { open, oldest, failed, last } = await readInboxState(db.query, eventsCounted);
  const count = (n: number) =>
    n < eventsCounted
      ? `${countOf(n, 'event')} of chat platforms`
      : '1,000 or more events of chat platforms';
  if (last !== null) {
    return [
      {
        part: 'Inbox',
        state: 'broken',
        text: `${count(failed)} could not be handled, the latest (${last.id}, ${last.platform}) because: ${last.error}`,
        advice:
          'When the cause is gone, in psql: update countersign.inbox set failed_at = null, failures = 0 where failed_at is not null',
      },
    ];
  }
  const all = open < eventsCounted;
  const since = oldest === null || !all ? '' : `, the oldest since ${oldest.toISOString()}`;
  return open === 0
    ? []
    : [
        {
          part: 'Inbox',
          state: 'ok',
          text: `${count(open)} ${open === 1 ? 'waits' : 'wait'}${since}`,
        },
      ];
}

/** What is posted to chat platforms: nothing to say while it gets there. */
async function checkDelivery({ db }: Instance): Promise<Finding[]> {
  const { waiting, broken, last, failed, error } = await readDeliveryState(db.query, eventsCounted);
  if (last !== null) {
    const more = broken > 1 ? ` So are ${countOf(broken - 1, 'other conversation')}.` : '';
    return [
      {
        part: 'Delivery',
        state: 'broken',
        text: `Nothing can be posted to ${last.platform} ${last.tenant}, ${last.channel}: ${last.broken}${more}`,
        advice: 'Fix it, then write something there. Waiting messages are posted.',
      },
    ];
  }
  if (error !== null) {
    return [
      {
        part: 'Delivery',
        state: 'broken',
        text: `${countOf(failed, 'message')} could not be shown, the latest because: ${error}`,
        advice: 'The others went on. The log says which it was and where.',
      },
    ];
  }
  return waiting === 0
    ? []
    : [
        {
          part: 'Delivery',
          state: 'ok',
          text: `${countOf(waiting, 'conversation')} ${waiting === 1 ? 'waits' : 'wait'} to be brought up to date`,
        },
      ];
}

async function checkInstance(config: Config, log: Logger): Promise<Finding[]> {
  try {
    const instance = await openInstance({ config, log, work: false, linkTo: () => null });
    const tools = instance.registry.status().map(
      ({ tool, ok, operations, reason }): Finding => ({
        part: `Tool ${tool}`,
        state: ok ? 'ok' : 'broken',
        text: ok ? countOf(operations, 'operation') : (reason ?? 'It does not answer.'),
        ...(ok ? {} : { advice: `Check mcpServers.${tool} in ${config.settingsFile.path}.` }),
      }),
    );
    const text = `${instance.database}; ${await countWaiting(instance)} waiting for a decision.`;
    const workers = [
      ...(await listBackends(instance)),
      ...(await listPools(instance)),
      ...(await checkInbox(instance)),
      ...(await checkDelivery(instance)),
      ...(await checkSlackWorkspaces(config, instance)),
    ];
    await instance.close();
    return [{ part: 'Database', state: 'ok', text }, ...tools, ...workers];
  } catch (error) {
    return [
      {
        part: 'Database',
        state: 'broken',
        text: errorMessage(error),
        advice:
          config.env.DATABASE_URL === undefined
            ? `Look at ${config.home}/postgres, or set DATABASE_URL.`
            : 'Check DATABASE_URL.',
      },
    ];
  }
}

/** Looks at every part; the order is that of what depends on what. */
export async function examine(config: Config, log: Logger): Promise<Finding[]> {
  const { settingsFile } = config;
  return [
    { part: 'Node', state: 'ok', text: process.version },
    settingsFile.found
      ? { part: 'Settings', state: 'ok', text: settingsFile.path }
      : {
          part: 'Settings',
          state: 'off',
          text: `No ${settingsFile.path}.`,
          advice: 'Copy countersign.example.json to add MCP servers, approvers or calendars.',
        },
    ...(await checkInstance(config, log)),
    await checkWorkspace(config),
    await checkModel(config),
    await checkSlackAccess(config, log),
    await checkTeamsAccess(config),
  ];
}

const marks = { ok: '✓', off: '–', broken: '✗' } as const;

/** The findings as a person reads them. */
export function describeFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ part }) => part.length));
  return findings
    .map(({ part, state, text, advice }) => {
      const line = `  ${marks[state]} ${part.padEnd(width)}  ${text}`;
      return advice === undefined ? line : `${line}\n    ${' '.repeat(width)}  ${advice}`;
    })
    .join('\n');
}
