// All queues. Each process makes sure they exist before it sends anything.
import type { QueueSpec } from '#db/boss.ts';
import { cardQueue } from './card.ts';
import { deliverQueues } from './deliver.ts';
import { executeQueue } from './execute.ts';
import { expireQueue } from './expire.ts';
import { homesQueues } from './homes.ts';
import { inboxQueues } from './inbox.ts';
import { planQueue } from './plan.ts';
import { remindQueue } from './remind.ts';
import { stepQueue } from './step.ts';

export const queues: QueueSpec[] = [
  planQueue,
  executeQueue,
  stepQueue,
  cardQueue,
  remindQueue,
  expireQueue,
  ...inboxQueues,
  ...deliverQueues,
  ...homesQueues,
];
