// A budget for a planner that has no database: the same ceilings, kept for as long as the process lives.
import type { ChatModel } from '#models/chat-model.ts';
import type { PlanningLimits } from './limits.ts';
import type { PaidModel } from './paid-model.ts';

/** @param spentToday US dollars of the day before anything this planner spends */
export function createMemoryBudget(
  model: ChatModel,
  limits: PlanningLimits,
  spentToday: () => Promise<number>,
): (place: { runId: string; turn: number }) => PaidModel {
  const runs = new Map<string, number>();
  let spent = 0;
  return ({ runId }) => {
    let turn = 0;
    return {
      name: model.name,
      async complete(request, { softLifted }, signal) {
        const estimate_usd = await model.estimateCost(request);
        const session = runs.get(runId) ?? 0;
        const exceeded = (ceiling: 'turn_soft' | 'session' | 'day', spent_usd: number) => ({
          kind: 'exceeded' as const,
          ceiling,
          spent_usd,
          estimate_usd,
        });
        const day = (await spentToday()) + spent;
        if (day + estimate_usd > limits.perDay) return exceeded('day', day);
        if (session + estimate_usd > limits.perSession) return exceeded('session', session);
        if (!softLifted && turn + estimate_usd > limits.softPerTurn)
          return exceeded('turn_soft', turn);
        const reply = await model.complete(request, signal);
        runs.set(runId, session + reply.cost_usd);
        turn += reply.cost_usd;
        spent += reply.cost_usd;
        return { kind: 'reply', reply, remembered: false };
      },
    };
  };
}
