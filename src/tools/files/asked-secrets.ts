// The secrets that tool files have asked for in this process, and what keeps them out of what their calls say.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { createRedactor } from '#domain/secrets.ts';

const asked = new Set<string>();

/** Has `value` taken out of what calls of tool files return and throw from now on. */
export function noteSecret(value: string): void {
  asked.add(value);
}

type Hide = (text: string) => string;

/** `value`, which is made of JSON, with `hide` applied to its texts. */
function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideIn(one, hide)]));
}

/** The error itself where it has no secret, else another that says the same without. */
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

/** What `call` returns, made of JSON, without the secrets in its texts. @throws what it throws, without them */
export async function withoutSecrets<T>(call: () => Promise<T>): Promise<T> {
  try {
    const returned = await call();
    return asked.size === 0 ? returned : (hideIn(returned, createRedactor(asked)) as T);
  } catch (error) {
    throw cleanError(error, createRedactor(asked));
  }
}
