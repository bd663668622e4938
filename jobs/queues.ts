// The queue table: every queue with its options. Each process makes sure they exist before it sends anything.
import type { QueueSpec } from '#db/boss.ts';
import type { JobName, PlatformJob } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';

type Options = Omit<QueueSpec, 'name'>;

const options: Record<JobName, Options> = {
  plan: {
    policy: 'short',
    retryLimit: 2,
    retryDelay: 1,
    heartbeatSeconds: 30,
    // Planning turns wait for the planners of their parts.
    expireInSeconds: 3600,
  },
  expand: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 10,
    expireInSeconds: 3600,
  },
  request: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 10,
    expireInSeconds: 300,
  },
  execute: {
    policy: 'short',
    retryLimit: 5,
    retryDelay: 1,
    // A worker that starts a plan and is not heard of for so long is passed by.
    heartbeatSeconds: 10,
    expireInSeconds: 600,
  },
  step: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
  },
  card: {
    policy: 'short',
    retryLimit: 5,
    retryDelay: 1,
    // People wait to see what a worker that died was about to tell them.
    heartbeatSeconds: 10,
    expireInSeconds: 60,
  },
  remind: { policy: 'standard', retryLimit: 5, retryDelay: 1, expireInSeconds: 60 },
  expire: { policy: 'short', retryLimit: 1, retryDelay: 10, expireInSeconds: 300 },
  retention: {
    policy: 'short',
    retryLimit: 1,
    retryDelay: 60,
    heartbeatSeconds: 30,
    // The first round of a large database takes long, and the next one goes on where it was cut off.
    expireInSeconds: 6 * 3600,
  },
  webhook: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 3600,
    deleteAfterSeconds: 3600,
  },
  inbox: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 3600,
    // Many are sent, and the inbox itself says what became of the events.
    deleteAfterSeconds: 3600,
  },
  deliver: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 3600,
    // Many are sent, and the places themselves say what was delivered.
    deleteAfterSeconds: 3600,
  },
  homes: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    expireInSeconds: 600,
    deleteAfterSeconds: 3600,
  },
};

export function queueFor(name: Exclude<JobName, PlatformJob>): QueueSpec {
  return { name, ...options[name] };
}

/** The queue of one platform, so that a process never takes a job for a platform it does not serve. */
export function platformQueueFor(name: PlatformJob, platform: PlatformName): QueueSpec {
  return { name: `${name}-${platform}`, ...options[name] };
}

const shared = [
  'plan',
  'expand',
  'request',
  'execute',
  'step',
  'card',
  'remind',
  'expire',
  'retention',
  'webhook',
] as const;
const perPlatform = ['inbox', 'deliver', 'homes'] as const;

/** The queues of an instance with these chat platforms, whether or not they are set up in this process. */
export const queuesFor = (platforms: PlatformName[]): QueueSpec[] => [
  ...shared.map(queueFor),
  ...perPlatform.flatMap((name) => platforms.map((one) => platformQueueFor(name, one))),
];

/** How often proposals and questions are looked through. */
export const expireCron = '*/10 * * * *';

/** How often it is looked for what is over. */
export const retentionCron = '17 * * * *';
