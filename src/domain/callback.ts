// Callbacks: the URL of a call, and the result posted there.
import { z } from 'zod';
import { JsonValue } from './text.ts';

/** Only the token after it authorises. */
export const callbackPath = '/api/callbacks/';

/** `data` is for later steps; `error` is a sentence for people. */
export const CallbackResult = z.union([
  z.strictObject({ summary: z.string().max(2000).exactOptional(), data: JsonValue }),
  z.strictObject({ error: z.string().trim().min(1).max(2000) }),
]);
export type CallbackResult = z.infer<typeof CallbackResult>;

/** @throws `not_found`, `callback_over`, `invalid_arguments` (the step keeps waiting), `tool_unavailable` */
export type AnswerCallback = (token: string, result: CallbackResult) => Promise<void>;
