// The chunks of a streamed chat completion, put together to the reply that would have come in one piece. Servers differ in how they
// write calls: whole or in parts, with an index or without, all under one index.
import { z } from 'zod';
import { watchArguments } from './arguments-watch.ts';
import type { Assembly, ChatRequest } from './chat.ts';
import { findError } from './openai.ts';

const CallDelta = z.looseObject({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
    })
    .nullish(),
});
type CallDelta = z.infer<typeof CallDelta>;

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const Delta = z.object({
  content: z.union([z.string(), z.array(z.unknown())]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.unknown().optional(),
  tool_calls: z.array(CallDelta).nullish(),
});
const Chunk = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: Delta.nullish(),
        /** In place of the delta, from servers that only seem to stream. */
        message: Delta.nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
});

type Call = {
  index: number | null;
  id: string;
  name: string;
  arguments: string;
  watch: ReturnType<typeof watchArguments>;
  extra: object;
};

export function assembleChunks(onProgress: ChatRequest['onProgress']): Assembly {
  let content = '';
  let refusal = '';
  let thoughts = '';
  const calls: Call[] = [];
  let finish: string | null = null;
  let usage: unknown = null;
  let failure: { message: string } | null = null;
  const names: { id?: string; model?: string } = {};

  function takeCall(delta: CallDelta): void {
    const { index, id, function: called, type: _, ...extra } = delta;
    let call = findCall(calls, delta);
    if (call === undefined) {
      call = {
        index: index ?? null,
        id: '',
        name: '',
        arguments: '',
        watch: watchArguments(),
        extra,
      };
      calls.push(call);
    }
    call.id ||= id ?? '';
    call.name ||= called?.name ?? '';
    call.extra = { ...call.extra, ...extra };
    const given = called?.arguments ?? '';
    const piece = typeof given === 'string' ? given : JSON.stringify(given);
    call.arguments += piece;
    call.watch.take(piece);
  }

  function takeDelta(delta: z.infer<typeof Delta>): void {
    const { content: said, reasoning, tool_calls } = delta;
    if (typeof said === 'string') content += said;
    else for (const part of said ?? []) content += TextPart.safeParse(part).data?.text ?? '';
    refusal += delta.refusal ?? '';
    thoughts += delta.reasoning_content ?? (typeof reasoning === 'string' ? reasoning : '');
    if (!tool_calls || tool_calls.length === 0) return;
    for (const call of tool_calls) takeCall(call);
    onProgress?.(calls.map(({ name, watch }) => ({ name, items: watch.items() })));
  }

  return {
    take(event) {
      if (isFailure(event)) {
        failure = findError(event);
        return true;
      }
      const chunk = Chunk.safeParse(event).data;
      const choice = chunk?.choices?.[0];
      const delta = choice?.delta ?? choice?.message;
      if (delta) takeDelta(delta);
      finish = choice?.finish_reason || finish;
      usage = chunk?.usage ?? usage;
      if (chunk?.id) names.id = chunk.id;
      if (chunk?.model) names.model = chunk.model;
      return false;
    },
    finish(ended) {
      if (failure !== null) return { error: failure };
      if (!ended && finish === null) return null;
      const message = {
        content,
        refusal: refusal || null,
        reasoning_content: thoughts,
        tool_calls: calls.map(({ id, name, arguments: args, extra }) => ({
          ...extra,
          id,
          function: { name, arguments: args },
        })),
      };
      return { ...names, choices: [{ message, finish_reason: finish }], usage };
    },
    written: () => [thoughts, content, ...calls.map((call) => call.arguments)].join('\n'),
  };
}

/** The call that `delta` goes on with; undefined: it begins another. */
function findCall(calls: Call[], { index, id, function: called }: CallDelta): Call | undefined {
  const known = id ? calls.find((call) => call.id === id) : undefined;
  if (known !== undefined) return known;
  const open =
    typeof index === 'number' ? calls.findLast((call) => call.index === index) : calls.at(-1);
  if (open === undefined || !called?.name) return open;
  // Gemini numbers no calls or gives all the same number: one with a name of its own, or behind a whole one, is another.
  const isOther = (id && open.id !== '') || open.watch.isWhole() || typeof index !== 'number';
  return isOther ? undefined : open;
}

/** An error comes in place of a chunk; some servers write `error: null` into every one. */
function isFailure(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  return (
    ('error' in event && Boolean(event.error)) || ('object' in event && event.object === 'error')
  );
}
