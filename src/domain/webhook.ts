// Webhook endpoints and events.
import { z } from 'zod';
import { sharing } from './tenancy.ts';
import type { JsonObject } from './text.ts';

export const WebhookEvent = z.enum([
  'plan.proposed',
  'plan.decided',
  'plan.started',
  'plan.needs_you',
  'plan.stalled',
  'plan.ended',
  'finding.opened',
]);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

const Secret = z
  .string()
  .min(16, 'must have at least 16 characters')
  .refine(
    (text) => !text.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text),
    'begins with whsec_, and is not base64 after it',
  );

const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is no name of a header');
/** Checked here: the sender's error would quote it, maybe a secret. */
const HeaderValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'has a line break or a character that headers cannot have');

const withoutPassword = (url: string) =>
  !URL.canParse(url) || (new URL(url).username === '' && new URL(url).password === '');

export const WebhookSettings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must begin with https:// or http://' })
    .refine(withoutPassword, 'has a user name or password in it; write them under headers'),
  /** Default: all. */
  events: z.array(WebhookEvent).min(1).optional(),
  /** Two while a receiver rotates them. `whsec_…` is base64. */
  secret: z.union([Secret, z.array(Secret).min(1).max(2)]),
  headers: z.record(HeaderName, HeaderValue).optional(),
  ...sharing,
});
export type WebhookSettings = z.infer<typeof WebhookSettings>;

export type WebhookMessage = { id: string; type: string; at: Date; data: JsonObject };

/** `error`: null on success. `gone`: wants no more events. */
export type WebhookAnswer = { error: string | null; gone: boolean; retryAfterSeconds: number };
