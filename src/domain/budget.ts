// Budgets of model calls (B9): the ceiling that another call would exceed, and its words. Pure.

/** US dollars. */
export type Caps = {
  /** One planning turn; a person can lift it. */
  softPerTurn: number;
  /** A request with all its turns, or a plan with its planning. */
  perSession: number;
  /** The plan's own limit, as its requester said; optional. */
  perPlan?: number | undefined;
  /** One day (UTC) of a person, organisation or the instance; optional. */
  perPerson?: number | undefined;
  perOrganisation?: number | undefined;
  perDay: number;
};

/** From the widest to the narrowest. */
const capOf = {
  day: 'perDay',
  organisation: 'perOrganisation',
  person: 'perPerson',
  session: 'perSession',
  plan: 'perPlan',
  turn: 'softPerTurn',
} as const satisfies Record<string, keyof Caps>;

export type Ceiling = keyof typeof capOf;
export type HardCeiling = Exclude<Ceiling, 'turn'>;

/** US dollars spent under each ceiling. */
export type Spent = Record<Ceiling, number>;

/** The plan's and the turn's, which a person can lift, are asked about only if no other is in the way. */
const ceilings: Ceiling[] = ['session', 'person', 'organisation', 'day', 'plan', 'turn'];

/** In billionths of a dollar, so that decimal sums compare exactly. */
const nano = (usd: number): number => Math.round(usd * 1e9);

/** A free model stays allowed under a budget of 0. */
function isBeyond(limit: number, spent: number, estimate: number): boolean {
  const before = nano(spent);
  return before + nano(estimate) > nano(limit) || (before > 0 && before >= nano(limit));
}

/**
 * The tightest ceiling that calls of `estimateUsd` would exceed, or null. A turn's first call always passes the soft ceiling, since
 * nothing was spent yet.
 */
export function findExceeded(
  spent: Spent,
  estimateUsd: number,
  caps: Caps,
  softLifted: boolean,
): Ceiling | null {
  const broken = ceilings.find((one) => {
    const cap = caps[capOf[one]];
    if (cap === undefined || (one === 'turn' && softLifted)) return false;
    if (one === 'turn' && spent.turn === 0 && cap > 0) return false;
    return isBeyond(cap, spent[one], estimateUsd);
  });
  return broken ?? null;
}

/** Small amounts get more decimals. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd === 0 || usd >= 0.1 ? 2 : usd >= 0.01 ? 3 : 4)}`;
}

const words: Record<HardCeiling, { name: string; setting: string }> = {
  plan: { name: "this plan's own limit", setting: 'the limit of the plan' },
  session: { name: 'the budget of this request', setting: 'BUDGET_PER_SESSION_USD' },
  person: { name: "one person's budget for today", setting: 'limits.person.usd_per_day' },
  organisation: {
    name: "the organisation's budget for today",
    setting: 'limits.organisation.usd_per_day',
  },
  day: { name: "today's budget", setting: 'BUDGET_PER_DAY_USD' },
};

/** A cap's name and the remedy. */
export function describeCap(ceiling: HardCeiling, caps: Caps): { cap: string; remedy: string } {
  const { name, setting } = words[ceiling];
  const isOne = ceiling === 'session' || ceiling === 'plan';
  const instead = isOne ? 'Ask for less at once' : 'Wait until midnight UTC';
  return {
    cap: `${name} (${dollars(caps[capOf[ceiling]] ?? 0)})`,
    remedy: `${instead}, or raise ${setting}.`,
  };
}

/** A sentence per cap below `callUsd`, which allows no call at all. */
export function findTooSmall(caps: Caps, model: string, callUsd: number): string[] {
  return ceilings.flatMap((ceiling) => {
    const cap = caps[capOf[ceiling]];
    if (cap === undefined || ceiling === 'turn' || nano(cap) >= nano(callUsd)) return [];
    return [
      `A planning call of ${model} costs about ${dollars(callUsd)}, more than ${describeCap(ceiling, caps).cap}, so nothing can be planned. Raise ${words[ceiling].setting}.`,
    ];
  });
}
