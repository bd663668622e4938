// Whether a place is a chat of one person with the bot: on platforms that say so by the place itself, else whether it was opened with
// the time zone of the one who reads there.
import { type SQL, sql } from 'drizzle-orm';
import { countersign } from '../schema/columns.ts';

/** @param place a row of chat_places */
export const isAlone = (place: SQL): SQL<boolean> => sql`(case ${place}.platform
  when 'slack' then ${place}.channel like 'D%'
  when 'teams' then exists (select from ${countersign}.teams_conversations c
    where c.tenant = ${place}.tenant and c.channel = ${place}.channel and c.kind = 'personal')
  else ${place}.timezone is not null end)`;
