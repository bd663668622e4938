// The handler and concurrency of each queue.
import { followHomes, type HomesContext, workOnHomes } from '#chat/homes.ts';
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import { createWakeupHandler } from '#chat/inbox/work-on-thread.ts';
import { followPlan } from '#chat/outbox/deliver-jobs.ts';
import type { DeliveryContext } from '#chat/outbox/delivery-context.ts';
import { workOnPlace } from '#chat/outbox/work-on-place.ts';
import { createExpiry } from '#conversation/expire.ts';
import { checkSchedules } from '#conversation/shift.ts';
import { readRunCause } from '#db/planning/runs.ts';
import { readPlanCause } from '#db/plans/plans.ts';
import type { Settings } from '#domain/settings.ts';
import type { Crew } from '#executor/crew.ts';
import { startPlan } from '#executor/turn.ts';
import type { ConversationContext } from '#messages/context.ts';
import { announce } from '#notices/announce.ts';
import { createHumanReminders } from '#notices/human-reminders.ts';
import { createRinging } from '#notices/reminders.ts';
import { tellNeedsYou } from '#notices/webhooks/needs-you.ts';
import { type WebhooksContext, workOnEndpoint } from '#notices/webhooks/work-on-endpoint.ts';
import type { PlannerTools } from '#planner/ports.ts';
import { fulfilRequest } from '#planner/reads/data-requests.ts';
import { type Keeping, retentionInForce, runRetention } from '#retention/run-retention.ts';
import { expandPart } from '#runs/expand-part.ts';
import { planTurn } from '#runs/plan-turn.ts';
import { queueAgain } from '#runs/start-run.ts';
import { platformQueueFor, queueFor } from './queues.ts';
import type { AnyJob, Job } from './run-jobs.ts';

function planJob(context: ConversationContext, { planning }: Settings): Job<'plan'> {
  return {
    name: 'plan',
    queue: queueFor('plan'),
    causeOf: ({ run_id }) => readRunCause(context.db.query, run_id),
    concurrency: planning.concurrency,
    perPerson: 3,
    // Ends when the turn waits for its parts, so other turns can run.
    handle({ run_id, turn }, signal, finishAfter) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const lost = new AbortController();
      let waits = false;
      // A job's signal aborts when it ends.
      signal.addEventListener('abort', () => waits || lost.abort(signal.reason));
      const letGo = () => {
        waits = true;
        resolve();
      };
      finishAfter(async (ending) => {
        try {
          await planTurn(context, run_id, turn, AbortSignal.any([lost.signal, ending]), letGo);
          resolve();
        } catch (error) {
          reject(error);
          if (waits && ending.aborted) await queueAgain(context, run_id, turn);
          else if (waits) context.warn(`Run ${run_id} will be retried later.`, error);
        }
      });
      return promise;
    },
  };
}

/** Mostly waits for a model, whose server limits useful concurrency. */
function expandJob(context: ConversationContext, { planning }: Settings): Job<'expand'> {
  return {
    name: 'expand',
    queue: queueFor('expand'),
    causeOf: ({ run_id }) => readRunCause(context.db.query, run_id),
    concurrency: planning.part_concurrency,
    perPerson: 8,
    handle: (place, signal) => expandPart(context, place, signal),
  };
}

/** Apart from `step`: reads the whole plan and may wait for tools. */
function executeJob({ context }: Crew, conversation: ConversationContext): Job<'execute'> {
  return {
    name: 'execute',
    queue: queueFor('execute'),
    causeOf: ({ plan_id }) => readPlanCause(context.db.query, plan_id),
    concurrency: 2,
    handle: ({ plan_id }) => startPlan(context, plan_id, conversation),
  };
}

/** Leases and recovery rounds keep the plan going, not the job. */
function stepJob(crew: Crew): Job<'step'> {
  return {
    name: 'step',
    queue: queueFor('step'),
    causeOf: ({ plan_id }) => readPlanCause(crew.context.db.query, plan_id),
    concurrency: 1,
    fetched: 50,
    handle: ({ plan_id }) => crew.work(plan_id),
  };
}

/** Reads the latest state, so one job replaces many. */
function cardJob(context: ConversationContext): Job<'card'> {
  return {
    name: 'card',
    queue: queueFor('card'),
    causeOf: ({ plan_id }) => readPlanCause(context.db.query, plan_id),
    concurrency: 2,
    async handle({ plan_id, later, progress }) {
      // Progress is no news, and waits for nobody.
      if (progress === true) return followPlan(context, plan_id, { later, progress });
      await announce(context, plan_id, later);
      await followPlan(context, plan_id, { later });
      await tellNeedsYou(context, plan_id);
      await followHomes(context);
    },
  };
}

function remindJob(context: ConversationContext): Job<'remind'> {
  return {
    name: 'remind',
    queue: queueFor('remind'),
    concurrency: 1,
    handle: createRinging(context),
  };
}

/** Reminds people, and cancels stale proposals. */
function expireJob(
  context: ConversationContext,
  { human_reminder_hours, stale_after_days, terminal_stale_after_days }: Settings,
): Job<'expire'> {
  const remindPeople = createHumanReminders(context, human_reminder_hours);
  const expireProposals = createExpiry(context, {
    chat: stale_after_days,
    terminal: terminal_stale_after_days,
  });
  return {
    name: 'expire',
    queue: queueFor('expire'),
    concurrency: 1,
    async handle() {
      await remindPeople();
      await expireProposals();
    },
  };
}

function shiftJob(context: ConversationContext): Job<'shift'> {
  return {
    name: 'shift',
    queue: queueFor('shift'),
    concurrency: 1,
    handle: (_, signal) => checkSchedules(context, signal),
  };
}

function retentionJob(keeping: Keeping): Job<'retention'> {
  return {
    name: 'retention',
    queue: queueFor('retention'),
    concurrency: 1,
    async handle(_, signal) {
      const settings = await retentionInForce(keeping.db.query, keeping.settings);
      await runRetention({ ...keeping, settings }, signal);
    },
  };
}

/** Other processes can't take those waiting here. */
const wakeupsFetched = 12;
/** Batches wakeups; too short to notice. */
const wakeupsRestMs = 100;

/** One job per platform. */
export function inboxJobs(context: InboxContext): Job<'inbox'>[] {
  return Object.keys(context.handlers).map((platform) => ({
    name: 'inbox',
    queue: platformQueueFor('inbox', platform),
    // Each wakeup wakes every fetcher.
    concurrency: 1,
    fetched: wakeupsFetched,
    restMs: wakeupsRestMs,
    handle: createWakeupHandler(context),
  }));
}

/** A slow conversation doesn't hold up others. */
const placesAtOnce = 8;

/** One job per writable platform. */
export function deliverJobs(context: DeliveryContext): Job<'deliver'>[] {
  return Object.keys(context.ports).map((platform) => ({
    name: 'deliver',
    queue: platformQueueFor('deliver', platform),
    concurrency: placesAtOnce,
    handle: ({ conversation }, signal) => workOnPlace(context, conversation, signal),
  }));
}

/** The payload names none. */
function homesJobs(context: HomesContext): Job<'homes'>[] {
  return Object.keys(context.homes).map((platform) => ({
    name: 'homes',
    queue: platformQueueFor('homes', platform),
    concurrency: 1,
    handle: (payload, signal) => workOnHomes(context, payload.platform, signal),
  }));
}

function requestJob(
  { db, random }: ConversationContext,
  callOf: (tenant: string | null) => PlannerTools['call'],
): Job<'request'> {
  return {
    name: 'request',
    queue: queueFor('request'),
    concurrency: 2,
    handle: ({ request_id }, signal) => fulfilRequest({ db, random, callOf }, request_id, signal),
  };
}

/** One that hangs keeps a slot until its timeout. */
function webhookJob(context: WebhooksContext): Job<'webhook'> {
  return {
    name: 'webhook',
    queue: queueFor('webhook'),
    concurrency: 4,
    handle: ({ endpoint }, signal) => workOnEndpoint(context, endpoint, signal),
  };
}

export function jobsOf(parts: {
  settings: Settings;
  conversation: ConversationContext;
  callOf(tenant: string | null): PlannerTools['call'];
  inbox: InboxContext;
  delivery: DeliveryContext;
  homes: HomesContext;
  webhooks: WebhooksContext;
  crew: Crew;
  home: string;
  auditKey: Keeping['auditKey'];
}): AnyJob[] {
  const { settings, conversation, callOf, inbox, delivery, homes, webhooks, crew, home, auditKey } =
    parts;
  const keeping = { ...conversation, settings: settings.retention, home, auditKey };
  return [
    planJob(conversation, settings),
    expandJob(conversation, settings),
    requestJob(conversation, callOf),
    executeJob(crew, conversation),
    stepJob(crew),
    cardJob(conversation),
    remindJob(conversation),
    expireJob(conversation, settings),
    shiftJob(conversation),
    retentionJob(keeping),
    webhookJob(webhooks),
    ...inboxJobs(inbox),
    ...deliverJobs(delivery),
    ...homesJobs(homes),
  ];
}
