// Fills `${NAME}` and `${NAME:-default}` in countersign.json. Pure.
import { CountersignError } from '#domain/errors.ts';
import type { Json, JsonObject } from '#domain/text.ts';

/** Also `${env:NAME}` of other clients; `$${` escapes `${`. */
const placeholder =
  /\$\$\{|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}|\$\{((?:[^}$]|\$(?!\{))*)\}/g;

export type Filled<T> = {
  value: T;
  /** From the environment, to be redacted. */
  secrets: string[];
};

/** In all strings but keys. @param where names the file @throws CountersignError `invalid_configuration` */
export function fillVariables(
  value: JsonObject,
  variables: NodeJS.ProcessEnv,
  where: string,
): Filled<JsonObject> {
  const secrets: string[] = [];

  function fail(key: string, problem: string): never {
    throw new CountersignError('invalid_configuration', `${where}: ${key}: ${problem}`);
  }

  function fillText(text: string, key: string): string {
    return text.replaceAll(
      placeholder,
      (whole, name?: string, otherwise?: string, odd?: string) => {
        if (whole === '$${') return '${';
        if (odd !== undefined)
          return fail(
            key,
            `${whole} is not a variable of the environment. Write \${NAME} or \${NAME:-default}, or $\${ for a plain \${.`,
          );
        const found = name === undefined ? undefined : variables[name];
        // Empty counts as not set, as in the environment.
        if (found !== undefined && found !== '') {
          secrets.push(found);
          return found;
        }
        if (otherwise !== undefined) return otherwise;
        return fail(key, `the variable ${name} is not set. Set it, or write \${${name}:-default}.`);
      },
    );
  }

  function fill(item: Json, key: string): Json {
    if (typeof item === 'string') return fillText(item, key);
    if (Array.isArray(item)) return item.map((one, index) => fill(one, `${key}.${index}`));
    return item === null || typeof item !== 'object' ? item : fillObject(item, key);
  }

  function fillObject(object: JsonObject, path: string): JsonObject {
    return Object.fromEntries(
      Object.entries(object).map(([name, item]) => [
        name,
        fill(item, path === '' ? name : `${path}.${name}`),
      ]),
    );
  }

  const filled = fillObject(value, '');
  return { value: filled, secrets: [...new Set(secrets)] };
}
