// Redacts the secrets that tool files requested here.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { createRedactor } from '#domain/secrets.ts';

const asked = new Set<string>();

export function noteSecret(value: string): void {
  asked.add(value);
}

type Hide = (text: string) => string;

function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideIn(one, hide)]));
}

function cleanError(error: unknown, hide: Hide): unknown {
  const message = errorMessage(error);
  const cause = error instanceof Error ? error.cause : undefined;
  const cleaned = cause === undefined ? undefined : cleanError(cause, hide);
  if (hide(message) === message && cleaned === cause) return error;
  const kept = cleaned === undefined ? {} : { cause: cleaned };
  if (error instanceof CountersignError) {
    const { code, details, passesAfterMs } = error;
    return new CountersignError(code, hide(message), { details, passesAfterMs, ...kept });
  }
  return new Error(hide(message), kept);
}

export async function withoutSecrets<T>(call: () => Promise<T>): Promise<T> {
  try {
    const returned = await call();
    return asked.size === 0 ? returned : (hideIn(returned, createRedactor(asked)) as T);
  } catch (error) {
    throw cleanError(error, createRedactor(asked));
  }
}
