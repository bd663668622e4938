// Parses model tool calls and writes results. Never throws.
import canonicalize from 'canonicalize';
import { CountersignError } from '#domain/errors.ts';
import { parseRequestJson } from '#domain/json.ts';
import { JsonObject } from '#domain/text.ts';
import type { ChatMessage, ToolCall } from '#models/chat.ts';
import { maxShown } from '../reads/session-reads.ts';
import { fail, type ToolResult } from '../tool.ts';

export type Prepared =
  | { kind: 'ready'; call: ToolCall; args: JsonObject; reads: boolean }
  | { kind: 'settled'; call: ToolCall; args: JsonObject | null; result: ToolResult };

export type CallMemory = Map<string, number>;

/** Characters. */
const maxArguments = 400_000;

/** @param reads repeating gives the same result */
export function prepareCall(
  call: ToolCall,
  reads: (name: string) => boolean,
  memory: CallMemory,
): Prepared {
  const args =
    call.arguments.length > maxArguments
      ? 'The arguments are too long. Send less.'
      : readArguments(call.arguments);
  if (typeof args === 'string') return { kind: 'settled', call, args: null, result: fail(args) };
  const key = `${call.name} ${canonicalize(args) ?? ''}`;
  const times = (memory.get(key) ?? 0) + 1;
  memory.set(key, times);
  const looks = reads(call.name);
  if (times > 1 && looks) {
    const again = 'You made exactly this call before. Use its result above, or do something else.';
    return { kind: 'settled', call, args, result: fail(again) };
  }
  return { kind: 'ready', call, args, reads: looks };
}

/** @returns arguments, or a sentence on what is wrong */
export function readArguments(text: string): JsonObject | string {
  const none = 'The arguments are not a JSON object. Call the tool again with valid JSON.';
  try {
    const parsed = JsonObject.safeParse(parseRequestJson(text.trim() === '' ? '{}' : text));
    return parsed.success ? parsed.data : none;
  } catch (error) {
    return error instanceof CountersignError ? error.message : none;
  }
}

/** @param quotes the explanations quote outside text */
export function writeResult(call: ToolCall, result: ToolResult, quotes = false): ChatMessage {
  if (quotes) {
    const { ok, explanations, data } = result;
    // Unwrapped: reference paths begin here.
    const found = JSON.stringify(ok && data !== null ? data : { explanations });
    const content = `${JSON.stringify({ ok })}\n${wrapUntrusted(call.name, found)}`;
    return { role: 'tool', callId: call.id, content };
  }
  const { data, ...verdict } = result;
  const head = JSON.stringify(verdict);
  const body = data === null ? '' : `\n${wrapUntrusted(call.name, JSON.stringify(data))}`;
  return { role: 'tool', callId: call.id, content: head + body };
}

/** Marks outside text as data; it cannot close the mark. */
export function wrapUntrusted(source: string, text: string): string {
  const shown =
    text.length <= maxShown
      ? text
      : `${text.slice(0, maxShown)}… (${text.length - maxShown} more characters)`;
  return `<untrusted source="${source.replace(/[^\w-]/g, '_')}">\n${shown.replace(/<(?=\s*\/\s*untrusted)/gi, '<\\')}\n</untrusted>`;
}
