// The inner loop: the model acts through tools only, within caps on turns, time and cost. Each way to stop has a name.
// A controller runs it once a stage with that stage's tools; it keeps nothing between runs.
import type { Clock } from '#contracts/clock.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { TraceEntry } from '#contracts/run.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatTool } from '#models/chat-model.ts';
import { traceStep } from '../outcomes.ts';
import type { AgentTool } from './agent-tool.ts';
import { type CallMemory, executeCall, finaliseCall, prepareCall } from './tool-call.ts';

type AgentCaps = {
  turns: number;
  /** Milliseconds since the epoch. */
  deadline: number;
  /** US dollars this run may still cost. */
  budget: number;
};

export type AgentRun<End> = {
  model: ChatModel;
  tools: AgentTool<End>[];
  messages: ChatMessage[];
  caps: AgentCaps;
  stage: string;
  signal: AbortSignal;
  clock: Clock;
  produced?: Iterable<string>;
};

export type Cap = 'turns' | 'time' | 'cost' | 'repeats' | 'silence';

type AgentEnd<End> =
  | { kind: 'ended'; by: string; value: End }
  /** Free text: shown to the person, never acted on. */
  | { kind: 'said'; text: string }
  | { kind: 'refused'; text: string }
  | { kind: 'capped'; cap: Cap }
  | { kind: 'failed'; text: string }
  | { kind: 'cancelled' };

export type AgentReport<End> = {
  end: AgentEnd<End>;
  turns: number;
  cost_usd: number;
  trace: TraceEntry[];
  /** Names of the tools that did their work. */
  used: string[];
  produced: string[];
};

const callsATurn = 32;
const outputTokens = 8192;
/** The same call so many times ends the run. */
const repeatsAtMost = 3;
/** Arguments beyond this are not sent back to the model with the history. */
const rememberedArguments = 20_000;

type State<End> = {
  messages: ChatMessage[];
  memory: CallMemory;
  turns: number;
  cost: number;
  silent: number;
  trace: TraceEntry[];
  used: Set<string>;
  end: AgentEnd<End> | null;
};

/** Must not throw. */
export async function runAgent<End>(run: AgentRun<End>): Promise<AgentReport<End>> {
  const state: State<End> = {
    messages: [...run.messages],
    memory: { seen: new Map(), produced: new Set(run.produced) },
    turns: 0,
    cost: 0,
    silent: 0,
    trace: [],
    used: new Set(),
    end: null,
  };
  let end: AgentEnd<End> | null = null;
  while (end === null) end = await takeTurn(run, state);
  return {
    end,
    turns: state.turns,
    cost_usd: state.cost,
    trace: state.trace,
    used: [...state.used],
    produced: [...state.memory.produced],
  };
}

async function takeTurn<End>(run: AgentRun<End>, state: State<End>): Promise<AgentEnd<End> | null> {
  const { model, caps, signal, clock } = run;
  if (signal.aborted) return { kind: 'cancelled' };
  if (clock.now().getTime() >= caps.deadline) return { kind: 'capped', cap: 'time' };
  if (state.turns >= caps.turns) return { kind: 'capped', cap: 'turns' };
  const offered = run.tools.filter((tool) =>
    tool.prerequisites.every((name) => state.memory.produced.has(name)),
  );
  const request = {
    messages: state.messages,
    tools: offered.map(toChatTool),
    maxOutputTokens: outputTokens,
    deadline: caps.deadline,
  };
  const startedAt = clock.now();
  let reply: ChatReply;
  try {
    const estimate = await model.estimateCost(request);
    if (state.cost + estimate > caps.budget) return { kind: 'capped', cap: 'cost' };
    state.turns += 1;
    reply = await model.complete(request, signal);
  } catch (error) {
    state.trace.push(
      traceStep({
        stage: run.stage,
        tool: model.name,
        startedAt,
        endedAt: clock.now(),
        ok: false,
        confidence: 0,
        explanation: errorMessage(error),
      }),
    );
    return endByError(error, signal);
  }
  state.cost += reply.cost_usd;
  state.trace.push(
    traceStep({
      stage: run.stage,
      tool: model.name,
      startedAt,
      endedAt: clock.now(),
      ok: reply.refusal === null,
      cost: reply.cost_usd,
      explanation: describeReply(reply),
    }),
  );
  if (reply.refusal !== null) return { kind: 'refused', text: reply.refusal };
  if (reply.toolCalls.length === 0) return readText(reply, state);
  return callTools(run, state, reply, offered);
}

function endByError<End>(error: unknown, signal: AbortSignal): AgentEnd<End> {
  if (signal.aborted) return { kind: 'cancelled' };
  if (error instanceof CountersignError && error.code === 'timed_out')
    return { kind: 'capped', cap: 'time' };
  if (error instanceof CountersignError && error.code === 'cancelled') return { kind: 'cancelled' };
  return { kind: 'failed', text: errorMessage(error) };
}

function describeReply(reply: ChatReply): string {
  const { input_tokens, output_tokens } = reply.usage;
  const what =
    reply.refusal !== null
      ? 'declined'
      : reply.toolCalls.length > 0
        ? `calls ${reply.toolCalls.map((call) => call.name.slice(0, 80)).join(', ')}`
        : 'says something';
  return `${what}; ${input_tokens} tokens in, ${output_tokens} out${reply.attempts > 1 ? `, ${reply.attempts} attempts` : ''}`;
}

/** Text without a call is an answer; nothing at all is pointed out once. */
function readText<End>(reply: ChatReply, state: State<End>): AgentEnd<End> | null {
  const text = reply.content.trim();
  if (text !== '') {
    if (reply.finishReason === 'content_filter') return { kind: 'refused', text };
    return { kind: 'said', text };
  }
  if (reply.finishReason === 'content_filter')
    return { kind: 'refused', text: 'The model server filtered the answer.' };
  state.silent += 1;
  if (state.silent > 1) return { kind: 'capped', cap: 'silence' };
  state.messages.push({
    role: 'user',
    content: 'Your answer was empty. Call a tool, or answer in words.',
  });
  return null;
}

async function callTools<End>(
  run: AgentRun<End>,
  state: State<End>,
  reply: ChatReply,
  offered: AgentTool<End>[],
): Promise<AgentEnd<End> | null> {
  const calls = reply.toolCalls.slice(0, callsATurn);
  state.messages.push({
    role: 'assistant',
    content: reply.content.slice(0, rememberedArguments) || null,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: rememberArguments(call.arguments) },
    })),
  });
  const prepared = calls.map((call) => prepareCall(call, offered, state.memory));
  const left = Math.max(1, run.caps.deadline - run.clock.now().getTime());
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(left)]);
  const startedAt = run.clock.now();
  const effects = await Promise.all(prepared.map((call) => executeCall(call, signal)));
  let end: AgentEnd<End> | null = null;
  for (const [index, call] of prepared.entries()) {
    const effect = effects[index];
    if (!effect) continue;
    const { message, entry } = finaliseCall(call, effect, run.stage, startedAt, run.clock);
    state.messages.push(message);
    state.trace.push(entry);
    if (!effect.result.ok || call.kind !== 'ready') continue;
    state.used.add(call.call.name);
    for (const name of call.tool.produces) state.memory.produced.add(name);
    if (effect.ends !== undefined && end === null)
      end = { kind: 'ended', by: call.call.name, value: effect.ends };
  }
  if (end !== null) return end;
  if ([...state.memory.seen.values()].some((times) => times >= repeatsAtMost))
    return { kind: 'capped', cap: 'repeats' };
  return null;
}

/** Servers refuse a history with arguments that are no JSON; the result says what was wrong with them. */
function rememberArguments(text: string): string {
  if (text.length > rememberedArguments) return '{}';
  try {
    JSON.parse(text);
    return text;
  } catch {
    return '{}';
  }
}

function toChatTool<End>(tool: AgentTool<End>): ChatTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      ...(tool.strict ? { strict: true } : {}),
    },
  };
}
