// The secrets that tool files have asked for in this process, and what keeps them out of what their calls say.
import { createRedactor } from '#domain/secrets.ts';

const asked = new Set<string>();

/** Has `value` taken out of what calls of tool files return and throw from now on. */
export function noteSecret(value: string): void {
  asked.add(value);
}

/** A text, which may be JSON, without them. */
const hide = (text: string): string =>
  createRedactor([...asked].flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))(text);

/** What `call` returns, without the secrets. @throws what it throws, without them in its message */
export async function withoutSecrets<T>(call: () => Promise<T>): Promise<T> {
  try {
    const returned = await call();
    return asked.size === 0 ? returned : (JSON.parse(hide(JSON.stringify(returned))) as T);
  } catch (error) {
    if (error instanceof Error) {
      error.message = hide(error.message);
      // Logs write the causes out.
      if (error.cause instanceof Error) error.cause.message = hide(error.cause.message);
      throw error;
    }
    throw new Error(hide(String(error)));
  }
}
