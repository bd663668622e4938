// Presses on cards in chats that were decided about: carried out once, or refused once, however often they are tried.
import { sql } from 'drizzle-orm';
import { index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Stands in the transaction of what the press does. */
export const presses = countersign.table(
  'presses',
  {
    /** The press's own name. */
    once: text('once').primaryKey(),
    /** Why nothing was done; null: it was. */
    refused: jsonb('refused').$type<{ code: string; message: string }>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('presses_at').on(t.at)],
);
