// Plans of one organisation: those whose conversation is in its chat, and those outside any chat that concern the reader.
import { type SQL, sql } from 'drizzle-orm';
import type { Platform } from '#domain/chat/inbox.ts';
import type { Queryable } from './database.ts';
import { plans } from './schema.ts';

/** Whose plans, and who reads them. */
export type Within = {
  platform: Platform;
  tenant: string;
  /** All names of the reader. */
  names: string[];
  /** Plans in which a task waits for the reader. */
  tasks: string[];
  /** The reader is one of the configured approvers. */
  approves: boolean;
  /** Guarded operations whose rule names the reader. */
  operations: string[];
};

const list = (values: string[]) => sql`${sql.param(values)}::text[]`;

/** What makes a plan visible, each by an index of its own. */
function reasons({ platform, tenant, names, tasks, approves, operations }: Within): SQL[] {
  const inNoChat = sql`not exists (
    select from countersign.chat_places other where other.conversation = ${plans.conversation})`;
  const asksForReader = sql`(${plans.approver_policy} -> 'people' ?| ${list(names)}
    or ${plans.tools_required} && ${list(operations)}
    or ${approves} and ${plans.approver_policy} ->> 'kind' in ('requester', 'not_requester'))`;
  return [
    sql`${plans.conversation} in (
      select conversation from countersign.chat_places where platform = ${platform} and tenant = ${tenant})`,
    sql`${plans.requester} = any(${list(names)}) and ${inNoChat}`,
    sql`${plans.id} = any(${list(tasks)}) and ${inNoChat}`,
    sql`${plans.status} in ('proposed', 'needs_review') and ${asksForReader} and ${inNoChat}`,
    sql`${plans.pending_patch} is not null and ${asksForReader} and ${inNoChat}`,
  ];
}

/** The ids of the first `limit` plans that meet `condition`, the newest first; each reason is read no further than that. */
export function firstWithin(within: Within, condition: SQL | undefined, limit: number): SQL {
  const found = reasons(within).map(
    (reason) => sql`(select ${plans.id}, ${plans.created_at} from ${plans}
      where ${reason} and ${condition ?? sql`true`}
      order by ${plans.created_at} desc, ${plans.id} desc limit ${limit})`,
  );
  return sql`(select id from (${sql.join(found, sql` union `)}) as found(id, created_at)
    order by created_at desc, id desc limit ${limit})`;
}

/** Whether the reader may see a plan. */
export function isWithin(within: Within): SQL {
  return sql`((${sql.join(reasons(within), sql`) or (`)}))`;
}

/** Whether a run `r` was asked for in this organisation's chat, or by the reader where it lives in no chat. */
export function runIsWithin({ platform, tenant, names }: Within): SQL {
  return sql`(r.conversation in (
      select conversation from countersign.chat_places where platform = ${platform} and tenant = ${tenant})
    or r."user" = any(${list(names)}) and not exists (
      select from countersign.chat_places other where other.conversation = r.conversation))`;
}

/** Those of `ids` that the reader may see. */
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
