// `start`, `gateway` and `worker`.
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { causeOf, isTransient, retryUntilDatabaseAnswers } from '#db/transient.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { setTracer } from '#domain/telemetry.ts';
import { type Config, loadConfig } from '../config.ts';
import { addressOf, createLinks } from '../links.ts';
import { createLog } from '../logging.ts';
import { refuseTaken } from '../ports.ts';
import { print, warn } from '../print.ts';
import { createScrub, type Scrub, secretsOf } from '../secrets.ts';
import { readTraceTarget } from '../telemetry/target.ts';
import { version } from '../version.ts';
import type { Instance } from '../wire/instance.ts';
import { endInTimeAfter, endSoon, untilSignal } from './until-signal.ts';

const answersEndWithinMs = 4000;

function waitFor(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Opening is retried. @returns null if stopped while waiting */
async function openWhenThere(open: () => Promise<Instance>, signal: AbortSignal) {
  let reported = false;
  const report = (error: unknown) => {
    if (reported) return;
    reported = true;
    const what =
      error instanceof CountersignError
        ? error.message
        : `The database does not answer (${causeOf(error)}).`;
    warn(`countersign: ${what} Waiting for it.`);
  };
  try {
    return await retryUntilDatabaseAnswers(open, report, signal);
  } catch (error) {
    if (signal.aborted && isTransient(error)) return null;
    throw error;
  }
}

async function openConsole(config: Config, url: string): Promise<void> {
  const graphical =
    process.platform === 'darwin' ||
    process.platform === 'win32' ||
    (process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY) !== undefined;
  const wanted = process.stdout.isTTY && graphical && process.env.SSH_CONNECTION === undefined;
  if (!wanted || config.env.COUNTERSIGN_NO_BROWSER === true) return;
  const { default: open } = await import('open');
  await open(url).catch((error: unknown) =>
    warn(`  The browser could not be opened (${errorMessage(error)}); open ${url} yourself.`),
  );
}

type Collect = (options: { type: 'major'; flavor: 'last-resort'; execution: 'sync' }) => void;

/** Returns about 150 MB left from loading; takes 0.1 s. */
function trimMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

/** Loads nothing unless configured. @returns a function that stops it */
async function beginTraces(
  config: Config,
  { log, scrub, role }: { log: Logger; scrub: Scrub; role: string },
): Promise<() => Promise<void>> {
  if (readTraceTarget(config.env) === null) return async () => {};
  const { openTracer } = await import('../telemetry/open-tracer.ts');
  const { tracer, close } = openTracer(process.env, { log, scrub, role });
  setTracer(tracer);
  return close;
}

/** Null if metrics can't be read; loads nothing then. */
async function openMetrics(instance: Instance, { env }: Config, log: Logger, role: string) {
  if (role === 'worker' && env.HEALTH_PORT === undefined) return null;
  const { createMetrics } = await import('../metrics/create-metrics.ts');
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  return createMetrics(instance.db, { role, warn });
}

async function listenForProbes(
  instance: Instance,
  config: Config,
  log: Logger,
  { registry: metrics }: { registry: Registry },
): Promise<{ words: string; close(): Promise<void> }> {
  const { HOST, HEALTH_PORT = 0 } = config.env;
  const { serveHealth } = await import('../serve-health.ts');
  const { app, port } = await serveHealth(instance, config, { port: HEALTH_PORT, log, metrics });
  return {
    words: ` Health and metrics: http://${HOST}:${port}`,
    close: () => app.close(),
  };
}

/** Before anything changes. Port 0 means any. */
async function refuseTakenPorts(config: Config, http: boolean): Promise<void> {
  const variable = http ? 'PORT' : 'HEALTH_PORT';
  const port = config.env[variable] ?? 0;
  if (port !== 0) await refuseTaken(variable, addressOf(config, port));
}

const describeModel = ({ env }: Config, { model: { access } }: Instance): string =>
  access === null ? 'The model was disconnected.' : `${env.PLANNER_MODEL} is connected.`;

/** @param parts `http`: API, console and chats; `work`: jobs */
export async function keepRunning(parts: { http: boolean; work: boolean }): Promise<void> {
  // Configuration errors first. Workers don't load the server.
  const config = loadConfig(process.env, process.cwd());
  await refuseTakenPorts(config, parts.http);
  const { openInstance } = await import('../wire.ts');
  const http = parts.http ? await import('../serve.ts') : null;
  const role = !parts.http ? 'worker' : parts.work ? 'start' : 'gateway';
  const began = performance.now();
  const scrub = createScrub(secretsOf(config, process.env));
  const log = createLog(config, false, scrub);
  const endTraces = await beginTraces(config, { log, scrub, role });
  const signal = untilSignal();
  endInTimeAfter(signal);
  let url = addressOf(config, config.env.PORT);
  const links = createLinks(config, () => url);
  try {
    for (let again = false; !signal.aborted; again = true) {
      const instance = await openWhenThere(
        () => openInstance({ config, log, work: parts.work, reopened: again, scrub, ...links }),
        signal,
      );
      if (instance === null) return;
      const metrics = await openMetrics(instance, config, log, role);
      // A changed model reopens everything that uses it.
      const end = AbortSignal.any([signal, instance.model.changed]);
      const waitUntilDone = async () => {
        await waitFor(end);
        // A change of model can wait.
        if (!signal.aborted) await Promise.race([instance.drain(), waitFor(signal)]);
      };
      try {
        if (http !== null && metrics !== null) {
          const { app, port } = await http.serve(instance, config, log, metrics.registry);
          config.env.PORT = port;
          url = addressOf(config, port);
          const seconds = (performance.now() - began) / 1000;
          if (again) print(`  ${describeModel(config, instance)}`);
          else print(http.banner(instance, config, url, seconds));
          if (!again) await openConsole(config, url);
          trimMemory();
          await waitUntilDone();
          await Promise.race([app.close(), pause(answersEndWithinMs, undefined, { ref: false })]);
        } else {
          const health =
            metrics === null ? null : await listenForProbes(instance, config, log, metrics);
          print(`Countersign ${version}: this worker is ready.${health?.words ?? ''}`);
          trimMemory();
          await waitUntilDone();
          await health?.close();
        }
      } finally {
        metrics?.close();
        await instance.close();
      }
    }
  } finally {
    await endTraces();
  }
  process.exitCode = 0;
  endSoon();
}
