// The calls of a reply, as servers and models really write them: without ids, under decorated names, with arguments that are
// objects, encoded twice, repeated, or nearly JSON. Only what has one meaning is mended; the rest goes back to the model as it is.
import { z } from 'zod';
import { parseShallowJson } from '#domain/json.ts';
import { isObject, JsonObject } from '#domain/text.ts';
import type { ChatTool, ToolCall } from './chat.ts';
import { repairJson } from './repair-json.ts';

/** A call before it is read. `name` and `arguments` are what the server sent there. */
export type RawCall = {
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
  extra?: JsonObject | undefined;
};

/** OpenAI's wrapper of several calls, which its older models write by themselves. */
const parallel = 'multi_tool_use_parallel';
const Parallel = z.object({
  tool_uses: z
    .array(z.object({ recipient_name: z.string(), parameters: JsonObject.nullish() }))
    .min(1)
    .max(128),
});

/** Names of namespaces that models put before a tool's own. */
const namespace = /^(?:functions?|tools?|default_api|api)[.:/]+/i;
/** Marks of chat templates, and the number of the call. */
const trailing = /(?:<\|[^|<>]{0,40}\|>[^<>]{0,40}|:\d{1,6})$/;
const longestName = 300;

/** Letters and digits in lower case: what is left of a name that is written another way. */
function bareName(name: string): string {
  return name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .join('_');
}

/** The name of an offered tool that `name` means; `name` itself if it means none or more than one. */
function resolveName(name: string, offered: ReadonlyMap<string, ChatTool>): string {
  const given = name.slice(0, longestName).trim();
  if (offered.has(name)) return name;
  if (offered.has(given)) return given;
  const stripped = given.replace(trailing, '').replace(namespace, '').trim();
  if (offered.has(stripped)) return stripped;
  const bare = bareName(stripped);
  const meant = [...offered.keys()].filter((one) => bareName(one) === bare);
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : name;
}

/** The JSON text of an object; as it came if it is none and means none. */
function readArguments(given: unknown, tool: ChatTool | undefined): string {
  if (given === null || given === undefined) return '';
  if (typeof given !== 'string') return decodeInner(JSON.stringify(given), tool);
  if (['', 'null', '""', "''"].includes(given.trim())) return '';
  const text = repairJson(given);
  return text === null ? given : decodeInner(text, tool);
}

/** Lists and objects that were written as JSON text where the tool takes no text. */
function decodeInner(text: string, tool: ChatTool | undefined): string {
  const args = JsonObject.safeParse(parse(text)).data;
  const properties = tool?.parameters.properties;
  if (args === undefined || !isObject(properties)) return text;
  const decoded = Object.entries(args).flatMap(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const type = isObject(schema) ? schema.type : undefined;
    if (typeof value !== 'string' || (type !== 'array' && type !== 'object')) return [];
    const inner = parse(value);
    const fits = type === 'array' ? Array.isArray(inner) : isObject(inner);
    // A number of so many digits would not survive being written again.
    return fits && !/\d{16}/.test(text) ? [[name, inner]] : [];
  });
  return decoded.length === 0 ? text : JSON.stringify({ ...args, ...Object.fromEntries(decoded) });
}

function splitParallel(call: ToolCall): ToolCall[] {
  const inner = Parallel.safeParse(parse(call.arguments)).data;
  if (inner === undefined) return [call];
  return inner.tool_uses.map(({ recipient_name: name, parameters }, index) => ({
    id: `${call.id}_${index}`,
    name,
    arguments: JSON.stringify(parameters ?? {}),
    ...(index === 0 && call.extra !== undefined ? { extra: call.extra } : {}),
  }));
}

function parse(text: string): unknown {
  try {
    return parseShallowJson(text);
  } catch {
    return undefined; // Passed on as it is; validation tells the model.
  }
}

/** @param turn keeps made-up ids apart from those of other replies in the conversation */
export function readCalls(raw: RawCall[], tools: ChatTool[], turn: number): ToolCall[] {
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const calls: ToolCall[] = [];
  const ids = new Set<string>();
  for (const [index, one] of raw.entries()) {
    const id = typeof one.id === 'string' || typeof one.id === 'number' ? String(one.id) : '';
    const name = resolveName(typeof one.name === 'string' ? one.name : '', offered);
    const args = readArguments(one.arguments, offered.get(name));
    const same = calls.some(
      (call) => (id === '' || call.id === id) && call.name === name && call.arguments === args,
    );
    // The same call again, without an id of its own, is the end of the first.
    if (same) continue;
    const own = id === '' || ids.has(id) ? `call_${turn}_${index}` : id;
    ids.add(own);
    const call = { id: own, name, arguments: args, ...(one.extra ? { extra: one.extra } : {}) };
    calls.push(call);
  }
  return calls.flatMap((call) =>
    bareName(call.name) === parallel
      ? splitParallel(call).map((inner) => ({ ...inner, name: resolveName(inner.name, offered) }))
      : [call],
  );
}
