// Callbacks: the address that a call hands to the other side, and what the other side sends there when its work is done.
import { z } from 'zod';
import { JsonValue } from './text.ts';

/** The path of an address; the token at its end is the only authority it takes. */
export const callbackPath = '/api/callbacks/';

/** What became of the work. `data` is what later steps refer to; `error` is a sentence for people. */
export const CallbackResult = z.union([
  z.strictObject({ summary: z.string().max(2000).exactOptional(), data: JsonValue }),
  z.strictObject({ error: z.string().trim().min(1).max(2000) }),
]);
export type CallbackResult = z.infer<typeof CallbackResult>;

/**
 * Settles the step that `token` was made for.
 * @throws `not_found`, `callback_over`, `invalid_arguments` (the step goes on waiting), `tool_unavailable`
 */
export type AnswerCallback = (token: string, result: CallbackResult) => Promise<void>;
