// Assembles a streamed chat completion, however servers split it.
import { z } from 'zod';
import { watchArguments } from './arguments-watch.ts';
import type { Assembly, ChatRequest } from './chat.ts';
import { findError, isFailure } from './client.ts';
import { grow, thoughtFields } from './thoughts.ts';

const Called = z.object({ name: z.string().nullish(), arguments: z.unknown().optional() });
const CallDelta = z.looseObject({
  index: z.int().nullish().catch(null),
  id: z.coerce.string().nullish().catch(null),
  function: Called.nullish().catch(null),
});
type CallDelta = z.infer<typeof CallDelta>;

const Delta = z.looseObject({
  content: z
    .union([z.string(), z.array(z.unknown())])
    .nullish()
    .catch(null),
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(CallDelta).nullish().catch(null),
  /** Deprecated, for a single call. */
  function_call: Called.nullish().catch(null),
});
const Chunk = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish().catch(null),
        delta: Delta.nullish().catch(null),
        message: Delta.nullish().catch(null),
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
  let content: string | unknown[] = '';
  let refusal = '';
  const thoughts: Record<string, unknown> = {};
  let calls: Call[] = [];
  let finish: string | null = null;
  let usage: unknown = null;
  let failure: { message: string } | null = null;
  const names: { id?: string; model?: string } = {};

  function takeCall(delta: CallDelta): void {
    const { index, id, function: fn, type: _, ...extra } = delta;
    const given = fn?.arguments ?? '';
    const piece = typeof given === 'string' ? given : JSON.stringify(given);
    let call = findCall(calls, delta, piece);
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
    call.name ||= fn?.name ?? '';
    call.extra = { ...call.extra, ...extra };
    if (isRepeatedPiece(call, piece)) return;
    call.arguments += piece;
    call.watch.take(piece);
  }

  function takeContent(piece: string | unknown[]): void {
    if (typeof content === 'string' && typeof piece === 'string') content += piece;
    else content = grow(asParts(content), asParts(piece)) as unknown[];
  }

  function takeDelta(delta: z.infer<typeof Delta>): void {
    const { tool_calls, function_call } = delta;
    if (delta.content) takeContent(delta.content);
    refusal += delta.refusal ?? '';
    for (const name of thoughtFields) {
      const grown = grow(thoughts[name], delta[name]);
      if (grown !== undefined) thoughts[name] = grown;
    }
    const taken = [...(tool_calls ?? []), ...(function_call ? [{ function: function_call }] : [])];
    for (const call of taken) takeCall(call);
    if (taken.length > 0)
      onProgress?.(calls.map(({ name, watch }) => ({ name, items: watch.items() })));
  }

  /** In place of the deltas, or once more. */
  function takeMessage(message: z.infer<typeof Delta>): void {
    const isWhole =
      typeof message.content === 'string' && message.content.startsWith(String(content));
    if (isWhole) content = '';
    if (message.tool_calls?.length) calls = [];
    for (const name of thoughtFields) if (message[name] != null) delete thoughts[name];
    takeDelta(message);
  }

  return {
    take(event) {
      if (isFailure(event)) {
        failure = findError(event);
        return true;
      }
      const chunk = Chunk.safeParse(event).data;
      const choice = chunk?.choices?.[0];
      if (choice?.delta) takeDelta(choice.delta);
      if (choice?.message) takeMessage(choice.message);
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
        ...thoughts,
        content,
        refusal: refusal || null,
        tool_calls: calls.map(({ id, name, arguments: args, extra }) => ({
          ...extra,
          id,
          function: { name, arguments: args },
        })),
      };
      return { ...names, choices: [{ message, finish_reason: finish }], usage };
    },
    written: () =>
      [writeOut(thoughts), writeOut(content), ...calls.map((call) => call.arguments)].join('\n'),
  };
}

const asParts = (content: string | unknown[]) => {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
};

/** For token counts. */
export function writeOut(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Some servers repeat all arguments in the last chunk. */
function isRepeatedPiece({ watch, arguments: args }: Call, piece: string): boolean {
  return watch.isWhole() && piece.trim() === args.trim();
}

/** Undefined if `delta` starts another. */
function findCall(
  calls: Call[],
  { index, id, function: fn }: CallDelta,
  piece: string,
): Call | undefined {
  const isNumbered = typeof index === 'number';
  const open = isNumbered ? calls.findLast((call) => call.index === index) : calls.at(-1);
  // An ID shared by several indices identifies nothing.
  const known = id
    ? calls.findLast((call) => call.id === id && (!isNumbered || call.index === index))
    : undefined;
  if (!fn?.name) return known ?? open;
  const same = known ?? open;
  if (same === undefined) return undefined;
  if (same.name === fn.name && isRepeatedPiece(same, piece)) return same;
  if (known !== undefined) return known.watch.isWhole() && piece !== '' ? undefined : known;
  // Gemini omits or repeats indices: its own name, or a complete call before, starts another.
  const isOther = (id && same.id !== '') || same.watch.isWhole() || !isNumbered;
  return isOther ? undefined : same;
}
