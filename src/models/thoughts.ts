// Reasoning attached to chat completions; some servers require it back.
import { isObject, JsonObject } from '#domain/text.ts';
import type { Refused } from './chat.ts';

/** DeepSeek and Kimi, OpenRouter and Groq, GitHub, LiteLLM, Gemini. */
export const thoughtFields = [
  'reasoning_content',
  'reasoning_details',
  'reasoning_text',
  'reasoning_opaque',
  'thinking_blocks',
  'thought_signature',
  'extra_content',
  'reasoning',
  'thinking',
] as const;

/** With `content` if its parts are more than text. */
export function readThoughts(message: Record<string, unknown>): JsonObject | undefined {
  const { content } = message;
  const isRich =
    Array.isArray(content) && content.some((part) => isObject(part) && part.type === 'thinking');
  const kept = Object.fromEntries([
    ...thoughtFields.flatMap((name) => (message[name] == null ? [] : [[name, message[name]]])),
    ...(isRich ? [['content', content]] : []),
  ]);
  const thoughts = JsonObject.safeParse(kept);
  return thoughts.success && Object.keys(thoughts.data).length > 0 ? thoughts.data : undefined;
}

/** The server refuses messages without it. */
export const without = (name: string) => `without ${name}`;

/** Empty if required but absent. */
export function writeThoughts(thoughts: JsonObject = {}, refused: Refused): JsonObject {
  const demanded = thoughtFields.filter((name) => refused.has(without(name)) && !refused.has(name));
  return Object.fromEntries([
    ...demanded.map((name) => [name, '']),
    ...Object.entries(thoughts).filter(
      ([name]) => !refused.has(name === 'content' ? 'thinking' : name),
    ),
  ]);
}

/** Other texts are appended. */
const replaced = new Set(['type', 'id', 'index', 'format', 'signature', 'name', 'role']);
const recent = 64;

/** Mutates lists and objects. */
export function grow(known: unknown, piece: unknown): unknown {
  if (piece === null || piece === undefined) return known;
  if (typeof known === 'string' && typeof piece === 'string') return known + piece;
  if (Array.isArray(known) && Array.isArray(piece)) {
    for (const item of piece) growList(known, item);
    return known;
  }
  if (isObject(known) && isObject(piece)) {
    for (const [key, value] of Object.entries(piece)) {
      if (key === '__proto__') continue;
      if (!replaced.has(key)) known[key] = grow(known[key], value);
      else if (value !== null && value !== '') known[key] = value;
    }
    return known;
  }
  return piece;
}

/** Same index, else the last of its kind. */
function growList(list: unknown[], item: unknown): void {
  if (!isObject(item)) return void list.push(item);
  const continues = (one: unknown) =>
    isObject(one) &&
    one.type === item.type &&
    one.index === item.index &&
    (one.id == null || item.id == null || one.id === item.id);
  const open = item.index == null ? list.slice(-1) : list.slice(-recent);
  const known = open.findLast(continues);
  if (known === undefined) list.push(item);
  else grow(known, item);
}
