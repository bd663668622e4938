// Redacts the configuration's secrets.
import { createRedactor } from '#domain/secrets.ts';
import { secretsOfServer } from '#tools/mcp/secrets.ts';
import type { Config } from './config.ts';

export type Scrub = {
  (text: string): string;
  add(secrets: string[]): void;
};

const secretName = /token|secret|password|authorization|api_?key|encryption_?key|headers/i;

function withDecoded(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    // A literal percent sign.
    return [text];
  }
}

function passwordOf(address: string | undefined): string[] {
  if (address === undefined || !URL.canParse(address)) return [];
  return withDecoded(new URL(address).password);
}

function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    secretsIn(inner, isSecret || secretName.test(name)),
  );
}

/** @param variables for those read by libraries (`OTEL_EXPORTER_OTLP_HEADERS`) */
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

export function createScrub(secrets: string[]): Scrub {
  const known = new Set<string>();
  let redact = createRedactor(known);
  const add = (more: string[]) => {
    for (const one of more) known.add(one).add(JSON.stringify(one).slice(1, -1));
    redact = createRedactor(known);
  };
  add(secrets);
  return Object.assign((text: string) => redact(text), { add });
}
