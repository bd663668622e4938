// `health`: for container health checks.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { type Config, loadConfig } from '../config.ts';
import { addressOf } from '../links.ts';
import { print, warn } from '../print.ts';

/** Container health checks time out after this. */
const answersWithinMs = 5000;

async function findFault(address: string): Promise<string | null> {
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(answersWithinMs) });
    return status === 200 ? null : `answered ${status}`;
  } catch (error) {
    return `does not answer (${errorMessage(error)})`;
  }
}

/** @throws `invalid_configuration` if a worker's port is unknown */
function portOf({ env }: Config, worker: boolean): number {
  if (!worker) return env.PORT;
  if (env.HEALTH_PORT !== undefined && env.HEALTH_PORT !== 0) return env.HEALTH_PORT;
  throw new CountersignError(
    'invalid_configuration',
    'Set HEALTH_PORT for both the worker and this command.',
  );
}

export async function run({ ready, worker }: { ready?: true; worker?: true }): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const port = portOf(config, worker === true);
  const address = `${addressOf(config, port)}/${ready === true ? 'readyz' : 'healthz'}`;
  const fault = await findFault(address);
  if (fault === null) return print('ok');
  warn(
    `countersign: ${address} ${fault}. Look at the log of that process; "countersign doctor" checks each part.`,
  );
  process.exitCode = 1;
}
