// Callbacks: the URL that a call hands to the other side, and the result posted there.
import { z } from 'zod';
import { JsonValue } from './text.ts';

/** The URL's path; only the token after it authorises. */
export const callbackPath = '/api/callbacks/';

/** The result of the work. `data` is for later steps; `error` is a sentence for people. */
export const CallbackResult = z.union([
  z.strictObject({ summary: z.string().max(2000).exactOptional(), data: JsonValue }),
  z.strictObject({ error: z.string().trim().min(1).max(2000) }),
]);
export type CallbackResult = z.infer<typeof CallbackResult>;

/**
 * Settles the step of `token`.
 * @throws `not_found`, `callback_over`, `invalid_arguments` (the step keeps waiting), `tool_unavailable`
 */
export type AnswerCallback = (token: string, result: CallbackResult) => Promise<void>;
