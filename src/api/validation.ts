// Validates requests with zod, explaining misfits by member.
import type { FastifySchemaCompiler, SafePromiseLike } from 'fastify';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { flattenIssue } from '#domain/issues.ts';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { isObject, unstorable } from '#domain/text.ts';
import { isStorableText } from '#domain/words.ts';

/** `{ path: "steps[3].tool", message: "is required" }` */
type Misfit = { path: string; message: string };

/** A broken plan can have 100,000. */
const mostMisfits = 20;

const parts: Record<string, string> = {
  body: 'The body',
  querystring: 'The query',
  params: 'The path',
  headers: 'A header',
};

function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}`;
  if (issue.code === 'unrecognized_keys')
    return `has ${issue.keys.length === 1 ? 'an unknown key' : 'unknown keys'}: ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  if (issue.code === 'too_small')
    return `must ${verbOf(issue.origin)} at least ${amountOf(issue.minimum, issue.origin)}`;
  if (issue.code === 'too_big')
    return `must ${verbOf(issue.origin)} at most ${amountOf(issue.maximum, issue.origin)}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return undefined;
}

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

const verbOf = (origin: string) => (units[origin] === undefined ? 'be' : 'have');

function amountOf(amount: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return String(amount);
  return `${amount} ${unit}${Number(amount) === 1 ? '' : 's'}`;
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** `steps[3].after[0].type`; ambiguous keys are quoted. */
export function pathInWords(path: PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[\w$-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function misfitsOf(error: z.core.$ZodError): { errors: Misfit[]; total: number } {
  const errors = error.issues.slice(0, mostMisfits).flatMap(flattenIssue).slice(0, mostMisfits);
  return {
    errors: errors.map((issue) => ({
      path: pathInWords(issue.path),
      message: issue.message,
    })),
    total: Math.max(error.issues.length, errors.length),
  };
}

function summarize(part: string, errors: Misfit[], total: number): string {
  const sentences = errors
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? `it ${message}` : `${path} ${message}`))
    .join('; ');
  const rest = total > 3 ? `; and ${total - 3} more` : '';
  return `${part} is invalid: ${sentences}${rest}.`;
}

function refuseMisfits(part: string, errors: Misfit[], total: number): CountersignError {
  const text = summarize(parts[part] ?? 'The request', errors, total);
  return new CountersignError('invalid_request', text, {
    details: { errors, ...(total > errors.length ? { errors_total: total } : {}) },
  });
}

export function explainMisfit(
  part: string,
  path: PropertyKey[],
  message: string,
): CountersignError {
  return refuseMisfits(part, [{ path: pathInWords(path), message }], 1);
}

function findUnstorable(value: unknown): Misfit[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(
      ([key, item]) =>
        ![key, item].flat().every((one) => typeof one !== 'string' || isStorableText(one)),
    )
    .map(([key]) => ({ path: pathInWords([key]), message: unstorable }));
}

/**
 * Fails as `invalid_request` with `errors: [{ path, message }]`.
 * Bodies are parsed in slices and filled in place: the framework takes no value from a promise.
 */
export const validatorCompiler: FastifySchemaCompiler<z.core.$ZodType> =
  ({ schema, httpPart }) =>
  (value: unknown) => {
    // The framework's promise type has a brand for linters.
    if (httpPart === 'body' && isObject(value))
      return fillBody(schema, value) as unknown as SafePromiseLike<boolean>;
    const odd = httpPart === 'body' ? [] : findUnstorable(value);
    if (odd.length > 0) return { error: refuseMisfits(httpPart ?? '', odd, odd.length) };
    const result = z.core.safeParse(schema, value, { error: sayIssue });
    if (result.success) return { value: result.data };
    const { errors, total } = misfitsOf(result.error);
    return { error: refuseMisfits(httpPart ?? '', errors, total) };
  };

async function fillBody(schema: z.core.$ZodType, body: Record<string, unknown>): Promise<boolean> {
  const result = await parseInSlices(schema, body, { error: sayIssue });
  if (!result.success) {
    const { errors, total } = misfitsOf(result.error);
    throw refuseMisfits('body', errors, total);
  }
  for (const key of Object.keys(body)) delete body[key];
  Object.assign(body, result.data);
  return true;
}
