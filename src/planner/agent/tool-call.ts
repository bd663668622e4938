// One tool call in three phases: prepare (may it run, do its arguments fit), execute, finalise (what the model and the trace see).
// Whatever goes wrong comes back to the model as a result; nothing throws.
import canonicalize from 'canonicalize';
import type { Clock } from '#contracts/clock.ts';
import { errorMessage } from '#contracts/errors.ts';
import type { TraceEntry } from '#contracts/run.ts';
import { JsonObject } from '#contracts/text.ts';
import type { ChatMessage, ToolCall } from '#models/chat-model.ts';
import { traceStep } from '../outcomes.ts';
import { type AgentTool, fail, type ToolEffect, type ToolResult } from './agent-tool.ts';

export type Prepared<End> =
  | { kind: 'ready'; call: ToolCall; tool: AgentTool<End>; args: JsonObject }
  | { kind: 'settled'; call: ToolCall; result: ToolResult };

export type CallMemory = {
  /** How often each call, by name and arguments, has been made. */
  seen: Map<string, number>;
  produced: Set<string>;
};

/** Arguments beyond this are not parsed; no tool needs them. */
const argumentsAtMost = 400_000;
/** What the model sees of one result. */
const resultAtMost = 20_000;

export function prepareCall<End>(
  call: ToolCall,
  tools: AgentTool<End>[],
  memory: CallMemory,
): Prepared<End> {
  const settle = (result: ToolResult): Prepared<End> => ({ kind: 'settled', call, result });
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (!tool) {
    const names = tools.map((candidate) => candidate.name).join(', ');
    return settle(fail(`There is no tool ${call.name.slice(0, 100)}. There are: ${names}.`));
  }
  const lacking = tool.prerequisites.filter((name) => !memory.produced.has(name));
  if (lacking.length > 0) return settle(fail(`${tool.name} needs ${lacking.join(' and ')} first.`));
  if (call.arguments.length > argumentsAtMost)
    return settle(fail('The arguments are too long. Send less.'));
  const args = parseArguments(call.arguments);
  if (args === null) {
    return settle(
      fail('The arguments are not a JSON object. Call the tool again with valid JSON.'),
    );
  }
  const key = `${tool.name} ${canonicalize(args) ?? ''}`;
  const times = (memory.seen.get(key) ?? 0) + 1;
  memory.seen.set(key, times);
  if (times > 1) {
    return settle(
      fail(
        'You made exactly this call before; its result stands above. Use it, or do something else.',
      ),
    );
  }
  const problems = tool.check(args);
  if (problems.length > 0) return settle(fail(...problems));
  return { kind: 'ready', call, tool, args };
}

function parseArguments(text: string): JsonObject | null {
  try {
    const parsed = JsonObject.safeParse(JSON.parse(text.trim() === '' ? '{}' : text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // the model is told so
  }
}

export async function executeCall<End>(
  prepared: Prepared<End>,
  signal: AbortSignal,
): Promise<ToolEffect<End>> {
  if (prepared.kind === 'settled') return { result: prepared.result };
  try {
    return await prepared.tool.run(prepared.args, signal);
  } catch (error) {
    return { result: fail(errorMessage(error)) };
  }
}

/** The message for the model and the line for the trace. What a tool gave is marked as data. */
export function finaliseCall<End>(
  prepared: Prepared<End>,
  effect: ToolEffect<End>,
  stage: string,
  startedAt: Date,
  clock: Clock,
): { message: ChatMessage; entry: TraceEntry } {
  const { result } = effect;
  const { data, ...verdict } = result;
  const head = JSON.stringify(verdict);
  const body = data === null ? '' : `\n${wrapUntrusted(prepared.call.name, JSON.stringify(data))}`;
  return {
    message: { role: 'tool', tool_call_id: prepared.call.id, content: head + body },
    entry: traceStep({
      stage,
      tool: prepared.call.name.slice(0, 200),
      startedAt,
      endedAt: clock.now(),
      ok: result.ok,
      confidence: result.confidence,
      explanation: result.explanations.join(' ') || (result.ok ? 'done' : 'failed'),
    }),
  };
}

/** Marks text from elsewhere as data; it cannot close its own mark. */
export function wrapUntrusted(source: string, text: string): string {
  const shown =
    text.length <= resultAtMost
      ? text
      : `${text.slice(0, resultAtMost)}… (${text.length - resultAtMost} more characters)`;
  return `<untrusted source="${source.replace(/[^\w-]/g, '_')}">\n${shown.replaceAll('</untrusted', '<\\/untrusted')}\n</untrusted>`;
}
