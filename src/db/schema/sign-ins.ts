// Sign-ins at hosted MCP servers, and the model server's key.
import { index, integer, text } from 'drizzle-orm/pg-core';
import { at, bytes, countersign } from './columns.ts';

export const mcpSignIns = countersign.table('mcp_sign_ins', {
  server: text('server').primaryKey(),
  /** Client and tokens, encrypted. */
  sealed: bytes('sealed').notNull(),
  generation: integer('generation').notNull(),
  refreshing_until: at('refreshing_until'),
  /** Why a new sign-in is needed, or null if it is valid. */
  problem: text('problem'),
  wants: text('wants'),
  signed_in_by: text('signed_in_by').notNull(),
  signed_in_at: at('signed_in_at').notNull(),
});

export const mcpSignInStates = countersign.table(
  'mcp_sign_in_states',
  {
    state: text('state').primaryKey(),
    sealed: bytes('sealed').notNull(),
    expires_at: at('expires_at').notNull(),
  },
  (t) => [index('mcp_sign_in_states_expiry').on(t.expires_at)],
);

/** Entered in the console: a single row. */
export const modelAccess = countersign.table('model_access', {
  id: integer('id').primaryKey(),
  /** Key and address, encrypted. */
  sealed: bytes('sealed').notNull(),
  connected_by: text('connected_by').notNull(),
  connected_at: at('connected_at').notNull(),
});
