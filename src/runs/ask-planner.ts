// Calls the planner, reports its activity, and stops it with its turn.
import { setTimeout as pause } from 'node:timers/promises';
import { readManifests } from '#db/backends.ts';
import { readLatestMessages, type StoredMessage } from '#db/chat/messages.ts';
import { isOnePerson, readShown } from '#db/people/identities.ts';
import { noteActivity, type RunRow, readRun } from '#db/planning/runs.ts';
import { readSpentBy } from '#db/planning/spending.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { isDatabaseAway } from '#db/transient.ts';
import { startOfUtcDay } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import { leaveOutQuotes } from '#domain/people/memory.ts';
import type { BriefPlan } from '#domain/plan/brief.ts';
import type { StepComment } from '#domain/plan/plan.ts';
import type { Activity, ReportActivity } from '#domain/planning/activity.ts';
import { joinLines } from '#domain/planning/asked-question.ts';
import type { PlanningOutcome, PlanningRequest, Utterance } from '#domain/planning/run.ts';
import type { ThreadRead } from '#domain/planning/thread.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readMemoryBrief } from '#people/memory.ts';
import { readPolicyOf } from '#people/policy.ts';
import { readBriefs } from '#plans/views/brief.ts';
import { readDraft, revisableSteps } from '#plans/views/draft.ts';
import { readThread } from './read-thread.ts';

const historyLength = 30;
const graceSeconds = 5;

function findAsked(messages: StoredMessage[], { request_message }: RunRow): number {
  const asked = messages.findIndex(({ id }) => id === request_message);
  return asked < 0 ? messages.findLastIndex(({ author }) => author === 'person') : asked;
}

/** Without talk about style, which the policy covers. */
function toUtterances({ author, text, parts }: StoredMessage): Utterance[] {
  if (parts === null) return [{ author, text }];
  const { kind } = parts;
  switch (kind) {
    case 'answer':
    case 'question': {
      // The line above an answer is not the model's.
      const own = kind === 'answer' && parts.facts.unplanned === true;
      const words = own ? joinLines(parts.facts.lines) : text;
      return [{ author, text: words, kind, questions: parts.facts.questions }];
    }
    case 'said': {
      const { answers, rest } = parts.facts;
      return rest === '' ? [] : [{ author, text: rest ?? text, kind, answers }];
    }
    case 'preference':
      return [];
    default:
      return [{ author, text, kind }];
  }
}

/** For messages of this run, tells whether the bot has spoken since. */
function tellHistory(
  messages: StoredMessage[],
  latest: number,
  { id }: RunRow,
  people: People,
): Utterance[] {
  const before = messages.slice(0, Math.max(0, latest));
  const answered = before.findLastIndex(({ author, run_id }) => author === 'bot' && run_id === id);
  return before.flatMap((message, at) => {
    const open = message.author === 'person' && message.run_id === id && at > answered;
    const by = message.author === 'person' && people.several ? people.call(message.name) : null;
    return toUtterances(message).map((one) => ({
      ...one,
      ...(by === null ? {} : { by }),
      ...(open ? { unanswered: true as const } : {}),
    }));
  });
}

/** `several`: they have to be told apart. */
type People = { several: boolean; call(name: string): string };

async function readPeople(
  { db }: ConversationContext,
  { user }: RunRow,
  messages: StoredMessage[],
  plans: BriefPlan[],
): Promise<People> {
  const named = new Set([
    user,
    ...messages.flatMap(({ author, name }) => (author === 'person' ? [name] : [])),
    ...plans.flatMap(({ people }) => people?.asked_by ?? []),
  ]);
  const decided = plans.flatMap(({ people }) => people?.decided_by ?? []);
  const shown = await readShown(db.query, [...named, ...decided]);
  const own = await Promise.all([...named].map((name) => isOnePerson(db.query, name, user)));
  return { several: own.includes(false), call: (name) => shown.get(name) ?? name };
}

function namePlans(plans: BriefPlan[], { several, call }: People): BriefPlan[] {
  return plans.map(({ people, ...plan }) => {
    if (!several || people === undefined) return plan;
    const { asked_by, decided_by } = people;
    const by = decided_by === null ? null : call(decided_by);
    return { ...plan, people: { asked_by: call(asked_by), decided_by: by } };
  });
}

async function nameAsked(
  { db }: ConversationContext,
  plans: BriefPlan[],
  { user }: RunRow,
  { call }: People,
): Promise<BriefPlan[]> {
  const asked = new Set(plans.flatMap(({ steps }) => steps.flatMap(({ asks }) => asks ?? [])));
  const others = new Set<string>();
  for (const name of asked) if (!(await isOnePerson(db.query, name, user))) others.add(name);
  return plans.map((plan) => ({
    ...plan,
    steps: plan.steps.map(({ asks, ...step }) =>
      asks === undefined || !others.has(asks) ? step : { ...step, asks: call(asks) },
    ),
  }));
}

async function readOwnWords(
  { db }: ConversationContext,
  { user }: RunRow,
  messages: StoredMessage[],
): Promise<string[]> {
  const people = new Set(
    messages.flatMap(({ author, name }) => (author === 'person' ? [name] : [])),
  );
  const own = new Set<string>();
  for (const name of people) if (await isOnePerson(db.query, name, user)) own.add(name);
  return messages.flatMap(({ author, name, text, parts }) => {
    if (author !== 'person' || !own.has(name)) return [];
    const { answers = [], typed = text } = parts?.kind === 'said' ? parts.facts : {};
    return [leaveOutQuotes(typed), ...answers.map((answer) => leaveOutQuotes(answer.text))];
  });
}

function threadOf(messages: StoredMessage[], run: RunRow) {
  const known = new Set(messages.flatMap(({ once }) => once ?? []));
  return { once: messages[findAsked(messages, run)]?.once ?? null, heard: known };
}

function commentsOf({ rejection_history }: PlanRow): { comments?: StepComment[] } {
  const comments = rejection_history.at(-1)?.comments;
  return comments === undefined ? {} : { comments };
}

async function buildRequest(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  { messages, thread }: { messages: StoredMessage[]; thread: ThreadRead | null },
): Promise<PlanningRequest> {
  const latest = findAsked(messages, run);
  const parts = messages[latest]?.parts;
  const answers = parts?.kind === 'said' ? parts.facts.answers : [];
  const ownWords = await isOnePerson(
    context.db.query,
    messages[latest]?.name ?? run.user,
    run.user,
  );
  const memory = await readMemoryBrief(context.db.query, run, ownWords);
  const {
    timezone = context.timezone,
    tenant: _,
    speaker: __,
    joined: ___,
    ...decision
  } = run.decision ?? { kind: 'said' };
  // A planner that revises a plan is shown that one whole.
  const plans = refused === null ? await readBriefs(context.db.query, run.conversation) : [];
  const people = await readPeople(context, run, messages, plans);
  const displayName = people.call(run.user);
  const writer = messages[latest]?.name;
  return {
    runId: run.id,
    text: run.request,
    ...(answers.length === 0 ? {} : { answers }),
    user: run.user,
    ...(displayName === run.user ? {} : { displayName }),
    ...(ownWords || writer === undefined ? {} : { writer: people.call(writer) }),
    ownWords,
    ownMessages: await readOwnWords(context, run, messages.slice(0, latest + 1)),
    ...(memory.length === 0 ? {} : { memory }),
    conversation: run.conversation,
    ...(run.plan_id === null ? {} : { goal: run.plan_id }),
    ...(thread === null ? {} : { thread }),
    ...(parts?.kind === 'said' && parts.facts.files !== undefined
      ? { files: parts.facts.files }
      : {}),
    ...(plans.length === 0
      ? {}
      : { plans: namePlans(await nameAsked(context, plans, run, people), people) }),
    history: tellHistory(messages, latest, run, people),
    revision:
      refused === null
        ? null
        : {
            previous: await readDraft(context.db.query, refused.id),
            feedback: refused.rejection_history.flatMap(({ feedback }) =>
              feedback === null ? [] : [feedback],
            ),
            ...commentsOf(refused),
          },
    turn: run.turn,
    decision,
    policy: await readPolicyOf(context.db.query, run),
    todayUsd: await readSpentBy(context.db.query, run.user, startOfUtcDay(context.clock.now())),
    modes: run.modes,
    now: context.clock.now(),
    timezone,
  };
}

function aborted(context: ConversationContext, reason: string): PlanningOutcome {
  return {
    result: { kind: 'aborted', text: reason, reason },
    reason,
    planner: context.planner.name,
    confidence: null,
    cost_usd: 0,
    trace: [],
    session: null,
  };
}

/** @param refused the plan to revise @throws while the database is unavailable; the job is retried */
export async function askPlanner(
  context: ConversationContext,
  run: RunRow,
  refused: PlanRow | null,
  signal: AbortSignal,
  report: ReportActivity,
): Promise<PlanningOutcome> {
  if (refused !== null && refused.total > revisableSteps) {
    return aborted(
      context,
      `A plan of ${refused.total} steps is too large to revise in words. Propose the changed plan through the API.`,
    );
  }
  const messages = await readLatestMessages(context.db.query, run.conversation, historyLength);
  // Chat platforms may let it wait, which is no planning time.
  const thread = await readThread(context, run, threadOf(messages, run), signal, report);
  // A backstop for the planner's own limit. A planner waiting for its parts reports that.
  const deadline = new AbortController();
  const late = setTimeout(() => deadline.abort(), (context.planningSeconds + graceSeconds) * 1000);
  try {
    const request = await buildRequest(context, run, refused, { messages, thread });
    await context.catalogue.refresh(() => readManifests(context.db.query));
    const ended = AbortSignal.any([signal, deadline.signal]);
    return await context.planner.plan(request, ended, (activity) => {
      if (activity.kind === 'parts') late.refresh();
      report(activity);
    });
  } catch (error) {
    // The retry continues from its checkpoint.
    if (isDatabaseAway(error) && !deadline.signal.aborted) throw error;
    context.warn(`The planner failed in run ${run.id}.`, error);
    const reason = deadline.signal.aborted
      ? `Planning took longer than ${context.planningSeconds} seconds.`
      : `Planning failed: ${errorMessage(error)}`;
    return aborted(context, `${reason} Ask again, or ask for less at once.`);
  } finally {
    clearTimeout(late);
  }
}

/** People read no faster, and chat platforms accept no more. */
const paceMs = 1000;
/** A faster plan would only be preceded by “thinking”, which is shown already. */
const firstMs = 300;
/** Resends unchanged activity for indicators that fade (Teams' typing). */
const againMs = 4000;

type FollowedPlanner = {
  report: ReportActivity;
  over: AbortSignal;
  close(): Promise<void>;
};

/** Only logs failures to record. */
export function followPlanner(
  { db, listener, warn }: Pick<ConversationContext, 'db' | 'listener' | 'warn'>,
  { id, turn, activity: stored }: Pick<RunRow, 'id' | 'turn' | 'activity'>,
): FollowedPlanner {
  const over = new AbortController();
  const closing = new AbortController();
  let latest: Activity = { kind: 'thinking' };
  let wake = () => {};
  let noted = JSON.stringify(stored ?? latest);

  const nap = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => {});

  async function checkTurn(): Promise<void> {
    const run = await readRun(db.query, id);
    if (run.turn !== turn || run.planning_status !== 'running') over.abort();
  }

  async function keepNoting(): Promise<void> {
    await nap(firstMs);
    while (!closing.signal.aborted) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (JSON.stringify(latest) === noted) await Promise.race([news, nap(againMs)]);
      if (closing.signal.aborted) return;
      const activity = latest;
      if (!(await noteActivity(db.query, { id, turn }, activity))) return over.abort();
      noted = JSON.stringify(activity);
      await nap(paceMs);
    }
  }

  const off = listener.on(`stop:${id}`, () => {
    checkTurn().catch((error: unknown) => warn(`Could not check run ${id}.`, error));
  });
  const noting = keepNoting().catch((error: unknown) =>
    warn(`Could not show the planner’s progress in run ${id}.`, error),
  );
  return {
    report(activity) {
      latest = activity;
      wake();
    },
    over: over.signal,
    async close() {
      off();
      closing.abort();
      wake();
      await noting;
    },
  };
}
