// Queue names and payloads.
import { z } from 'zod';
import { platformOf } from './chat/chat.ts';
import { InboxWakeup } from './chat/inbox.ts';
import { PlatformName } from './platform-name.ts';

export const jobPayloads = {
  plan: z.strictObject({ run_id: z.string(), turn: z.number().int() }),
  expand: z.strictObject({ run_id: z.string(), turn: z.number().int(), part_id: z.string() }),
  request: z.strictObject({ request_id: z.string() }),
  execute: z.strictObject({ plan_id: z.string() }),
  step: z.strictObject({ plan_id: z.string() }),
  /** Notifies people. `later`: low priority; `progress`: only steps changed. */
  card: z.strictObject({
    plan_id: z.string(),
    later: z.literal(true).optional(),
    progress: z.literal(true).optional(),
  }),
  remind: z.strictObject({}),
  expire: z.strictObject({}),
  shift: z.strictObject({}),
  retention: z.strictObject({}),
  /** The worker takes open events. */
  inbox: InboxWakeup,
  /** The worker posts what is missing. */
  deliver: z.strictObject({ conversation: z.string() }),
  /** The worker takes the due events. */
  webhook: z.strictObject({ endpoint: z.string() }),
  homes: z.strictObject({ platform: PlatformName }),
} as const;

export type JobName = keyof typeof jobPayloads;
export type JobPayload<N extends JobName> = z.infer<(typeof jobPayloads)[N]>;

/** One queue per platform, so that a process takes only jobs it serves. */
export type PlatformJob = 'inbox' | 'deliver' | 'homes';
export type QueueName = JobName | `${PlatformJob}-${PlatformName}`;

export function queueOf<N extends JobName>(name: N, payload: JobPayload<N>): QueueName {
  if (name === 'inbox' && 'platform' in payload) return `inbox-${payload.platform}`;
  if (name === 'homes' && 'platform' in payload) return `homes-${payload.platform}`;
  if (name === 'deliver' && 'conversation' in payload) {
    const platform = platformOf(payload.conversation);
    if (platform === null) throw new Error(`queueOf: ${payload.conversation} is on no platform`);
    return `deliver-${platform}`;
  }
  return name;
}

/** Continues after the job without holding its fetcher. A stop waits, then aborts the signal. Must not throw. */
export type FinishAfter = (work: (signal: AbortSignal) => Promise<void>) => void;

/** `key` collapses equal jobs not yet taken; `person`: fair turns; `urgent`: first. */
export type Enqueue<Tx> = <N extends JobName>(
  tx: Tx,
  name: N,
  payload: JobPayload<N>,
  options?: { key?: string; startAfter?: Date; person?: string; urgent?: boolean },
) => Promise<void>;

export type EnqueueAll<Tx> = <N extends JobName>(
  tx: Tx,
  name: N,
  jobs: { payload: JobPayload<N>; key: string; person?: string }[],
) => Promise<void>;
