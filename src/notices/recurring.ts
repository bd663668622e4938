// A person's reminders and recurring steps: listed, skipped, changed, ended.
// Recurring steps change by a patch of their plan, reminders at once.
import { recurringWords } from '#cards/recurring-words.ts';
import { recordAudit } from '#db/audit/audit.ts';
import type { Commit, Queryable, Transaction } from '#db/database.ts';
import { readEveryName } from '#db/people/identities.ts';
import { type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import {
  changeReminder,
  findRecurringPlans,
  type RecurringOf,
  type ReminderRow,
  readReminders,
  readUpcoming,
} from '#db/plans/recurring.ts';
import { readSeries, type SeriesRow } from '#db/plans/series.ts';
import { openSteps } from '#db/steps/accounting.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import {
  matchRecurring,
  type Recurring,
  type RecurringChange,
  type RecurringOutcome,
  readRecurringRequest,
} from '#domain/plan/recurring.ts';
import type { PlanScope } from '#domain/plan/scope.ts';
import { toJson } from '#domain/text.ts';
import { CommandRefusal } from '#planner/commands/request.ts';
import { readRhythm } from '#planner/commands/rhythm.ts';
import { refreshUserGroups } from '#plans/authority/members.ts';
import { checkPatch } from '#plans/change/receive.ts';
import { endingSeries, nextOf, skippingOnce } from '#plans/decisions/recurring.ts';
import { decide } from '#plans/lifecycle/decide.ts';
import type { PlansContext } from '#plans/plans-context.ts';
import { nextOccurrences } from '#timeline/recurrence.ts';
import { describeRecurrence } from '#timeline/repetition.ts';

/** `within` if several organisations share the instance. */
type RecurringQuery = { user: string; within?: Pick<PlanScope, 'tenant'> };

type Found = { entry: Recurring } & (
  | { reminder: ReminderRow }
  | { plan: PlanRow; series: SeriesRow }
);

function describeReminder(row: ReminderRow): Found {
  const { id, text, rrule, timezone, starts_at: startsAt, next_at, plan_id } = row;
  const recurrence = rrule === null ? null : { rrule, timezone, startsAt };
  const [then] = recurrence === null ? [] : nextOccurrences(recurrence, next_at, 1);
  const entry: Recurring = {
    ...{ id, kind: 'reminder', title: text, timezone, plan_id, others: 0 },
    rule: recurrence === null ? null : describeRecurrence(recurrence),
    next_at: next_at.toISOString(),
    then_at: then?.toISOString() ?? null,
  };
  return { entry, reminder: row };
}

async function readSeriesOf(db: Queryable, id: string): Promise<Found[]> {
  const plan = await readPlanRow(db, id);
  const found: Found[] = [];
  for (const series of await readSeries(db, id)) {
    const templates = series.steps.flatMap((step) => step.id ?? []);
    const upcoming = await readUpcoming(db, id, templates, Number.MAX_SAFE_INTEGER);
    const [next, then] = nextOf(series, upcoming, 2);
    if (next === undefined) continue;
    const { timezone, rrule, starts_at, title } = series;
    const entry: Recurring = {
      ...{ id: `${id}/${series.id}`, kind: 'series', title, timezone, plan_id: id },
      rule: describeRecurrence({ rrule, timezone, startsAt: new Date(starts_at) }),
      next_at: next.toISOString(),
      then_at: then?.toISOString() ?? null,
      others: openSteps(plan) - upcoming.length,
    };
    found.push({ entry, plan, series });
  }
  return found;
}

async function findAll(db: Queryable, { user, within }: RecurringQuery): Promise<Found[]> {
  const of: RecurringOf = { names: await readEveryName(db, user), tenant: within?.tenant };
  const reminders = (await readReminders(db, of)).map(describeReminder);
  const series: Found[] = [];
  for (const id of await findRecurringPlans(db, of)) series.push(...(await readSeriesOf(db, id)));
  return [...reminders, ...series].sort((a, b) => (a.entry.next_at < b.entry.next_at ? -1 : 1));
}

export async function listRecurring(db: Queryable, query: RecurringQuery): Promise<Recurring[]> {
  return (await findAll(db, query)).map(({ entry }) => entry);
}

/** @param id of the entry, or of its plan if it has only one @throws `not_found`, `invalid_request` */
async function findOne(db: Queryable, id: string, query: RecurringQuery): Promise<Found> {
  const all = await findAll(db, query);
  const entries = all.map(({ entry }) => entry);
  const [only, ...more] = matchRecurring(entries, id);
  const found = all.find(({ entry }) => entry === only);
  if (found === undefined) throw new CountersignError('not_found', recurringWords.unknown({ id }));
  if (more.length === 0) return found;
  const names = matchRecurring(entries, id).map((entry) => entry.id);
  throw new CountersignError('invalid_request', recurringWords.which({ names }));
}

/** @throws `invalid_request` */
function readWhen(text: string, old: string | null, now: Date, timezone: string) {
  try {
    return readRhythm(text, old, { now, timezone });
  } catch (error) {
    if (error instanceof CommandRefusal)
      throw new CountersignError('invalid_request', error.message);
    throw error;
  }
}

function timingOf(
  { rrule, timezone }: Pick<ReminderRow, 'rrule' | 'timezone'>,
  when: string,
  now: Date,
) {
  const read = readWhen(when, rrule, now, timezone);
  if ('at' in read)
    return { rrule: null, starts_at: new Date(read.at), next_at: new Date(read.at) };
  const [next_at] = nextOccurrences({ rrule: read.rrule, timezone, startsAt: now }, now, 1);
  if (next_at === undefined)
    throw new CountersignError('invalid_request', recurringWords.never({ when }));
  return { rrule: read.rrule, starts_at: now, next_at };
}

function setReminder(row: ReminderRow, { entry }: Found, change: RecurringChange, now: Date) {
  switch (change.action) {
    case 'skip':
      return { next_at: entry.then_at === null ? null : new Date(entry.then_at) };
    case 'end':
      return { next_at: null };
    case 'change': {
      const { text, when } = change;
      return {
        ...(text === undefined ? {} : { text }),
        ...(when === undefined ? {} : timingOf(row, when, now)),
      };
    }
    default:
      return change satisfies never;
  }
}

/** Holding a call's text, most specific first. */
const textArguments = ['text', 'content', 'question', 'message', 'body'];

/** The series' only step with a text. @throws `invalid_request` */
function findText({ steps, title }: SeriesRow): { step: string; name: string } {
  const found = steps.flatMap(({ id, args = {} }) => {
    const name = textArguments.find((one) => typeof args[one] === 'string');
    return name === undefined ? [] : [{ step: id ?? '', name }];
  });
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new CountersignError('invalid_request', recurringWords.noText({ title }));
}

function changeSeries(
  series: SeriesRow,
  { when, text }: Extract<RecurringChange, { action: 'change' }>,
  now: Date,
): PatchOperation {
  const { id, rrule, timezone } = series;
  const read = when === undefined ? null : readWhen(when, rrule, now, timezone);
  if (read !== null && 'at' in read)
    throw new CountersignError('invalid_request', recurringWords.needsRule);
  const oldText = text === undefined ? null : findText(series);
  return {
    op: 'change_series',
    series: id,
    set: {
      ...(read === null ? {} : { rrule: read.rrule, starts_at: now.toISOString() }),
      ...(oldText === null ? {} : { args: { [oldText.step]: { [oldText.name]: text ?? '' } } }),
    },
  };
}

type Prepared = { before: Recurring; commit: Commit<RecurringOutcome> };

function requireChange(change: RecurringChange): void {
  if (change.action !== 'change' || change.when !== undefined || change.text !== undefined) return;
  throw new CountersignError('invalid_request', recurringWords.nothingGiven);
}

/**
 * @param id as in the list @throws (with the commit) `not_found`, `invalid_request`, `already_decided` if the next time has
 * changed
 */
export async function prepareRecurring(
  context: PlansContext,
  id: string,
  change: RecurringChange,
  query: RecurringQuery,
  actor: Actor,
): Promise<Prepared> {
  const { db, clock } = context;
  requireChange(change);
  const found = await findOne(db.query, id, query);
  const { entry: before } = found;
  const after = async (tx: Transaction) =>
    (await findAll(tx, query)).find(({ entry }) => entry.id === before.id)?.entry ?? null;
  if ('reminder' in found) {
    const { reminder } = found;
    const set = setReminder(reminder, found, change, clock.now());
    const seen = change.action === 'skip' ? change.next_at : undefined;
    return {
      before,
      async commit(tx) {
        const isNext = seen === undefined || Date.parse(seen) === reminder.next_at.getTime();
        if (!isNext || !(await changeReminder(tx, reminder, set)))
          throw new CountersignError('already_decided', recurringWords.moved);
        const action = `${change.action}_reminder`;
        const data = { reminder: reminder.id, set: toJson(set) };
        await recordAudit(tx, [{ planId: reminder.plan_id, actor, action, data }]);
        if (set.next_at != null)
          await context.enqueue(tx, 'remind', {}, { startAfter: set.next_at });
        return { entry: await after(tx), waits: null };
      },
    };
  }
  const { plan, series } = found;
  await refreshUserGroups(context, plan);
  if (change.action === 'change') {
    const operations = [changeSeries(series, change, clock.now())];
    const patch = { base_revision: plan.revision, operations };
    const commit = await checkPatch(context, plan.id, patch, actor, async () => {});
    return {
      before,
      async commit(tx) {
        const { status, version } = await commit(tx);
        return { entry: await after(tx), waits: status === 'needs_approval' ? version : null };
      },
    };
  }
  const ruling =
    change.action === 'end'
      ? endingSeries(context, plan.id, series.id, actor)
      : skippingOnce(context, plan.id, series.id, change.next_at ?? null, actor);
  const commit = await decide(db, ruling);
  return {
    before,
    async commit(tx) {
      await commit(tx);
      return { entry: await after(tx), waits: null };
    },
  };
}

/** Null unless the message only lists, skips, changes or ends them. */
export async function readRecurringWords(
  context: PlansContext & { timezone: string },
  query: RecurringQuery,
  text: string,
  actor: Actor,
): Promise<Commit<string> | null> {
  const request = readRecurringRequest(text);
  if (request === null) return null;
  const { db, clock } = context;
  const reader = { timezone: actor.timezone ?? context.timezone, now: clock.now().toISOString() };
  try {
    if (request.kind === 'list') {
      const entries = await listRecurring(db.query, query);
      return async () => recurringWords.list({ entries, ...reader });
    }
    if (request.kind === 'ask_end') {
      const { entry } = await findOne(db.query, request.id, query);
      return async () => recurringWords.askEnd({ entry, command: `end ${entry.id} now` });
    }
    const { change } = request;
    const { before, commit } = await prepareRecurring(context, request.id, change, query, actor);
    return async (tx) => recurringWords.done({ before, change, ...(await commit(tx)), ...reader });
  } catch (error) {
    if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
    const { message } = error;
    return async () => message;
  }
}
