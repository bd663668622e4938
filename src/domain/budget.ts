// Budgets of model calls (B9) and their words. Pure.

/** US dollars. */
export type Caps = {
  /** A person can lift it. */
  softPerTurn: number;
  /** A request's turns, or a plan with its planning. */
  perSession: number;
  perPlan?: number | undefined;
  /** Per UTC day, as the next two. */
  perPerson?: number | undefined;
  perOrganisation?: number | undefined;
  perDay: number;
};

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

/** US dollars. */
export type Spent = Record<Ceiling, number>;

/** Those a person can lift come last. */
const ceilings: Ceiling[] = ['session', 'person', 'organisation', 'day', 'plan', 'turn'];

/** Billionths of a dollar, so that sums compare exactly. */
const nano = (usd: number): number => Math.round(usd * 1e9);

/** A free model passes a budget of 0. */
function isBeyond(limit: number, spent: number, estimate: number): boolean {
  const before = nano(spent);
  return before + nano(estimate) > nano(limit) || (before > 0 && before >= nano(limit));
}

/** A turn's first call always passes the soft ceiling. */
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

export function describeCap(ceiling: HardCeiling, caps: Caps): { cap: string; remedy: string } {
  const { name, setting } = words[ceiling];
  const isOne = ceiling === 'session' || ceiling === 'plan';
  const instead = isOne ? 'Ask for less at once' : 'Wait until midnight UTC';
  return {
    cap: `${name} (${dollars(caps[capOf[ceiling]] ?? 0)})`,
    remedy: `${instead}, or raise ${setting}.`,
  };
}

/** Caps below `callUsd` allow no call at all. */
export function findTooSmall(caps: Caps, model: string, callUsd: number): string[] {
  return ceilings.flatMap((ceiling) => {
    const cap = caps[capOf[ceiling]];
    if (cap === undefined || ceiling === 'turn' || nano(cap) >= nano(callUsd)) return [];
    return [
      `A planning call of ${model} costs about ${dollars(callUsd)}, more than ${describeCap(ceiling, caps).cap}, so nothing can be planned. Raise ${words[ceiling].setting}.`,
    ];
  });
}
