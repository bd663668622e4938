// doctor: each part, whether it is well, and what to do about it when it is not.
import { access, constants, mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '#config';
import { errorMessage } from '#contracts/errors.ts';
import { countOf } from '#contracts/words.ts';
import { createModelClient, readModelAccess } from '#models/openai.ts';
import { type House, openHouse } from './wire.ts';

export type Finding = {
  part: string;
  state: 'ok' | 'off' | 'broken';
  /** What is, in a sentence. */
  text: string;
  /** What to do, when there is something to do. */
  advice?: string;
};

const modelTimeoutMs = 10_000;

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

async function checkModel({ env }: Config): Promise<Finding> {
  const reach = readModelAccess(env);
  if (reach === null) {
    return {
      part: 'Model',
      state: 'off',
      text: 'No model is configured; the offline planner drafts plans from plain requests.',
      advice: 'Set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server, to plan with a model.',
    };
  }
  try {
    await createModelClient(reach).models.list({ timeout: modelTimeoutMs });
    return { part: 'Model', state: 'ok', text: `${env.PLANNER_MODEL} and ${env.EXECUTOR_MODEL}` };
  } catch (error) {
    return {
      part: 'Model',
      state: 'broken',
      text: `The model's server does not answer: ${errorMessage(error)}`,
      advice: 'Check OPENAI_API_KEY and OPENAI_BASE_URL.',
    };
  }
}

/** `no plans`, `1 plan`, `1,000 plans or more` */
async function countWaiting({ service }: House): Promise<string> {
  const { plans, next_cursor } = await service.listPlans({
    status: ['proposed', 'needs_review'],
    limit: 1000,
  });
  if (plans.length === 0) return 'no plans';
  return `${countOf(plans.length, 'plan')}${next_cursor === null ? '' : ' or more'}`;
}

async function checkHouse(config: Config, log: Logger): Promise<Finding[]> {
  try {
    const house = await openHouse({ config, log, work: false, linkTo: () => null });
    const tools = house.registry.status().map(
      ({ tool, ok, operations, reason }): Finding => ({
        part: `Tool ${tool}`,
        state: ok ? 'ok' : 'broken',
        text: ok ? countOf(operations, 'operation') : (reason ?? 'It does not answer.'),
        ...(ok ? {} : { advice: `Check mcpServers.${tool} in ${config.settingsFile.path}.` }),
      }),
    );
    const text = `${house.database}; ${await countWaiting(house)} waiting for a decision.`;
    await house.close();
    return [{ part: 'Database', state: 'ok', text }, ...tools];
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
    ...(await checkHouse(config, log)),
    await checkWorkspace(config),
    await checkModel(config),
    {
      part: 'Slack, Teams',
      state: 'off',
      text: 'Not in this version yet; the console and the terminal are.',
    },
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
