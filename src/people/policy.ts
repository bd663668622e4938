// A run's policy: defaults, saved preferences, then the conversation's.
import { recordAudit } from '#db/audit/audit.ts';
import { readLatestMessages } from '#db/chat/messages.ts';
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { isOnePerson, readEveryName } from '#db/people/identities.ts';
import {
  readCalendarOf,
  readPolicy,
  replacePolicy,
  sealCalendar,
  storeCalendar,
  storePolicy,
} from '#db/people/policies.ts';
import {
  type RunRow,
  readLatestRun,
  readLatestRuns,
  readRun,
  updateRun,
} from '#db/planning/runs.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { readCalendarEntry } from '#domain/people/calendar-entry.ts';
import {
  applyOverride,
  defaultPolicy,
  type InteractionPolicy,
  PolicyOverride,
  type PolicyRequest,
} from '#domain/people/policy.ts';
import { styleQuestionId } from '#domain/planning/asked-question.ts';
import type { ConversationPolicy, PolicyChange, PolicyView } from '#domain/service.ts';
import { JsonObject } from '#domain/text.ts';
import { requireRecentSetting } from '#messages/act-once.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';
import { checkTimezone } from '#timeline/recurrence.ts';

const heldForMs = 24 * 3_600_000;

export async function readPolicyOf(
  db: Queryable,
  run: Pick<RunRow, 'user' | 'policy'>,
): Promise<InteractionPolicy> {
  const { policy } = await readPolicy(db, run.user);
  return applyOverride(applyOverride(defaultPolicy, policy), run.policy);
}

export async function inheritPolicy(
  { db, clock }: ConversationContext,
  conversation: string,
  user: string,
): Promise<PolicyOverride> {
  const latest = await readLatestRun(db.query, conversation);
  if (latest === null || !(await isOnePerson(db.query, latest.user, user))) return {};
  const age = clock.now().getTime() - latest.updated_at.getTime();
  return age > heldForMs ? {} : PolicyOverride.parse(latest.policy);
}

/** The latest in each conversation of the last day, if it still applies. */
export async function readConversationPolicies(
  { db, clock }: ConversationContext,
  user: string,
): Promise<ConversationPolicy[]> {
  const since = new Date(clock.now().getTime() - heldForMs);
  const latest = await readLatestRuns(db.query, user, since);
  return latest.flatMap(({ conversation, request, policy: change }) => {
    const policy = PolicyOverride.parse(change);
    return Object.keys(policy).length === 0 ? [] : [{ conversation, request, policy }];
  });
}

export async function readPolicyRequest(
  { db, planner }: Pick<ConversationContext, 'db' | 'planner'>,
  conversation: string,
  text: string,
): Promise<PolicyRequest | null> {
  if (planner.parsePolicyRequest === undefined) return null;
  return planner.parsePolicyRequest(text, await isStyleAsked(db.query, conversation));
}

/** The bot's last message asks how the person likes to be talked with. */
async function isStyleAsked(db: Queryable, conversation: string): Promise<boolean> {
  const messages = await readLatestMessages(db, conversation, 5);
  const parts = messages.findLast(({ author }) => author === 'bot')?.parts ?? null;
  if (parts?.kind !== 'question' && parts?.kind !== 'answer') return false;
  return parts.facts.questions.some(({ id }) => id === styleQuestionId);
}

export async function storePolicyRequest(
  context: Pick<ConversationContext, 'enqueue'>,
  tx: Transaction,
  run: Pick<RunRow, 'id' | 'conversation' | 'policy'>,
  { override, lasting, confirmation }: Pick<PolicyRequest, 'override' | 'lasting' | 'confirmation'>,
  user: string,
): Promise<void> {
  if (lasting) await storePolicy(tx, user, override);
  await updateRun(tx, run.id, { policy: { ...run.policy, ...override } });
  await sayPreference(context, tx, { ...run, runId: run.id }, confirmation);
}

export async function sayPreference(
  context: Pick<ConversationContext, 'enqueue'>,
  tx: Transaction,
  { conversation, runId }: { conversation: string; runId: string },
  confirmation: string,
): Promise<void> {
  const says = { kind: 'preference', facts: { confirmation }, action: null } as const;
  await speakAsBot(context, tx, { conversation, says, runId });
}

// Only people set their preferences, never a model.

export async function getPolicy(db: Queryable, user: string): Promise<PolicyView> {
  const { policy } = await readPolicy(db, user);
  const calendar = (await readCalendarOf(db, await readEveryName(db, user)))?.host ?? null;
  return { user, policy: applyOverride(defaultPolicy, policy), set: policy, calendar };
}

/** @throws `not_allowed` for anyone else; `stale_version` for an outdated press, which must be repeated */
export async function setPolicy(
  { db, clock, openSeal }: { db: Database; clock: Clock } & Pick<ConversationContext, 'openSeal'>,
  user: string,
  { policy, keep, calendar: entry, pressed }: PolicyChange,
  actor: Actor,
): Promise<PolicyView> {
  if (actor.kind !== 'person' || actor.id !== user) {
    throw new CountersignError('not_allowed', `Only ${user} can change how I talk to ${user}.`);
  }
  if (pressed !== undefined) requireRecentSetting(pressed.at, clock.now());
  const read = readCalendarEntry(entry);
  if ('problem' in read) throw new CountersignError('invalid_request', read.problem);
  const { calendar: address } = read;
  const calendar = address == null ? address : seal(address);
  return db.transaction(async (tx) => {
    if (keep) await storePolicy(tx, user, policy);
    else await replacePolicy(tx, user, policy);
    if (calendar !== undefined)
      await storeCalendar(tx, user, await readEveryName(tx, user), calendar);
    const view = await getPolicy(tx, user);
    const connected = address === undefined ? {} : { calendar: view.calendar };
    const data = JsonObject.parse({ policy, keep, ...connected });
    await recordAudit(tx, [{ planId: null, actor, action: 'set_policy', data }]);
    return view;
  });

  function seal(secret: string) {
    const key = openSeal();
    if (typeof key !== 'string') return sealCalendar(key, user, secret, actor.tenant ?? null);
    const why = `The calendar is not connected, since its address would be stored unencrypted. ${key}`;
    throw new CountersignError('invalid_request', why);
  }
}

export function zoneOf({ timezone }: Actor): string | null {
  return timezone === undefined || checkTimezone(timezone) !== null ? null : timezone;
}

/** Null for no change. Only the requester's messages count: their working hours are in it. */
export async function readZoneOf(
  db: Queryable,
  actor: Actor,
  { user }: Pick<RunRow, 'user'>,
): Promise<string | null> {
  return (await isOnePerson(db, actor.id, user)) ? zoneOf(actor) : null;
}

export async function readZoneOfRun(db: Queryable, runId: string): Promise<string | null> {
  return (await readRun(db, runId)).decision?.timezone ?? null;
}

/** From the run that made it. @throws `plan_not_found` */
export async function readZoneOfPlan(db: Queryable, planId: string): Promise<string | null> {
  const { run_id } = await readPlanRow(db, planId);
  return run_id === null ? null : readZoneOfRun(db, run_id);
}
