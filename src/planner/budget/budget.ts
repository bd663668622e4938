// The budget of model calls (B9): reserved before each, settled after.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '#db/database.ts';
import {
  failCall,
  type ModelCall,
  type Payer,
  readSpending,
  readUsualOutput,
  reserveCall,
  type Spending,
  settleCall,
  type TokenCounts,
} from '#db/planning/spending.ts';
import {
  type Caps,
  type Ceiling,
  describeCap,
  dollars,
  findExceeded,
  type HardCeiling,
  type Spent,
} from '#domain/budget.ts';
import { type Clock, startOfUtcDay } from '#domain/clock.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { ChatMessage, ChatReply, ChatRequest } from '#models/chat.ts';

export type PlanningLimits = Caps & {
  turns: number;
  retries: number;
  wallSeconds: number;
};

export type Cap = 'turns' | 'time' | 'repeats' | 'length' | 'silence';

export function explainCap(cap: Cap | 'transitions', limits: PlanningLimits): string {
  switch (cap) {
    case 'turns':
      return `I stopped after ${limits.turns} turns without a plan. Ask for less at once, or raise TURN_LIMIT.`;
    case 'time':
      return `I stopped after ${limits.wallSeconds} seconds without a plan. Ask for less at once, or raise WALL_TIME_SEC.`;
    case 'repeats':
      return 'The model kept repeating the same call. Try rephrasing.';
    case 'transitions':
      return 'I went back and forth between stages without a plan. Ask for less at once.';
    case 'length':
      return 'The model’s answers were too long and were cut off. Ask for less at once, or lower PLANNER_REASONING_EFFORT.';
    case 'silence':
      return 'The model gave no answer. Ask again, lower PLANNER_REASONING_EFFORT, or choose another PLANNER_MODEL.';
    default:
      return cap satisfies never;
  }
}

/** Hard caps end the run; a turn's soft ceiling becomes a question. */
export function explainHardCap(
  ceiling: HardCeiling,
  { caps, spent_usd, estimate_usd }: Pick<Exceeded, 'caps' | 'spent_usd' | 'estimate_usd'>,
): string {
  const { cap, remedy } = describeCap(ceiling, caps);
  return `Planning further would exceed ${cap}: ${dollars(spent_usd)} has been spent, and the next call may cost ${dollars(estimate_usd)}. ${remedy}`;
}

export type Refused = { exceeded: Ceiling; spent: Spent; estimateUsd: number; caps: Caps };
export type Reservation = { id: number } | Refused;

type WantedCall = ModelCall & {
  price(outputTokens: number): Promise<number>;
  softLifted: boolean;
  limitUsd?: number | undefined;
};

export type Budget = {
  caps: Caps;
  /**
   * Names an exceeded ceiling. Waits for calls in progress, which mostly cost less than reserved.
   * @param until the end of the wait
   */
  reserve(
    payer: Payer,
    call: WantedCall,
    until: { signal: AbortSignal; deadline: number },
  ): Promise<Reservation>;
  settle(id: number, usage: TokenCounts, costUsd: number): Promise<void>;
  /** @param charged `unknown` if the server may have charged for the call */
  fail(id: number, charged: 'nothing' | 'unknown'): Promise<void>;
  /** US dollars, including estimates of calls in progress. */
  readSpent(payer: Payer): Promise<Spent>;
};

export const firstOutputTokens = 1000;
const waitMs = 250;

const countAsPlan = ({ spent, settled }: Pick<Spending, 'spent' | 'settled'>) => ({
  spent: { ...spent, plan: spent.session },
  settled: { ...settled, plan: settled.session },
});

export function createBudget(options: { db: Database; clock: Clock; caps: Caps }): Budget {
  const { db, clock, caps } = options;
  /** Queued, so that they hold one connection, not the pool. */
  let last: Promise<unknown> = Promise.resolve();

  function readTimes() {
    const at = clock.now();
    return { at, dayBegan: startOfUtcDay(at) };
  }

  function tryToReserve(
    payer: Payer,
    call: ModelCall & { estimateUsd: number },
    { softLifted: lifted, limitUsd }: Pick<WantedCall, 'softLifted' | 'limitUsd'>,
  ) {
    const turn = last.then(() =>
      reserveCall(db, payer, { ...call, ...readTimes() }, (spending) => {
        const { spent, settled } = limitUsd === undefined ? spending : countAsPlan(spending);
        // A person can lift it while planning; the first call reads their reply.
        const passed = lifted || spent.turn === 0;
        const ownLimit = 'planId' in payer ? spending.planLimit : passed ? undefined : limitUsd;
        const limits = { ...caps, perPlan: ownLimit };
        const exceeded = findExceeded(spent, call.estimateUsd, limits, lifted);
        const passes = findExceeded(settled, call.estimateUsd, limits, lifted) === null;
        return exceeded === null ? null : { exceeded, passes, spent, caps: limits };
      }),
    );
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    caps,
    async reserve(payer, { price, model, stage, ...limits }, { signal, deadline }) {
      const usual = await readUsualOutput(db.query, { model, stage });
      const estimateUsd = await price(usual ?? firstOutputTokens);
      for (;;) {
        const made = await tryToReserve(payer, { model, stage, estimateUsd }, limits);
        if ('id' in made) return made;
        const { exceeded, passes, spent, caps } = made.refusal;
        if (!passes || signal.aborted || Date.now() + waitMs > deadline)
          return { exceeded, spent, estimateUsd, caps };
        await pause(waitMs, undefined, { signal }).catch(() => undefined);
      }
    },
    settle: (id, usage, costUsd) => settleCall(db.query, id, usage, costUsd),
    fail: (id, charged) => failCall(db.query, id, charged),
    readSpent: async (payer) => (await readSpending(db.query, payer, readTimes())).spent,
  };
}

/** Nothing was called. */
export type Exceeded = {
  kind: 'exceeded';
  ceiling: Ceiling;
  spent_usd: number;
  estimate_usd: number;
  caps: Caps;
};

export type Paid = { kind: 'reply'; reply: ChatReply; remembered: boolean } | Exceeded;

export type PaidModel = {
  name: string;
  /** A stored reply is reused at no cost. @throws CountersignError `model_failed`, `timed_out`, `cancelled` */
  complete(
    request: ChatRequest,
    purpose: { stage: Stage; softLifted: boolean },
    signal: AbortSignal,
  ): Promise<Paid>;
  history?: {
    read(): Promise<ChatMessage[] | null>;
    keep(messages: ChatMessage[]): Promise<void>;
  };
};
