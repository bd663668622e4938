// Conversations of the console, terminal and API, as a list.
import { z } from 'zod';
import type { PlanScope } from '../plan/scope.ts';

export const ConversationSummary = z.object({
  id: z.string(),
  /** Where it began: `console`, `terminal`, `api`, `mcp`. */
  kind: z.string(),
  /** Who began it. */
  person: z.string(),
  /** The beginning of the first message; empty if the reader may not read it. */
  title: z.string(),
  last_at: z.iso.datetime(),
  /** Plans made in it, and how many of them are approved or executing. */
  plans: z.int(),
  running: z.int(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary),
  next_cursor: z.string().nullable(),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** A reader over HTTP: all names of a signed-in person or token owner, or null for a typed name. */
export type ConversationReader = { names: string[] | null; tenant: string | null };

/** `user`: only those in which they made a request. */
export type ConversationQuery = {
  user?: string;
  cursor?: string;
  limit: number;
  /** Restricts to one organisation. */
  within?: PlanScope;
  /** Gets only titles they may read; default: all. */
  reader?: ConversationReader;
};
