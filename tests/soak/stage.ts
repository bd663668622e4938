// A soak's database, pooler, processes and platforms, with proxies between.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openEmbedded } from '#db/embedded/embedded.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { start as startModel } from '../fixtures/openai-double.ts';
import { chanceFrom } from '../fixtures/random.ts';
import { startSlack } from '../fixtures/slack/double.ts';
import { openTcpProxy } from '../fixtures/tcp-proxy.ts';
import { startConnector } from '../fixtures/teams/connector.ts';
import { startPgBouncer } from '../setup/pgbouncer.ts';
import type { Programs } from '../setup/process.ts';
import { readPostmaster } from '../setup/start.ts';
import { findPorts, openFleet, type Role } from './fleet.ts';
import { openIncidents } from './incidents.ts';
import { openLedger } from './ledger.ts';
import { makeTokens, openOrganisations } from './organisations.ts';
import { openRecords } from './records.ts';
import { scriptModel } from './work.ts';

/** To the server. */
export const pooledConnections = 20;

async function openDatabase(programs: Programs) {
  const home = await programs.home();
  const log = { info: () => undefined, warn: () => undefined };
  const server = await openEmbedded({ dir: join(home, 'postgres'), log });
  onTestFinished(() => server.close());
  return {
    url: server.url,
    readPid: () => readPostmaster(home),
    /** @param mode as in `pg_ctl stop` */
    async restart(mode: 'fast' | 'immediate'): Promise<void> {
      process.kill(await readPostmaster(home), mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    },
  };
}

export async function openStage(programs: Programs, seed: number) {
  const database = await openDatabase(programs);
  const pooler = await startPgBouncer(database.url, pooledConnections);
  const [toPooler, toDatabase] = [await openTcpProxy(pooler), await openTcpProxy(database.url)];

  const slack = await startSlack({ limits: 'real' });
  const toSlack = await openTcpProxy(slack.url);
  const teamsProxies: Awaited<ReturnType<typeof openTcpProxy>>[] = [];
  const teams = await startConnector({
    local: true,
    through: async (base) => {
      const proxy = await openTcpProxy(base);
      teamsProxies.push(proxy);
      return proxy.urlOf(base).replace(/\/$/, '');
    },
  });
  const [toTeams] = teamsProxies;
  if (toTeams === undefined) throw new Error('the connector was not given its proxy');

  const outside = await programs.home();
  const ledger = await openLedger(join(outside, 'effects.txt'), chanceFrom(seed + 1));
  const model = await startModel({ script: scriptModel(ledger.url, chanceFrom(seed + 2)) });
  const toModel = await openTcpProxy(model.url);

  const home = await programs.home({
    executor: { lease_seconds: 10 },
    approvers: ['ops'],
    resourcePools: { line: 6 },
    http: { allowPrivate: ['127.0.0.1'] },
    mcpServers: { log: { ...appendTool(ledger.file), shared: true } },
  });
  const shared = { home, database: toPooler.urlOf(pooler) };
  const direct = {
    DATABASE_DIRECT_URL: toDatabase.urlOf(database.url),
    COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const memory = join(outside, 'memory');
  await mkdir(memory);
  const watched = {
    SOAK_MEMORY: memory,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'live-memory.ts')}`,
  };
  const chats = {
    SLACK_API_URL: toSlack.urlOf(slack.apiUrl),
    SLACK_CLIENT_ID: slack.app.clientId,
    SLACK_CLIENT_SECRET: slack.app.clientSecret,
    SLACK_STATE_SECRET: 'state-secret-of-the-soak',
    SLACK_ALLOWED_WORKSPACES: 'any',
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    COUNTERSIGN_TEAMS_LOCAL: 'true',
  };
  const budgets = { BUDGET_PER_DAY_USD: '100000', BUDGET_PER_SESSION_USD: '1000' };
  const ports = await findPorts(2);
  const log = (name: string) => join(outside, `${name}.log`);
  const gateways = ports.map(
    (port, index): Role => ({
      name: `gateway-${index + 1}`,
      verb: 'gateway',
      spared: index === 0,
      options: {
        ...shared,
        log: log(`gateway-${index + 1}`),
        env: { ...direct, ...chats, ...watched, PORT: String(port) },
      },
    }),
  );
  const workers = [1, 2, 3].map(
    (number): Role => ({
      name: `worker-${number}`,
      verb: 'worker',
      spared: number === 1,
      options: {
        ...shared,
        log: log(`worker-${number}`),
        // One plans with a model, the others by grammar.
        env: {
          ...direct,
          ...chats,
          ...watched,
          ...(number === 3 ? { OPENAI_BASE_URL: toModel.urlOf(model.url), ...budgets } : {}),
        },
      },
    }),
  );
  const toGateways = await openTcpProxy(...ports.map((port) => `http://127.0.0.1:${port}`));
  const front = toGateways.urlOf('http://127.0.0.1').replace(/\/$/, '');
  slack.connect({ url: `${front}/slack/events` });
  teams.connect(`${front}/api/messages`);

  const fleet = openFleet(programs, [...gateways, ...workers]);
  const records = openRecords(database.url);
  const workspace = join(home, 'workspace');
  const { install, ...organisations } = openOrganisations(slack, teams.tenant, workspace);
  const terminal = { ...shared, env: direct };
  const close = async () => {
    await records.close();
    await slack.end();
    await teams.end();
    await model.close();
    await ledger.close();
    for (const proxy of [toPooler, toDatabase, toSlack, toTeams, toModel, toGateways])
      await proxy.close();
  };
  return {
    database,
    slack,
    teams,
    ledger,
    model,
    fleet,
    records,
    incidents: openIncidents(),
    front,
    logs: [...gateways, ...workers].map(({ name }) => ({ name, path: log(name) })),
    ...organisations,
    /** Installs the app. @returns a token per organisation, by tenant */
    async join(): Promise<Map<string, string>> {
      await install(front);
      return await makeTokens(programs, organisations.organisations, terminal);
    },
    /** Without trouble. */
    pooler,
    memory,
    terminal,
    terminals: new Set<number>(),
    proxies: { toPooler, toDatabase, toSlack, toTeams, toModel, toGateways },
    close,
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
