// A stage's agent loop (B3): tool calls within caps on calls, time and cost.
import { isDatabaseAway } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import type { CallProgress, ChatMessage, ChatReply } from '#models/chat.ts';
import type { Cap, Exceeded, PaidModel } from '../budget/budget.ts';
import type { AgentTools } from '../reasoner.ts';
import { fail, type ToolResult } from '../tool.ts';
import { traceStep } from '../trace-step.ts';
import { type CallMemory, type Prepared, prepareCall, writeResult } from './tool-call.ts';

export type AgentRun = {
  model: PaidModel;
  tools: AgentTools;
  messages: ChatMessage[];
  calls: number;
  /** Epoch milliseconds. */
  deadline: number;
  softLifted: boolean;
  signal: AbortSignal;
  clock: Clock;
  /** Prompt-cache key. */
  cacheKey: string;
  readJoined?: () => Promise<string[]>;
};

export type AgentEnd =
  | { kind: 'ended'; event: StageEvent }
  | { kind: 'text'; text: string }
  | { kind: 'refused'; text: string }
  | { kind: 'capped'; cap: Cap }
  | Exceeded
  | { kind: 'failed'; text: string }
  | { kind: 'cancelled' };

export type AgentReport = {
  end: AgentEnd;
  used: string[];
  messages: ChatMessage[];
};

const callsATurn = 32;
/** Per reply, reasoning included. */
const outputTokens = 12_288;
/** This many identical calls end the run. */
const maxRepeats = 3;
/** Characters of text kept in the history next to calls. */
const rememberedText = 20_000;
/** Servers take at most 128 tools; the first ones are the stage's own. */
const maxTools = 128;

type State = {
  deadline: number;
  messages: ChatMessage[];
  memory: CallMemory;
  calls: number;
  silent: number;
  talked: number;
  cut: number;
  used: Set<string>;
};

export async function runAgent(run: AgentRun): Promise<AgentReport> {
  const state: State = {
    deadline: run.deadline,
    messages: [...run.messages],
    memory: new Map(),
    calls: 0,
    silent: 0,
    talked: 0,
    cut: 0,
    used: new Set(),
  };
  let end: AgentEnd | null = null;
  while (end === null) end = await takeTurn(run, state);
  return { end, used: [...state.used], messages: state.messages };
}

async function takeTurn(run: AgentRun, state: State): Promise<AgentEnd | null> {
  const { model, tools, signal, clock } = run;
  const { deadline } = state;
  if (signal.aborted) return { kind: 'cancelled' };
  if (clock.now().getTime() >= deadline) return { kind: 'capped', cap: 'time' };
  if (state.calls >= run.calls) return { kind: 'capped', cap: 'turns' };
  for (const content of (await run.readJoined?.()) ?? [])
    state.messages.push({ role: 'user', content });
  const request = {
    messages: state.messages,
    tools: tools.offered().slice(0, maxTools),
    // Text outside calls reaches no one.
    mustCall: true as const,
    maxOutputTokens: outputTokens,
    cacheKey: run.cacheKey,
    deadline,
    onProgress: (calls: CallProgress[]) => tools.reportDraft(countSteps(calls)),
  };
  const startedAt = clock.now();
  const trace = (ok: boolean, explanation: string, cost: number, remembered: boolean) =>
    tools.note({
      ...traceStep({
        stage: tools.stage,
        tool: model.name,
        startedAt,
        endedAt: clock.now(),
        ok,
        ...(ok ? {} : { confidence: 0 }),
        cost,
        explanation,
      }),
      ...(remembered ? { remembered } : {}),
    });
  state.calls += 1;
  tools.reportDraft(0);
  let reply: ChatReply;
  try {
    const { softLifted } = run;
    const paid = await model.complete(request, { stage: tools.stage, softLifted }, signal);
    if (paid.kind === 'exceeded') return paid;
    reply = paid.reply;
    const cost = paid.remembered ? 0 : reply.cost_usd;
    tools.pay(1, cost);
    trace(reply.refusal === null, describeReply(reply), cost, paid.remembered);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    tools.pay(1, 0);
    trace(false, errorMessage(error), 0, false);
    return endByError(error, signal);
  }
  if (reply.refusal !== null) return { kind: 'refused', text: reply.refusal };
  if (reply.finishReason === 'length') return pointOutCut(reply, state);
  if (reply.toolCalls.length === 0) return readText(reply, state);
  return callTools(run, state, reply);
}

function countSteps(calls: CallProgress[]): number {
  return calls.reduce((sum, { name, items }) => sum + (name === 'add_steps' ? items : 0), 0);
}

function endByError(error: unknown, signal: AbortSignal): AgentEnd {
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

/** Pointed out once: text without a call, or an empty reply. */
function readText(reply: ChatReply, state: State): AgentEnd | null {
  const text = reply.content.trim();
  if (text !== '') {
    if (reply.finishReason === 'content_filter') return { kind: 'refused', text };
    state.talked += 1;
    if (state.talked > 1) return { kind: 'text', text };
    state.messages.push(
      {
        role: 'assistant',
        content: text.slice(0, rememberedText).toWellFormed(),
        thoughts: reply.thoughts,
      },
      {
        role: 'user',
        content:
          'That reached nobody, and nothing has been done. Put what the person should read into "answer", and work into the draft.',
      },
    );
    return null;
  }
  if (reply.finishReason === 'content_filter')
    return { kind: 'refused', text: 'The model server filtered the answer.' };
  state.silent += 1;
  if (state.silent > 1) return { kind: 'capped', cap: 'silence' };
  state.messages.push({
    role: 'user',
    content: 'Your reply was empty. Call a tool; to reply to the person, call "answer".',
  });
  return null;
}

/** A cut reply may hold incomplete calls; ask once for less. */
function pointOutCut(reply: ChatReply, state: State): AgentEnd | null {
  state.cut += 1;
  if (state.cut > 1) return { kind: 'capped', cap: 'length' };
  const text = reply.content.trim().slice(0, rememberedText).toWellFormed();
  if (text !== '') state.messages.push({ role: 'assistant', content: text });
  state.messages.push({
    role: 'user',
    content:
      'Your answer was cut off at its length limit, and nothing of it was carried out. Think less, and do it in smaller parts: a few steps or nodes a call.',
  });
  return null;
}

async function callTools(run: AgentRun, state: State, reply: ChatReply): Promise<AgentEnd | null> {
  const { tools } = run;
  const prepared = reply.toolCalls
    .slice(0, callsATurn)
    .map((call) => prepareCall(call, (name) => tools.find(name)?.reads === true, state.memory));
  state.messages.push({
    role: 'assistant',
    content: reply.content.slice(0, rememberedText).toWellFormed(),
    toolCalls: prepared.map(({ call, args }) => ({
      ...call,
      name: rememberName(call.name),
      // Servers reject arguments that are no JSON object.
      arguments: args === null ? '{}' : call.arguments,
    })),
    items: reply.items,
    thoughts: reply.thoughts,
  });
  const inTime = () => {
    const left = Math.max(1, state.deadline - run.clock.now().getTime());
    return AbortSignal.any([run.signal, AbortSignal.timeout(left)]);
  };
  let signal = inTime();
  let event: StageEvent | null = null;
  for (const group of groupCalls(prepared)) {
    const results = await Promise.all(
      group.map(async (call) => {
        if (event !== null) return { result: settle(run, call, 'The stage was over by then.') };
        if (call.kind === 'settled') return { result: settle(run, call, call.result) };
        const { name } = call.call;
        if (tools.find(name)?.waits !== true) return tools.call(name, call.args, signal);
        const began = run.clock.now().getTime();
        const answer = await tools.call(name, call.args, run.signal);
        state.deadline += run.clock.now().getTime() - began;
        signal = inTime();
        return answer;
      }),
    );
    for (const [index, answer] of results.entries()) {
      const one = group[index];
      if (one === undefined) continue;
      const reads = one.kind === 'ready' && one.reads;
      const tool = tools.find(one.call.name);
      const quotes = tool?.reads === true || tool?.quotes === true;
      state.messages.push(writeResult(one.call, answer.result, quotes));
      if (answer.result.ok) state.used.add(nameUsed(one));
      // A changed draft gives the same call another meaning.
      if (answer.result.ok && !reads) state.memory.clear();
      if ('ends' in answer && answer.ends !== undefined) event ??= answer.ends;
    }
  }
  if (event !== null) return { kind: 'ended', event };
  if ([...state.memory.values()].some((times) => times >= maxRepeats))
    return { kind: 'capped', cap: 'repeats' };
  return null;
}

function nameUsed(one: Prepared): string {
  const { operation = null } = one.kind === 'ready' && one.reads ? one.args : {};
  return typeof operation === 'string' ? operation : one.call.name;
}

/** Adjacent reads run together; calls that may build on each other don't. */
function groupCalls(prepared: Prepared[]): Prepared[][] {
  const groups: Prepared[][] = [];
  let lastReads = false;
  for (const call of prepared) {
    const reads = call.kind === 'ready' && call.reads;
    const last = groups.at(-1);
    if (reads && lastReads && last !== undefined) last.push(call);
    else groups.push([call]);
    lastReads = reads;
  }
  return groups;
}

function settle(run: AgentRun, { call }: Prepared, why: string | ToolResult): ToolResult {
  const result = typeof why === 'string' ? fail(`${why} This was not called.`) : why;
  const at = run.clock.now();
  run.tools.note(
    traceStep({
      stage: run.tools.stage,
      tool: call.name.slice(0, 200),
      startedAt: at,
      endedAt: at,
      ok: false,
      confidence: 0,
      explanation: result.explanations.join(' '),
    }),
  );
  return result;
}

/** Servers reject invalid tool names. */
function rememberName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
}
