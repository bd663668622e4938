// Every queue with its options, created before sending.
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
    // Turns wait for their parts.
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
    // Replaces a worker that died while starting a plan.
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
    // People wait for a dead worker's deliveries.
    heartbeatSeconds: 10,
    expireInSeconds: 60,
  },
  remind: { policy: 'standard', retryLimit: 5, retryDelay: 1, expireInSeconds: 60 },
  expire: { policy: 'short', retryLimit: 1, retryDelay: 10, expireInSeconds: 300 },
  shift: {
    policy: 'exclusive',
    retryLimit: 0,
    retryDelay: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 600,
    deleteAfterSeconds: 3600,
  },
  retention: {
    policy: 'short',
    retryLimit: 1,
    retryDelay: 60,
    heartbeatSeconds: 30,
    // A first round is long; the next one resumes.
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
    // Numerous, and recorded by the inbox.
    deleteAfterSeconds: 3600,
  },
  deliver: {
    policy: 'short',
    retryLimit: 3,
    retryDelay: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 3600,
    // Numerous, and recorded by the places.
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

/** Per platform: a process takes none it doesn't serve. */
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
  'shift',
  'retention',
  'webhook',
] as const;
const perPlatform = ['inbox', 'deliver', 'homes'] as const;

/** Served here or not. */
export const queuesFor = (platforms: PlatformName[]): QueueSpec[] => [
  ...shared.map(queueFor),
  ...perPlatform.flatMap((name) => platforms.map((one) => platformQueueFor(name, one))),
];

export const expireCron = '*/10 * * * *';

export const shiftCron = '* * * * *';

export const retentionCron = '17 * * * *';
