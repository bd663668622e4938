// Jobs: queue names and their payloads. `jobs/` holds the options and the handlers.
import { z } from 'zod';
import { platformOf } from './chat/chat.ts';
import { InboxWakeup } from './chat/inbox.ts';
import { PlatformName } from './platform-name.ts';

export const jobPayloads = {
  plan: z.strictObject({ run_id: z.string(), turn: z.number().int() }),
  expand: z.strictObject({ run_id: z.string(), turn: z.number().int(), part_id: z.string() }),
  /** Fetch data for a planner. */
  request: z.strictObject({ request_id: z.string() }),
  /** Start an approved plan. */
  execute: z.strictObject({ plan_id: z.string() }),
  /** Work on a plan's ready steps. Names only the plan: the worker claims steps. */
  step: z.strictObject({ plan_id: z.string() }),
  /** Notify people of a plan's state. `later`: low priority; `progress`: only steps have changed. */
  card: z.strictObject({
    plan_id: z.string(),
    later: z.literal(true).optional(),
    progress: z.literal(true).optional(),
  }),
  /** Ring due reminders. */
  remind: z.strictObject({}),
  /** Cancel or remind of undecided proposals. */
  expire: z.strictObject({}),
  /** Compare running plans with their schedules. */
  shift: z.strictObject({}),
  /** Delete expired data. */
  retention: z.strictObject({}),
  /** Handle a chat thread's events. Names only the thread: the worker takes what is open. */
  inbox: InboxWakeup,
  /** Update a conversation on its chat platform. Names no message: the worker posts what is missing. */
  deliver: z.strictObject({ conversation: z.string() }),
  /** Send an endpoint's due events. Names none: the worker takes what is open. */
  webhook: z.strictObject({ endpoint: z.string() }),
  /** Draw a platform's due Homes. */
  homes: z.strictObject({ platform: PlatformName }),
} as const;

export type JobName = keyof typeof jobPayloads;
export type JobPayload<N extends JobName> = z.infer<(typeof jobPayloads)[N]>;

/** Jobs with one queue per chat platform, so that a process never takes a job of a platform it doesn't serve. */
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

/**
 * Continues `work` after the job is done, without holding its fetcher. A stop waits for it as for a job, then aborts the signal.
 * Must not throw.
 */
export type FinishAfter = (work: (signal: AbortSignal) => Promise<void>) => void;

/**
 * Sends a job in the caller's transaction. `key` collapses equal jobs not yet taken; `startAfter` delays; `person` takes fair
 * turns between people; `urgent` goes before others.
 */
export type Enqueue<Tx> = <N extends JobName>(
  tx: Tx,
  name: N,
  payload: JobPayload<N>,
  options?: { key?: string; startAfter?: Date; person?: string; urgent?: boolean },
) => Promise<void>;

/** The same for many jobs of a queue, in one statement. */
export type EnqueueAll<Tx> = <N extends JobName>(
  tx: Tx,
  name: N,
  jobs: { payload: JobPayload<N>; key: string; person?: string }[],
) => Promise<void>;
