// Reads arguments of `call NAME with …` by the operation's schema.
import { isObject, type Json, type JsonObject, parseJson } from '#domain/text.ts';
import type { JsonSchema, OperationSpec } from '#domain/tool.ts';
import { listOf, shorten } from '#domain/words.ts';
import { exampleOf, isNested } from '#tools/example-arguments.ts';
import { readChoice, readReply } from '../commands/answers.ts';
import { type Command, CommandRefusal } from '../commands/request.ts';
import type { Questions } from './questions.ts';

/** Above this, the whole command is shown instead. */
const maxAsked = 3;

/** To copy, with example values for required arguments. */
export function showCall(spec: OperationSpec): string {
  const { args, optional } = exampleOf(spec);
  const suffix = Object.keys(args).length === 0 ? '' : ` with ${JSON.stringify(args)}`;
  const more =
    optional.length === 0
      ? ''
      : `\n\nOptional arguments: ${listOf(optional.slice(0, 20).map((name) => shorten(name, 60)))}.`;
  return `call ${spec.name}${suffix}${more}`;
}

/** @param at the command's place, used in question IDs */
export function readCall(
  { slots }: Command,
  spec: OperationSpec,
  at: number,
  questions: Questions,
): JsonObject {
  const given = isObject(slots.values.args) ? slots.values.args : {};
  const properties = isObject(spec.input.properties) ? spec.input.properties : {};
  const required = Array.isArray(spec.input.required) ? spec.input.required.map(String) : [];
  const schemaOf = (name: string): JsonSchema => {
    const schema: unknown = properties[name];
    return isObject(schema) ? schema : {};
  };
  const args: JsonObject = {};
  const open: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(properties, name) && !takesMore(spec.input))
      throw new CommandRefusal(
        `${spec.name} has no argument “${shorten(name, 60)}”. It takes ${listOf(Object.keys(properties)) || 'none'}.`,
      );
    const written = isObject(value) && typeof value.$written === 'string' ? value.$written : null;
    const read = written === null ? value : coerce(written, schemaOf(name));
    if (read !== undefined) args[name] = read;
    else open.push(name);
  }
  for (const name of required)
    if (
      args[name] === undefined &&
      !Object.hasOwn(given, name) &&
      schemaOf(name).default === undefined
    )
      open.push(name);
  if (open.length > maxAsked || open.some((name) => isNested(schemaOf(name))))
    throw new CommandRefusal(
      `${spec.name} still needs ${listOf(open.map((name) => `“${shorten(name, 60)}”`))}. Copy this, fill in your values and send it:\n\n${showCall(spec)}\n\n`,
    );
  for (const name of open) {
    const value = askForArgument(spec, name, schemaOf(name), at, questions);
    if (value !== undefined) args[name] = value;
  }
  return args;
}

const moreKeys = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'];

/** Most servers ignore unknown arguments without saying so in their schema. */
function takesMore({ additionalProperties, ...schema }: JsonSchema): boolean {
  if (additionalProperties !== undefined) return additionalProperties !== false;
  return !isObject(schema.properties) || moreKeys.some((key) => Object.hasOwn(schema, key));
}

const kinds: Record<string, string> = {
  number: ' A number.',
  integer: ' A whole number.',
  boolean: ' Yes or no.',
  array: ' Separate several values with commas.',
};

function askForArgument(
  spec: OperationSpec,
  name: string,
  schema: JsonSchema,
  at: number,
  questions: Questions,
): Json | undefined {
  const values = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  const kind = typeof schema.type === 'string' ? (kinds[schema.type] ?? '') : '';
  return questions.ask(
    {
      id: `argument ${at} ${name}`.slice(0, 200),
      text: `What should “${shorten(name, 80)}” be for ${spec.name}?${values.length > 0 ? ` One of ${listOf(values.slice(0, 20), 'or')}.` : kind}`,
      ...(values.length > 1 && values.length <= 4 ? { options: values } : {}),
    },
    (reply) =>
      values.length > 0 ? (readChoice(reply, values) ?? undefined) : coerceReply(reply, schema),
  );
}

/** Undefined if it does not fit the type. */
function coerce(written: string, { type, enum: values }: JsonSchema): Json | undefined {
  if (Array.isArray(values)) {
    const found: unknown = values.find(
      (one) => String(one).toLowerCase() === written.toLowerCase(),
    );
    return found === undefined ? undefined : parseJson(JSON.stringify(found));
  }
  if (type === 'string') return written;
  const json = parseJson(written);
  if (type === undefined || Array.isArray(type)) return json ?? written;
  const is = Array.isArray(json) ? 'array' : json === null ? 'null' : typeof json;
  const fits = type === 'integer' ? Number.isInteger(json) : is === type;
  return fits ? json : undefined;
}

function coerceReply(reply: string, schema: JsonSchema): Json | undefined {
  const text = readReply(reply, 'text', { now: new Date(0), timezone: 'UTC' });
  if (schema.type === 'boolean') {
    const word = /\b(yes|true|no|false)\b/i.exec(reply)?.[1]?.toLowerCase();
    return word === undefined ? undefined : word === 'yes' || word === 'true';
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const [only, ...more] = reply.match(/-?\d+(?:\.\d+)?/g) ?? [];
    return more.length > 0 || only === undefined ? undefined : coerce(only, schema);
  }
  if (schema.type === 'array') {
    const list = coerce(String(text), schema);
    return (
      list ??
      String(text)
        .split(/,\s?|\sand\s/)
        .map((one) => one.trim())
    );
  }
  return coerce(String(text), schema);
}
