// The HTTP side of a process: API, console, banner.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { registerConsole } from '#adapters/console/routes.ts';
import { createServer } from '#api/server.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import { readManifests } from '#db/backends.ts';
import { commandName } from '#domain/command-name.ts';
import { isKnown } from '#domain/people/principal.ts';
import { isEveryHost } from '#domain/public-url.ts';
import { isOffered } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import type { Config } from './config.ts';
import { createProbes } from './health.ts';
import { explainTaken, portOf } from './ports.ts';
import { createSettingsFacts } from './settings-facts.ts';
import { version } from './version.ts';
import type { Instance } from './wire/instance.ts';

/**
 * Returns the actual `port`. @param recheckMs between access checks of streams
 * @throws `invalid_configuration` if the port is in use
 */
export async function serve(
  instance: Instance,
  config: Config,
  log: Logger,
  metrics: Registry = new Registry(),
  recheckMs?: number,
): Promise<{ app: FastifyInstance; port: number }> {
  const { env } = config;
  const { identity } = instance;
  const publicUrl = env.COUNTERSIGN_PUBLIC_URL;
  const app = await createServer({
    service: instance.service,
    log,
    doors: {
      ...(env.COUNTERSIGN_API_TOKEN === undefined ? {} : { apiToken: env.COUNTERSIGN_API_TOKEN }),
      signIn: identity.providers.length > 0,
      publicOrigin: publicUrl === undefined ? null : new URL(publicUrl).origin,
      identify: identity.identify,
    },
    identity: { identity, secure: publicUrl?.startsWith('https:') === true },
    reach(principal) {
      const { account, names, tenant } = principal;
      const scope = tenant === null ? null : { tenant, reader: account };
      const reader = { names: isKnown(principal) ? names : null, tenant };
      return serveWithin(instance.service, scope, reader);
    },
    trustedProxies: env.COUNTERSIGN_TRUSTED_PROXIES,
    requestsPerMinute: env.API_REQUESTS_PER_MINUTE,
    personRequestsPerMinute: config.settings.limits.person.requests_per_minute,
    ...(recheckMs === undefined ? {} : { recheckMs }),
    version,
    probes: createProbes(instance),
    settings: createSettingsFacts(config, instance, log),
    toolSignIn: { signIns: instance.signIns, publicUrl: env.COUNTERSIGN_PUBLIC_URL ?? null },
    callbacks: { answer: instance.answerCallback },
    metrics,
    mcp: {
      linkTo: instance.linkTo,
      guarded: config.settings.guardedTools,
      async operations(tenant) {
        await instance.catalogue.refresh(() => readManifests(instance.db.query));
        return instance.catalogue.of(tenant).list().filter(isOffered);
      },
    },
  });
  try {
    await registerConsole(app, {
      timezone: config.timezone,
      hasModel: instance.model.access !== null,
    });
    for (const chat of Object.values(instance.chats)) await chat.receive(app, instance);
    // The banner names the address.
    const { level } = app.log;
    app.log.level = 'warn';
    await app.listen({ host: env.HOST, port: env.PORT });
    app.log.level = level;
  } catch (cause) {
    await app.close();
    throw explainTaken('PORT', env.PORT, env.HOST, cause);
  }
  return { app, port: portOf(app) };
}

export function banner(instance: Instance, config: Config, url: string, seconds: number): string {
  const { env } = config;
  const tools = instance.registry.status();
  const operations = tools.reduce((sum, { operations }) => sum + operations, 0);
  const down = tools.filter(({ ok }) => !ok);
  const rows: [string, string][] = [
    ['Console', isEveryHost(env.HOST) ? `${url}, and every other address of this machine` : url],
    ['Database', instance.database],
    [
      'Model',
      instance.model.access === null
        ? `none. Commands work (“help” lists them), and so do playbooks and the builder. Connect one under Settings, Models, or set OPENAI_API_KEY.`
        : `${env.PLANNER_MODEL} plans, ${env.EXECUTOR_MODEL} decides run-time arguments`,
    ],
    ['Tools', `${countOf(operations, 'operation')}: ${tools.map(({ tool }) => tool).join(', ')}`],
    ...down.map(({ tool, reason }): [string, string] => [
      '',
      `${tool} isn't ready: ${reason ?? 'no reason given'}`,
    ]),
    ['Workspace', config.workspace],
    [
      'Settings',
      config.settingsFile.found ? config.settingsFile.path : `none (see countersign.example.json)`,
    ],
    ...config.chats.map(({ platform: { title, guide }, setup }): [string, string] => [
      title,
      setup?.reached ?? `not set up (${guide})`,
    ]),
    ['Terminal', `${commandName} ask "create notes/hello.md: Hello"`],
    ['', `${commandName} build, to build a plan by form`],
  ];
  const lines = rows.map(([name, text]) => `  ${name.padEnd(12)} ${text}`);
  return `\n  Countersign ${version} is ready (${seconds.toFixed(1)} s)\n\n${lines.join('\n')}\n\n  Ctrl-C stops it; plans and their progress are kept.\n`;
}
