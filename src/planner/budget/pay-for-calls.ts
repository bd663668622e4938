// Pays for model calls: recall, reserve, call, store, settle.
import { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import { payingRun } from '#domain/planning/part.ts';
import { JsonObject } from '#domain/text.ts';
import { mayHaveCost } from '#domain/text-model.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest } from '#models/chat.ts';
import { keep, memoKey, recall } from '../memo/memo.ts';
import type { Budget, PaidModel } from './budget.ts';

const StoredCalls = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    extra: JsonObject.optional(),
  }),
);
export const StoredReply: z.ZodType<ChatReply> = z.object({
  content: z.string(),
  refusal: z.string().nullable(),
  toolCalls: StoredCalls,
  finishReason: z.enum(['stop', 'tool_calls', 'length', 'content_filter']),
  items: z.array(JsonObject).optional(),
  thoughts: JsonObject.optional(),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_tokens: z.number().optional(),
    cache_write_tokens: z.number().optional(),
  }),
  cost_usd: z.number(),
  attempts: z.number(),
});

const StoredMessages: z.ZodType<ChatMessage[]> = z.array(
  z.discriminatedUnion('role', [
    z.object({ role: z.enum(['system', 'user']), content: z.string() }),
    z.object({
      role: z.literal('assistant'),
      content: z.string(),
      toolCalls: StoredCalls.exactOptional(),
      items: z.array(JsonObject).optional(),
      thoughts: JsonObject.optional(),
    }),
    z.object({ role: z.literal('tool'), callId: z.string(), content: z.string() }),
  ]),
);

type RememberingModel = Pick<ChatModel, 'name' | 'estimateCost'> & {
  recall(request: ChatRequest): Promise<ChatReply | null>;
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatReply>;
};

/** `round` tells a stage's tries apart, across restarts. */
type ReplyPlace = { runId: string; turn: number; round?: number };

/** Identical requests get replies in order. */
function rememberReplies(
  model: ChatModel,
  db: Queryable,
  place: ReplyPlace,
  policy: unknown,
): RememberingModel {
  const answered = new Map<string, number>();

  function locate({ messages, tools, mustCall, maxOutputTokens }: ChatRequest) {
    // No deadline: a resumed planner has another.
    const asked = { messages, tools, mustCall, maxOutputTokens };
    const parts = { kind: 'model', version: model.name, inputs: asked, policy };
    const request = memoKey({ ...parts, scope: place });
    const times = answered.get(request) ?? 0;
    const key = memoKey({ ...parts, inputs: request, scope: { ...place, times } });
    return {
      use: {
        key,
        kind: 'model',
        runId: place.runId,
        schema: StoredReply,
        keep: () => true,
      },
      done: () => answered.set(request, times + 1),
    };
  }

  return {
    name: model.name,
    estimateCost: (...asked) => model.estimateCost(...asked),
    async recall(request) {
      const { use, done } = locate(request);
      const reply = await recall(db, use);
      if (reply === null) return null;
      done();
      return { ...reply, cost_usd: 0 };
    },
    async complete(request, signal) {
      const { use, done } = locate(request);
      const paid = await model.complete(request, signal);
      const reply = await keep(db, use, paid);
      done();
      // If another planner was first, both use its reply; this cost still counts.
      return { ...reply, usage: paid.usage, cost_usd: paid.cost_usd, attempts: paid.attempts };
    },
  };
}

export function payForCalls(
  options: { model: ChatModel; budget: Budget; db: Queryable },
  { user, limitUsd, ...place }: ReplyPlace & { user: string; limitUsd?: number | undefined },
  policy: unknown,
): PaidModel {
  const { budget, db } = options;
  const { runId, turn } = payingRun(place);
  const model = rememberReplies(options.model, db, place, policy);
  const history = {
    key: memoKey({ kind: 'history', version: model.name, inputs: null, policy, scope: place }),
    kind: 'history',
    runId: place.runId,
    schema: StoredMessages,
    keep: () => true,
  };
  return {
    name: model.name,
    history: {
      read: () => recall(db, history),
      keep: async (messages) => void (await keep(db, history, messages)),
    },
    async complete(request, { stage, softLifted }, signal) {
      const known = await model.recall(request);
      if (known !== null) return { kind: 'reply', reply: known, remembered: true };
      const call = {
        ...{ model: model.name, stage, softLifted, limitUsd },
        price: (output: number) => model.estimateCost(request, output),
      };
      const { deadline } = request;
      const reserved = await budget.reserve({ runId, turn, user }, call, { signal, deadline });
      if ('exceeded' in reserved) {
        const { exceeded: ceiling, spent, estimateUsd, caps } = reserved;
        const spent_usd = spent[ceiling];
        return { kind: 'exceeded', ceiling, spent_usd, estimate_usd: estimateUsd, caps };
      }
      try {
        const reply = await model.complete(request, signal);
        await budget.settle(reserved.id, reply.usage, reply.cost_usd);
        return { kind: 'reply', reply, remembered: false };
      } catch (error) {
        await budget.fail(reserved.id, mayHaveCost(error) ? 'unknown' : 'nothing');
        throw error;
      }
    },
  };
}
