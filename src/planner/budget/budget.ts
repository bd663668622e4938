// The planning budget (B9): every model call is reserved here before it is made and settled afterwards. A hard cap never allows
// one more call; the soft ceiling of a turn becomes a question that a person can answer.
import type { Database } from '#db/database.ts';
import {
  type CallPlace,
  failCall,
  readSpent,
  reserveCall,
  type Spent,
  settleCall,
} from '#db/spending.ts';
import { type Clock, startOfDay } from '#domain/clock.ts';
import type { Usage } from '#models/catalogue.ts';
import type { Ceiling } from './paid-model.ts';

/** US dollars. */
export type BudgetCaps = {
  /** Of one turn; passed only with a person's word. */
  turnSoft: number;
  /** Of a run, over its turns. */
  session: number;
  /** Of a day (UTC), over all people, running plans included. */
  day: number;
};

export type Reservation = { id: number; spent: Spent } | { exceeded: Ceiling; spent: Spent };

export type Budget = {
  caps: BudgetCaps;
  /** Allows for one call that costs at most `estimateUsd`, or names the ceiling it would break. */
  reserve(
    call: CallPlace & { model: string; estimateUsd: number; softLifted: boolean },
  ): Promise<Reservation>;
  settle(id: number, usage: Usage, costUsd: number): Promise<void>;
  /** @param charged `unknown` where the server may have charged for what was cut off */
  fail(id: number, charged: 'nothing' | 'unknown'): Promise<void>;
  /** What was spent so far, estimates of calls under way included. */
  readSpent(place: Omit<CallPlace, 'stage'>): Promise<Spent>;
};

/** In billionths of a dollar, so that sums of decimals compare as people expect. */
function nano(usd: number): number {
  return Math.round(usd * 1e9);
}

/** A model whose price is 0 stays allowed under a budget of 0. */
function isBeyond(limit: number, spent: number, estimate: number): boolean {
  const before = nano(spent);
  return before + nano(estimate) > nano(limit) || (before > 0 && before >= nano(limit));
}

/** The ceiling that one more call would break, the hardest first; null: none. */
export function findExceeded(
  spent: Spent,
  estimateUsd: number,
  caps: BudgetCaps,
  softLifted: boolean,
): Ceiling | null {
  if (isBeyond(caps.day, spent.day, estimateUsd)) return 'day';
  if (isBeyond(caps.session, spent.session, estimateUsd)) return 'session';
  if (!softLifted && isBeyond(caps.turnSoft, spent.turn, estimateUsd)) return 'turn_soft';
  return null;
}

export function createBudget(options: { db: Database; clock: Clock; caps: BudgetCaps }): Budget {
  const { db, clock, caps } = options;
  /** Reservations of this process queue here, so that they hold one connection and not all of the pool. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    caps,
    async reserve({ softLifted, ...call }) {
      const turn = last.then(async () => {
        const at = clock.now();
        return reserveCall(db, { ...call, at, dayBegan: startOfDay(at) }, (spent) =>
          findExceeded(spent, call.estimateUsd, caps, softLifted),
        );
      });
      last = turn.catch(() => undefined);
      const made = await turn;
      return 'id' in made ? made : { exceeded: made.refusal, spent: made.spent };
    },
    settle: (id, usage, costUsd) => settleCall(db.query, id, usage, costUsd),
    fail: (id, charged) => failCall(db.query, id, charged),
    readSpent: (place) => readSpent(db.query, place, startOfDay(clock.now())),
  };
}
