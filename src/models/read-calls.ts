// Reads calls as servers really write them, repairing the unambiguous.
import { z } from 'zod';
import { parseShallowJson } from '#domain/json.ts';
import { isObject, JsonObject } from '#domain/text.ts';
import type { ChatTool, ToolCall } from './chat.ts';
import { repairJson } from './repair-json.ts';

export type RawCall = {
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
  extra?: JsonObject | undefined;
};

/** OpenAI's wrapper for parallel calls, emitted literally by older models. */
const parallel = 'multi_tool_use_parallel';
const Parallel = z.object({
  tool_uses: z
    .array(z.object({ recipient_name: z.string(), parameters: JsonObject.nullish() }))
    .min(1)
    .max(128),
});

/** Before a tool's name. */
const namespace = /^(?:functions?|tools?|default_api|api)[.:/]+/i;
/** Chat template tokens and numbers. */
const trailing = /(?:<\|[^|<>]{0,40}\|>[^<>]{0,40}|:\d{1,6})$/;
const longestName = 300;

/** Lower-case letters and digits. */
function bareName(name: string): string {
  return name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .join('_');
}

/** `name` itself if none or several match. */
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

/** As JSON; the input if it can't be an object. */
function readArguments(given: unknown, tool: ChatTool | undefined): string {
  if (given === null || given === undefined) return '';
  if (typeof given !== 'string') return decodeInner(JSON.stringify(given), tool);
  if (['', 'null', '""', "''"].includes(given.trim())) return '';
  const text = repairJson(given);
  return text === null ? given : decodeInner(text, tool);
}

/** Sent as JSON text, unless the tool accepts text. */
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
    // Longer numbers would lose digits.
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
    return undefined; // Validation tells the model.
  }
}

/** @param turn keeps generated IDs unique */
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
    // Ends the first call.
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
