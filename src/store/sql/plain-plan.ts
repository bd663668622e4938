// What a plan has to be for steps to start in the statement that frees them: executing as it was approved, nothing else
// ready, and nothing but prerequisites that holds a step. Said once, for this process and for Postgres.
import { type SQL, sql } from 'drizzle-orm';
import type { PlanRow } from '../plans.ts';

/** What its columns are; a list is empty. */
const plain = {
  status: 'executing',
  paused_at: null,
  ready: 0,
  pools: [],
  has_start_edges: false,
  open_until: null,
} satisfies Partial<PlanRow>;

type Column = keyof typeof plain;
type Wanted = (typeof plain)[Column];

// The keys of a literal are known; `Object.entries` says only that they are texts.
const conditions = Object.entries(plain) as [Column, Wanted][];

const isAs = (value: unknown, wanted: Wanted): boolean =>
  Array.isArray(value) ? value.length === 0 && Array.isArray(wanted) : value === wanted;

export function isPlain(plan: Pick<PlanRow, Column | 'digest' | 'approved_digest'>): boolean {
  if (plan.digest !== plan.approved_digest) return false;
  return conditions.every(([column, wanted]) => isAs(plan[column], wanted));
}

function writeCondition(column: string, wanted: Wanted): string {
  if (wanted === null) return `${column} is null`;
  if (Array.isArray(wanted)) return `${column} = '{}'`;
  return `${column} = ${typeof wanted === 'string' ? `'${wanted}'` : wanted}`;
}

/** The same of a row of `plans` that goes by the name `alias`. */
export function plainIn(alias: string): SQL {
  const texts = conditions.map(([column, wanted]) => writeCondition(`${alias}.${column}`, wanted));
  return sql.raw([`${alias}.digest = ${alias}.approved_digest`, ...texts].join(' and '));
}
