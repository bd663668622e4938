// The one way planning calls a model: recall, reserve, call, store, settle. Killed anywhere between, no stored reply is
// paid for twice and no call goes uncounted.
import { mayHaveCost } from '#contracts/text-model.ts';
import type { ChatModel } from '#models/chat-model.ts';
import type { Queryable } from '#store/database.ts';
import type { Spent } from '#store/model-calls.ts';
import { type ReplyPlace, rememberReplies } from '../memo/remember-replies.ts';
import type { Budget } from './budget.ts';
import type { Ceiling, PaidModel } from './paid-model.ts';

const spentUnder: Record<Ceiling, keyof Spent> = {
  turn_soft: 'turn',
  session: 'session',
  day: 'day',
};

/**
 * `model` for one round of a turn of a run.
 * @param policy the person's, part of what replies are stored under
 */
export function payForCalls(
  options: { model: ChatModel; budget: Budget; db: Queryable },
  { user, ...place }: ReplyPlace & { user: string },
  policy: unknown,
): PaidModel {
  const { budget, db } = options;
  const { runId, turn } = place;
  const model = rememberReplies(options.model, db, place, policy);
  return {
    name: model.name,
    async complete(request, { stage, softLifted }, signal) {
      const known = await model.recall(request);
      if (known !== null) return { kind: 'reply', reply: known, remembered: true };
      const estimateUsd = await model.estimateCost(request);
      const call = { runId, turn, user, stage, model: model.name, estimateUsd, softLifted };
      const reserved = await budget.reserve(call);
      if ('exceeded' in reserved) {
        const { exceeded: ceiling, spent } = reserved;
        const spent_usd = spent[spentUnder[ceiling]];
        return { kind: 'exceeded', ceiling, spent_usd, estimate_usd: estimateUsd };
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
