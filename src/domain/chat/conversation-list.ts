// Lists conversations of the console, terminal and API.
import { z } from 'zod';
import type { PlanScope } from '../plan/scope.ts';

export const ConversationSummary = z.object({
  id: z.string(),
  kind: z.string(),
  person: z.string(),
  /** From the first message; empty if the reader may not read it. */
  title: z.string(),
  last_at: z.iso.datetime(),
  /** In total, and approved or executing. */
  plans: z.int(),
  running: z.int(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary),
  next_cursor: z.string().nullable(),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** `names`: null for a typed name. */
export type ConversationReader = { names: string[] | null; tenant: string | null };

/** `user`: who made requests. */
export type ConversationQuery = {
  user?: string;
  cursor?: string;
  limit: number;
  within?: PlanScope;
  /** Hides titles they may not read. */
  reader?: ConversationReader;
};
