// Checks disk, keys, time zones, addresses, tracing, sign-in.
import { statfs } from 'node:fs/promises';
import { longestReason, readText } from '#domain/bounded-body.ts';
import { errorMessage } from '#domain/errors.ts';
import { resolveProviders } from '#domain/people/identity.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { describeBytes } from '#domain/words.ts';
import type { Config } from '../config.ts';
import { addressOf } from '../links.ts';
import { findListener } from '../ports.ts';
import { readTraceTarget } from '../telemetry/target.ts';
import { brokenCheck, offCheck, okCheck } from './results.ts';

const answersWithinMs = 5000;
const freeAtLeast = 1_000_000_000;

/** @param free,all bytes of `home`'s disk */
export function judgeDisk({
  home,
  free,
  all,
}: {
  home: string;
  free: number;
  all: number;
}): CheckResult {
  const text = `${describeBytes(free)} of ${describeBytes(all)} free for ${home}`;
  return free < freeAtLeast
    ? brokenCheck(
        'Disk',
        text,
        'Free some space or move COUNTERSIGN_HOME: a full disk stops the bot.',
      )
    : okCheck('Disk', text);
}

export async function checkDisk({ home }: Pick<Config, 'home'>): Promise<CheckResult> {
  try {
    const { bavail, blocks, bsize } = await statfs(home);
    return judgeDisk({ home, free: bavail * bsize, all: blocks * bsize });
  } catch (error) {
    return brokenCheck(
      'Disk',
      `${home} cannot be read: ${errorMessage(error)}`,
      'Set COUNTERSIGN_HOME to a folder that this user may write to.',
    );
  }
}

export function checkKey({ env }: Pick<Config, 'env'>): CheckResult {
  const part = 'Encryption key';
  return env.COUNTERSIGN_ENCRYPTION_KEY === undefined
    ? offCheck(
        part,
        'COUNTERSIGN_ENCRYPTION_KEY is not set.',
        'Set it to what "openssl rand -base64 32" prints, for every process alike, to seal the audit log and stored tokens.',
      )
    : okCheck(part, 'set');
}

/** Node's zone data may be outdated after that. */
const zonesOldAfterYears = 2;

/** @param data release of Node's zone data, `2026b` */
export function judgeZones(timezone: string, data: string | undefined, now: Date): CheckResult {
  const part = 'Time zones';
  const year = Number(data?.slice(0, 4));
  const text = `${timezone}, time zone data ${data ?? 'of unknown version'}`;
  return now.getUTCFullYear() - year < zonesOldAfterYears
    ? okCheck(part, text)
    : brokenCheck(
        part,
        text,
        'Update Node, which carries the time zone data: clock changes may be wrong.',
      );
}

/** Null if it answers as expected. */
async function findFault(
  url: string,
  init: RequestInit,
  isRight: (response: Response) => Promise<boolean>,
): Promise<string | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answersWithinMs) });
    return (await isRight(response)) ? null : `answers ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `does not answer (${errorMessage(cause)})`;
  }
}

export async function checkPort(config: Pick<Config, 'env'>): Promise<CheckResult> {
  const part = 'Port';
  if (config.env.PORT === 0) return offCheck(part, 'any that is free');
  const address = addressOf(config, config.env.PORT);
  const there = await findListener(address);
  if (there === null) {
    const text = `${address} is free: neither start nor gateway runs here.`;
    return offCheck(part, text);
  }
  if (there !== 'other')
    return okCheck(part, `Countersign ${there.countersign} answers at ${address}`);
  return brokenCheck(
    part,
    `A program other than Countersign listens at ${address}.`,
    'Stop it, or set PORT to another one.',
  );
}

export async function checkPublicUrl({ env }: Pick<Config, 'env'>): Promise<CheckResult> {
  const part = 'Public address';
  const { COUNTERSIGN_PUBLIC_URL: url, HOST, PORT } = env;
  if (url === undefined)
    return offCheck(
      part,
      'COUNTERSIGN_PUBLIC_URL is not set, so cards in chats have no links.',
      'Set it to the address where people reach the console.',
    );
  const fault = await findFault(
    `${url}/healthz`,
    {},
    async (response) =>
      response.ok && /"status":\s*"ok"/.test(await readText(response, longestReason)),
  );
  return fault === null
    ? okCheck(part, `${url} reaches this server`)
    : brokenCheck(
        part,
        `${url}/healthz ${fault}.`,
        `Start the gateway, and have the proxy forward everything to ${HOST}:${PORT} (docs/operations.md).`,
      );
}

export async function checkTraces({ env }: Pick<Config, 'env'>): Promise<CheckResult> {
  const part = 'Traces';
  const target = readTraceTarget(env);
  if (target === null)
    return offCheck(
      part,
      'Not sent anywhere.',
      'Set OTEL_EXPORTER_OTLP_ENDPOINT to send them to a collector (docs/observability.md).',
    );
  if (target.url === null) return okCheck(part, `sent ${target.words}`);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
  };
  const { url } = target;
  // The SDK handles tokens; asking for one proves it is there.
  const there = async ({ status }: Response) => status < 400 || status === 401 || status === 403;
  const fault = await findFault(url, init, there);
  return fault === null
    ? okCheck(part, `sent to ${url}`)
    : brokenCheck(
        part,
        `${url} ${fault}.`,
        'Start the collector with its otlp receiver for HTTP, or correct OTEL_EXPORTER_OTLP_ENDPOINT.',
      );
}

/** With addresses to register. */
export async function checkSignIns({ settings, env }: Config): Promise<CheckResult[]> {
  const providers = resolveProviders(settings.identity);
  if (providers.length === 0) {
    return [
      offCheck(
        'Sign-in',
        env.COUNTERSIGN_API_TOKEN === undefined
          ? 'Not set up, so only this machine is answered.'
          : 'No sign-in is set up: anyone with the token can use any name.',
        'docs/identity.md explains sign-in with Slack, Entra or Google.',
      ),
    ];
  }
  const { createOpenId } = await import('#people/open-id.ts');
  const openId = createOpenId();
  return Promise.all(
    providers.map(async (provider): Promise<CheckResult> => {
      const part = `Sign-in ${provider.name}`;
      const redirect = `${env.COUNTERSIGN_PUBLIC_URL}/sign-in/${provider.name}/callback`;
      try {
        await openId.check(provider);
        const text = `${provider.issuer} answers; its redirect URL must be ${redirect}`;
        return okCheck(part, text);
      } catch (error) {
        const advice = 'Check "issuer" and whether this machine reaches it.';
        return brokenCheck(part, errorMessage(error), advice);
      }
    }),
  );
}
