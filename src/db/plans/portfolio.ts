// People's assigned blocks in the schedules of proposed and running plans.
import { sql } from 'drizzle-orm';
import { personKey } from '#domain/people/names.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plannedVersion } from './patches.ts';

export type PortfolioBlock = {
  plan_id: string;
  plan_title: string;
  node_id: string;
  node_title: string;
  person: string;
  starts_at: Date;
  ends_at: Date;
  /** Work in it, if stated; can be less than the period. */
  minutes: number | null;
};

export type PortfolioQuery = {
  /** By any name; blocks have the one asked for. */
  people: string[];
  from: Date;
  to: Date;
  /** The planning run that asks; its own plans are left out. */
  exceptRun: string;
};

export type PortfolioPage = { blocks: PortfolioBlock[]; more: boolean };

const pageSize = 500;

type PortfolioOptions = {
  limit?: number;
  apart?: boolean;
  keysOf?: (people: string[]) => Promise<Map<string, string>>;
};

export function createPortfolioReader(
  db: Queryable,
  {
    limit = pageSize,
    apart = false,
    keysOf = async (people) => new Map(people.map((name) => [personKey(name), name])),
  }: PortfolioOptions = {},
): (query: PortfolioQuery) => Promise<PortfolioPage> {
  return async ({ people, from, to, exceptRun }) => {
    if (people.length === 0) return { blocks: [], more: false };
    const askedAs = await keysOf(people);
    const names = [...askedAs.keys()];
    const { rows } = await db.execute<PortfolioRow>(sql`
      select b.plan_id, p.title as plan_title, b.node_id, n.title as node_title, b.person,
        extract(epoch from b.starts_at)::float8 * 1000 as starts_ms,
        extract(epoch from b.ends_at)::float8 * 1000 as ends_ms,
        (n.content ->> 'duration_minutes')::float8 as minutes
      from ${countersign}.schedule_blocks b
      join ${countersign}.plans p on p.id = b.plan_id
      join ${countersign}.outline_nodes n
        on n.plan_id = b.plan_id and n.version = b.version and n.node_id = b.node_id
      where b.starts_at < ${to.toISOString()}::timestamptz and b.ends_at > ${from.toISOString()}::timestamptz
        and (b.person = any(${sql.param(names)}::text[])
          or lower(ltrim(btrim(b.person), '@')) = any(${sql.param(names)}::text[]))
        and p.status in ('proposed', 'approved', 'executing')
        -- A plan that was patched since still follows the schedule it was made with.
        and b.version = ${plannedVersion(sql`p.id`, sql`p.version`)}
        and p.run_id is distinct from ${exceptRun}
        and not (${apart} and exists (
          select from ${countersign}.runs r
          where r.id = ${exceptRun} and coalesce(r.tenant, r.decision ->> 'tenant') <> coalesce(p.tenant, '')))
      order by b.starts_at, b.plan_id, b.node_id
      limit ${limit + 1}`);
    const blocks = rows.slice(0, limit).flatMap((row) => {
      const person = askedAs.get(personKey(row.person));
      return person === undefined ? [] : [toBlock({ ...row, person })];
    });
    return { blocks, more: rows.length > limit };
  };
}

type PortfolioRow = Omit<PortfolioBlock, 'starts_at' | 'ends_at'> & {
  starts_ms: number;
  ends_ms: number;
};

function toBlock({ starts_ms, ends_ms, ...row }: PortfolioRow): PortfolioBlock {
  return { ...row, starts_at: new Date(starts_ms), ends_at: new Date(ends_ms) };
}
