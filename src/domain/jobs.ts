// Jobs: queue names and their payloads. `jobs/` holds the options and the handlers.
import { z } from 'zod';
import { platformOf } from './chat/chat.ts';
import { InboxWakeup } from './chat/inbox.ts';
import { PlatformName } from './platform-name.ts';

export const jobPayloads = {
  /** Run the planner for one turn of a run. */
  plan: z.strictObject({ run_id: z.string(), turn: z.number().int() }),
  /** Run a planner for one part of what a turn plans. */
  expand: z.strictObject({ run_id: z.string(), turn: z.number().int(), part_id: z.string() }),
  /** Fetch what a planner asked for. */
  request: z.strictObject({ request_id: z.string() }),
  /** Start an approved plan. */
  execute: z.strictObject({ plan_id: z.string() }),
  /** Work on a plan's ready steps. Names the plan, not a step: the worker claims what is ready. */
  step: z.strictObject({ plan_id: z.string() }),
  /** Tell people about a plan's latest state. `later`: no press waits for it; `progress`: only steps have moved. */
  card: z.strictObject({
    plan_id: z.string(),
    later: z.literal(true).optional(),
    progress: z.literal(true).optional(),
  }),
  /** Ring reminders that are due. */
  remind: z.strictObject({}),
  /** Cancel or remind about proposals that nobody decided. */
  expire: z.strictObject({}),
  /** Delete what is over. */
  retention: z.strictObject({}),
  /** Handle what a thread of a chat platform has sent. Names the thread, not an event: the worker takes what is open. */
  inbox: InboxWakeup,
  /** Bring a conversation up to date on its chat platform. Names no message: the worker posts what is not posted. */
  deliver: z.strictObject({ conversation: z.string() }),
  /** Tell an endpoint what is due. Names no event: the worker takes what is open. */
  webhook: z.strictObject({ endpoint: z.string() }),
  /** Draw the Homes of a chat platform that are due. */
  homes: z.strictObject({ platform: PlatformName }),
} as const;

export type JobName = keyof typeof jobPayloads;
export type JobPayload<N extends JobName> = z.infer<(typeof jobPayloads)[N]>;

/** Jobs with a queue for each chat platform, so that who does not serve a platform never takes what is for those who do. */
export type PlatformJob = 'inbox' | 'deliver' | 'homes';
/** Where jobs wait. */
export type QueueName = JobName | `${PlatformJob}-${PlatformName}`;

/** The queue that a job of this name goes to. */
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
 * Goes on with `work` after the job is done: nobody fetches it again, and no fetcher waits for it. A stop waits for it as for a
 * job, and then aborts its signal. It must not throw.
 */
export type GoOn = (work: (signal: AbortSignal) => Promise<void>) => void;

/**
 * Sends a job inside the caller's transaction: it exists only if the transaction commits.
 * `key` collapses jobs that say the same thing and have not been taken yet; `startAfter` delays. Jobs with a `person` are
 * taken in turns: one of each person who waits, then the next of each. An `urgent` one is taken before those that are not.
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
