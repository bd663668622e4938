// Resolves references in arguments to outputs and artifacts.
import { CountersignError } from '#domain/errors.ts';
import { substitute } from '#domain/plan/arguments.ts';
import { isObject, type Json, type JsonObject, parseJson } from '#domain/text.ts';
import { isShortened } from './limit-output.ts';

/** `$decide` values stay. @param whole refuses cut values @throws `invalid_reference` */
export function resolveReferences(
  args: JsonObject,
  outputs: ReadonlyMap<string, Json>,
  artifacts: ReadonlyMap<string, Json> = new Map(),
  { whole = false }: { whole?: boolean } = {},
): JsonObject {
  const find = (
    name: string,
    source: string,
    missing: string,
    value: Json | undefined,
    path: string,
  ): Json => {
    if (value === undefined) throw invalid(`The argument ${name} needs ${source}, ${missing}.`);
    const found = readPointer(value, path);
    if (found.ok && whole && isShortened(value, readTokens(path) ?? [], found.value))
      throw invalid(
        `The argument ${name} needs ${source}, which was cut because it is long, so nothing was called: the rest would be lost. Use workspace_copy or workspace_edit, or read less at a time.`,
      );
    if (found.ok) return found.value;
    const where = path === '' ? source : `${path} of ${source}`;
    throw invalid(`The argument ${name} needs ${where}: ${found.reason}.`);
  };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      substitute(
        value,
        ({ $from, path }) =>
          find(name, `the output of step ${$from}`, 'which has none', outputs.get($from), path),
        (argument) => argument,
        ({ $artifact, path }) =>
          find(name, `artifact ${$artifact}`, 'which is not there', artifacts.get($artifact), path),
      ),
    ]),
  );
}

export type PointerResult = { ok: true; value: Json } | { ok: false; reason: string };

export function readTokens(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  const tokens = pointer.slice(1).split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function toPointer(tokens: string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** RFC 6901. */
export function readPointer(value: Json, pointer: string): PointerResult {
  const tokens = readTokens(pointer);
  if (tokens === null) return { ok: false, reason: 'it is not a JSON pointer' };
  let current: Json = value;
  for (const [index, key] of tokens.entries()) {
    const next = readMember(current, key);
    if (next === undefined) {
      const walked = toPointer(tokens.slice(0, index));
      return { ok: false, reason: describeMiss(current, key, walked) };
    }
    current = next;
  }
  return { ok: true, value: current };
}

function readMember(value: Json, key: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  if (Object.hasOwn(value, key)) return value[key];
  const inside = readJsonText(value);
  return inside === null ? undefined : readMember(inside, key);
}

/** By output: a step may take many values of one. */
const jsonTexts = new WeakMap<object, JsonObject | Json[] | null>();

/** JSON in an output's text, as from MCP servers without output schemas; its members count as the output's. */
export function readJsonText(output: Json): JsonObject | Json[] | null {
  if (!isObject(output) || typeof output.text !== 'string') return null;
  const known = jsonTexts.get(output);
  if (known !== undefined) return known;
  const isAll = Object.keys(output).every((key) => key === 'text' || key === 'attachments');
  const parsed = isAll && /^\s*[[{]/.test(output.text) ? parseJson(output.text) : null;
  const inside = Array.isArray(parsed) || isObject(parsed) ? parsed : null;
  jsonTexts.set(output, inside);
  return inside;
}

function describeMiss(value: Json, key: string, walked: string): string {
  const where = walked === '' ? 'the output' : walked;
  if (value === null) return `${where} is empty`;
  if (Array.isArray(value))
    return `${where} is a list of ${value.length} and has no item ${JSON.stringify(key)}`;
  if (typeof value !== 'object') return `${where} is not an object or a list`;
  const keys = Object.keys({ ...readJsonText(value), ...value });
  const has = keys.length === 0 ? 'is empty' : `has only ${keys.slice(0, 8).join(', ')}`;
  return `there is no ${JSON.stringify(key)}; ${where} ${has}`;
}

function invalid(message: string): CountersignError {
  return new CountersignError('invalid_reference', message);
}
