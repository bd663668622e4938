// The secrets of a configuration, and what takes them out of every text that leaves the process by its side: log lines and traces.
import { createRedactor } from '#domain/secrets.ts';
import { secretsOfServer } from '#tools/mcp/secrets.ts';
import type { Config } from './config.ts';

/** A text without the secrets of the configuration. */
export type Scrub = (text: string) => string;

const secretName = /token|secret|password|authorization|api_?key|encryption_?key|headers/i;

/** As it is written, and what percent signs in it mean. */
function withDecoded(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    // A percent sign that means itself.
    return [text];
  }
}

/** The password that stands in an address. */
function passwordOf(address: string | undefined): string[] {
  if (address === undefined || !URL.canParse(address)) return [];
  return withDecoded(new URL(address).password);
}

/** Texts below names that say that they are secret. */
function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    secretsIn(inner, isSecret || secretName.test(name)),
  );
}

/** @param variables of the process, for those that libraries read by themselves (`OTEL_EXPORTER_OTLP_HEADERS`) */
export function secretsOf(
  { env, settings, secrets }: Pick<Config, 'env' | 'settings' | 'secrets'>,
  variables: NodeJS.ProcessEnv,
): string[] {
  const { mcpServers, ...others } = settings;
  const headers = Object.entries(variables)
    .filter(([name]) => /^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/.test(name))
    .flatMap(([, value = '']) => value.split(',').map((pair) => pair.replace(/^[^=]*=/, '')))
    .flatMap(withDecoded);
  return [
    ...secrets,
    ...secretsIn(env),
    ...passwordOf(env.DATABASE_URL),
    ...passwordOf(env.DATABASE_DIRECT_URL),
    ...Object.values(mcpServers).flatMap(secretsOfServer),
    ...secretsIn(others),
    ...headers.flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, '')]),
  ];
}

/** Takes `secrets` out of texts, also as they stand within JSON. */
export const createScrub = (secrets: string[]): Scrub =>
  createRedactor(secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]));
