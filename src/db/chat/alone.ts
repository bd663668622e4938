// Whether a place is a one-to-one chat with the bot.
import { type SQL, sql } from 'drizzle-orm';
import { countersign } from '../schema/columns.ts';

export const isAlone = (place: SQL): SQL<boolean> => sql`(case ${place}.platform
  when 'slack' then ${place}.channel like 'D%'
  when 'teams' then exists (select from ${countersign}.teams_conversations c
    where c.tenant = ${place}.tenant and c.channel = ${place}.channel and c.kind = 'personal')
  else ${place}.timezone is not null end)`;
