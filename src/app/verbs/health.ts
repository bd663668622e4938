// `health`: asks the process that runs with the same configuration whether it is well, for health checks of containers.
import { errorMessage } from '#domain/errors.ts';
import { loadConfig } from '../config.ts';
import { addressOf } from '../links.ts';

/** Milliseconds; health checks give up after that themselves. */
const answersWithinMs = 5000;

/** Why the answer of `address` is no good; null: it is. */
async function findFault(address: string): Promise<string | null> {
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(answersWithinMs) });
    return status === 200 ? null : `answered ${status}`;
  } catch (error) {
    return `does not answer (${errorMessage(error)})`;
  }
}

export async function run({ ready }: { ready?: true }): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const address = `${addressOf(config, config.env.PORT)}/${ready === true ? 'readyz' : 'healthz'}`;
  const fault = await findFault(address);
  if (fault === null) return console.log('ok');
  console.error(
    `countersign: ${address} ${fault}. Look at the log of that process; "countersign doctor" checks each part.`,
  );
  process.exitCode = 1;
}
