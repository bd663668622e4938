// Restricts reads to an organisation's people and the reader's own.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { plans } from '../schema.ts';
import { waitingPatch } from '../sql/patch-reads.ts';

export type Within = {
  tenant: string;
  names: string[];
  /** Names and groups by which approver rules may call the reader. */
  asked: string[];
  tasks: string[];
  approves: boolean;
  /** Guarded operations whose rule names the reader. */
  operations: string[];
};

const list = (values: string[]) => sql`${sql.param(values)}::text[]`;

/** The reasons that make a plan visible, each with its own index. */
export function withinEach({ tenant, names, asked, tasks, approves, operations }: Within): SQL[] {
  const ofNobody = sql`${plans.tenant} is null`;
  const asksForReader = sql`(${plans.approver_policy} -> 'people' ?| ${list(asked)}
    or ${plans.tools_required} && ${list(operations)}
    or ${approves} and ${plans.approver_policy} ->> 'kind' in ('requester', 'not_requester'))`;
  return [
    sql`${plans.tenant} = ${tenant}`,
    sql`${plans.requester} = any(${list(names)}) and ${ofNobody}`,
    sql`${plans.id} = any(${list(tasks)}) and ${ofNobody}`,
    sql`${plans.attention} and (${plans.status} in ('proposed', 'needs_review') or ${waitingPatch(sql`${plans.id}`)} is not null)
      and ${asksForReader} and ${ofNobody}`,
  ];
}

/** Newest first; reads no reason further than `limit`. */
export function firstWithin(within: Within, condition: SQL | undefined, limit: number): SQL {
  const found = withinEach(within).map(
    (reason) => sql`(select ${plans.id}, ${plans.created_at} from ${plans}
      where ${reason} and ${condition ?? sql`true`}
      order by ${plans.created_at} desc, ${plans.id} desc limit ${limit})`,
  );
  return sql`(select id from (${sql.join(found, sql` union `)}) as found(id, created_at)
    order by created_at desc, id desc limit ${limit})`;
}

export function isWithin(within: Within): SQL {
  return sql`((${sql.join(withinEach(within), sql`) or (`)}))`;
}

/** In this organisation, or by the reader if it belongs to none. */
export function runIsWithin({ tenant, names }: Within): SQL {
  return sql`(r.tenant = ${tenant} or r.tenant is null and r."user" = any(${list(names)}))`;
}

export async function isRunWithin(db: Queryable, id: string, within: Within): Promise<boolean> {
  return db.hasRows(
    sql`select from ${countersign}.runs r where r.id = ${id} and ${runIsWithin(within)}`,
  );
}

/** In its chats, or in no chat, begun by it and without requests from others; unused ones belong to their first user. */
export async function isConversationWithin(
  db: Queryable,
  id: string,
  { tenant }: Pick<Within, 'tenant'>,
): Promise<boolean> {
  return db.hasRows(sql`
    select from (select) as one where coalesce(
      (select c.platform || ':' || c.tenant = ${tenant} from ${countersign}.chat_places c where c.conversation = ${id}),
      not exists (select from ${countersign}.runs r where r.conversation = ${id} and r.tenant is distinct from ${tenant})
      and not exists (select from ${countersign}.plans p where p.conversation = ${id} and p.tenant is distinct from ${tenant})
      and coalesce(
        (select m.tenant = ${tenant} from ${countersign}.messages m where m.conversation = ${id} order by m.id limit 1),
        ${id} not like 'reminders:%' and not exists (select from ${countersign}.messages m where m.conversation = ${id})
        or exists (select from ${countersign}.runs r where r.conversation = ${id})
        or exists (select from ${countersign}.plans p where p.conversation = ${id})))`);
}

export async function keepWithin(
  db: Queryable,
  ids: string[],
  within: Within,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await db.execute<{ id: string }>(sql`
    select ${plans.id} from ${plans}
    where ${plans.id} = any(${list(ids)}) and ${isWithin(within)}`);
  return new Set(rows.map(({ id }) => id));
}
