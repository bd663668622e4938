// Decides on a waiting session, once, under the run's lock.
import { writeCall } from '#cards/calls-to-action.ts';
import { refusalWords } from '#cards/decision-words.ts';
import { appendMessage } from '#db/chat/messages.ts';
import type { Commit, Queryable, Transaction } from '#db/database.ts';
import { readLinks, showName } from '#db/people/identities.ts';
import { lockRun, type RunRow, readRun, toRunView } from '#db/planning/runs.ts';
import { callOf, plainMessage } from '#domain/chat/message-parts.ts';
import type { SessionChoice } from '#domain/chat/session-card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { memoryLimits } from '#domain/people/memory-note.ts';
import type { RunView } from '#domain/planning/run.ts';
import type { GivenToStep, SessionDecision } from '#domain/planning/state.ts';
import { shorten } from '#domain/words.ts';
import type { ConversationContext } from '#messages/context.ts';
import { requireReadable } from '#messages/store-message.ts';
import { keepNotesIn } from '#people/memory.ts';
import { readZoneOf, sayPreference } from '#people/policy.ts';
import { counts, judge, type People, type Rule } from '#plans/authority/approver-rules.ts';
import { describeAllMissing } from '#plans/authority/approver-words.ts';
import { requirePerson } from '#plans/authority/authority.ts';
import {
  groupMembers,
  readGroups,
  refreshUserGroups,
  showGroups,
  withMembers,
} from '#plans/authority/members.ts';
import { decide, type Ruling } from '#plans/lifecycle/decide.ts';
import {
  digestShown,
  isDecidable,
  nameShown,
  type Waits,
  waitsFor,
} from '#runs/session-subject.ts';
import { queueTurn } from '#runs/start-run.ts';
import { type Answering, dropAnswer, findGiven, giveAnswer, lockAnswering } from './answer-step.ts';
import { approve, proposeChanges, reject } from './plan-decisions.ts';

const rule: Rule = { policy: { kind: 'requester' }, operations: [] };

/** Requester and configured approvers, under any account. */
export async function readDeciders(
  db: Queryable,
  { approvers, grouping }: Pick<ConversationContext, 'approvers' | 'grouping'>,
  run: Pick<RunRow, 'user' | 'tenant'>,
  user: string,
  decides = false,
): Promise<{ words: string; may: boolean }> {
  const groupsFor = await readGroups(db, grouping, approvers, [run.tenant]);
  const groups = groupsFor(run.tenant, decides);
  const configured = withMembers(approvers, groups);
  const { same, shown } = await readLinks(db, [run.user, ...configured, user]);
  const people: People = {
    requester: run.user,
    configured,
    known: null,
    same,
    shown: new Map([...shown, ...showGroups(groups)]),
    groups: groupMembers([run.user, ...approvers], groups),
    // One person is enough, verified or not.
    vouched: () => false,
    requesterVouched: false,
  };
  return {
    words: describeAllMissing(judge([rule], people, []), people),
    may: counts(rule.policy, people, user),
  };
}

/** @throws `not_allowed`, naming deciders */
export async function requireDecider(
  q: Queryable,
  context: ConversationContext,
  run: RunRow,
  actor: Actor,
): Promise<void> {
  requirePerson(actor);
  const { words, may } = await readDeciders(q, context, run, actor.id, true);
  if (may) return;
  throw new CountersignError('not_allowed', refusalWords.onlyDeciders({ deciders: words }));
}

const decidedVerbs = {
  approve: 'approved',
  reject: 'rejected',
  changes: 'asked for changes to',
} as const;

/** Decided on the previous turn, now in progress. */
function wasChosenBefore(
  { planning_status, decision, turn }: RunRow,
  choice: SessionChoice,
  actor: Actor,
): boolean {
  if (planning_status !== 'running' || decision === null || decision.kind === 'said') return false;
  if (decision.by !== actor.id || (choice.turn ?? turn - 1) !== turn - 1) return false;
  switch (decision.kind) {
    case 'approve':
      return choice.kind === 'approve' && choice.digest === decision.digest;
    case 'changes':
      return choice.kind === 'changes' && choice.feedback === decision.feedback;
    case 'reject':
      return choice.kind === 'reject';
    default:
      return decision satisfies never;
  }
}

/** Requires the run's lock. @throws `already_decided` or `stale_version` */
async function requireShown(
  db: Queryable,
  run: RunRow,
  { digest, turn }: SessionChoice,
): Promise<Waits> {
  const waits = waitsFor(run);
  const shown = digestShown(run);
  if (waits !== null && digest === shown && (turn ?? run.turn) === run.turn) return waits;
  const details = { current: { turn: run.turn, digest: shown, waits_for: waits } };
  const before = run.decision;
  if (run.planning_status !== 'running') {
    throw new CountersignError(
      waits === null ? 'invalid_transition' : 'stale_version',
      waits === null
        ? refusalWords.nothingWaitsNow
        : refusalWords.changedWhileReading({ shown: nameShown(run) }),
      { details },
    );
  }
  if (before !== null && before.kind !== 'said') {
    throw new CountersignError(
      'already_decided',
      refusalWords.decidedBefore({
        verb: decidedVerbs[before.kind],
        by: await showName(db, before.by),
      }),
      { details },
    );
  }
  throw new CountersignError('stale_version', refusalWords.saidMore, { details });
}

/** For the planner. @throws `invalid_transition` if `waits` doesn't allow it */
function readDecision(
  run: RunRow,
  waits: Waits,
  choice: SessionChoice,
  by: string,
): SessionDecision {
  switch (choice.kind) {
    case 'approve':
      if (waits === 'questions' || waits === 'escalation') {
        throw new CountersignError(
          'invalid_transition',
          `${refusalWords.nothingToApprove({ shown: nameShown(run) })} ${writeCall(callOf({ kind: waits, gate: null }, 'neutral'))}`,
        );
      }
      return { kind: 'approve', by, digest: run.pause?.digest ?? null };
    case 'reject':
      return { kind: 'reject', by };
    case 'changes':
      // Any reply to a question is its answer.
      return isDecidable(waits)
        ? { kind: 'changes', by, feedback: choice.feedback }
        : { kind: 'said' };
    default:
      return choice satisfies never;
  }
}

function wordOf(choice: SessionChoice): string {
  const choiceName = { approve: 'approve', reject: 'reject', changes: 'propose changes' }[
    choice.kind
  ];
  const feedback = choice.kind === 'approve' ? undefined : choice.feedback;
  return feedback === undefined ? choiceName : `${choiceName}: ${feedback}`;
}

/**
 * The commit locks and compares.
 * @param typed the text is already in the conversation
 * @throws `not_allowed`, `already_decided`, `stale_version`, `invalid_transition`, `feedback_required`
 */
export async function decideSession(
  context: ConversationContext,
  runId: string,
  choice: SessionChoice,
  actor: Actor,
  typed: boolean,
): Promise<Commit<void>> {
  if (choice.kind === 'changes' && choice.feedback.trim() === '') {
    throw new CountersignError('feedback_required', refusalWords.whatChangesUndecided);
  }
  if (choice.kind !== 'approve') requireReadable(choice.feedback ?? '');
  const { query } = context.db;
  const seen = await readRun(query, runId);
  await refreshUserGroups(context, seen);
  const given = await findGiven(query, seen);
  const commit = await decide(
    context.db,
    sessionRuling(context, runId, choice, actor, given, typed),
  );
  return async (tx) => {
    await commit(tx);
  };
}

type LockedSession = { run: RunRow; answering: Answering | null };

function sessionRuling(
  context: ConversationContext,
  runId: string,
  choice: SessionChoice,
  actor: Actor,
  given: GivenToStep | null,
  typed: boolean,
): Ruling<LockedSession, void, void> {
  // The plan decides who answers a step; deciders do the rest.
  const isAnswer = choice.kind === 'approve' && given !== null;
  const write = (tx: Transaction, run: RunRow) =>
    typed ? null : record(tx, run, wordOf(choice), actor);
  return {
    async lock(tx) {
      const answering = await lockAnswering(tx, given);
      return { answering, run: await lockRun(tx, runId) };
    },
    async requireAllowed(q, { run }) {
      if (isAnswer) requirePerson(actor);
      else await requireDecider(q, context, run, actor);
    },
    isRepeated: async (_, { run }) => !isAnswer && wasChosenBefore(run, choice, actor),
    async requireCurrent(q, { run }) {
      await requireShown(q, run, choice);
    },
    async apply(tx, { run, answering }) {
      if (isAnswer && answering !== null) {
        await write(tx, run);
        return giveAnswer(context, tx, run, answering, actor);
      }
      const waits = await requireShown(tx, run, choice);
      if (waits === 'answer' && choice.kind === 'reject') return dropAnswer(tx, run, actor);
      const decision = readDecision(run, waits, choice, actor.id);
      if (waits === 'rfc' && choice.kind === 'approve') await keepSubtype(context, tx, run, actor);
      const message = await write(tx, run);
      const words = choice.kind === 'changes' ? { text: choice.feedback, message } : null;
      const zone = words === null ? null : await readZoneOf(tx, actor, run);
      await queueTurn(context, tx, run, actor, words, zone, decision);
    },
  };
}

async function keepSubtype(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  actor: Actor,
): Promise<void> {
  const { rfc, conversation, user, id: runId } = run;
  if (rfc === null) return;
  const { text: most, name: mostOfName } = memoryLimits;
  const note = { name: shorten(rfc.proposes, mostOfName), text: shorten(rfc.text, most) };
  const source = { kind: 'approved', run: runId } as const;
  const kept = await keepNotesIn(tx, { conversation, user }, [note], source, actor);
  await sayPreference(context, tx, { conversation, runId }, kept);
}

function record(tx: Transaction, run: RunRow, text: string, actor: Actor): Promise<number | null> {
  const { conversation, id: runId } = run;
  const author = 'person';
  const parts = plainMessage;
  return appendMessage(tx, { conversation, author, name: actor.id, text, parts, runId });
}

function planShown(run: RunRow, { digest }: SessionChoice): { id: string; version: number } | null {
  const { plan_id: id, plan_version: version, plan_digest } = run;
  if (waitsFor(run) !== null || run.planning_status !== 'needs_clarification') return null;
  return id === null || version === null || digest !== plan_digest ? null : { id, version };
}

export async function decideRun(
  context: ConversationContext,
  runId: string,
  choice: SessionChoice,
  actor: Actor,
): Promise<Commit<RunView>> {
  const commit = await checkChoice(context, runId, choice, actor);
  return async (tx) => {
    await commit(tx);
    return toRunView(await readRun(tx, runId));
  };
}

async function checkChoice(
  context: ConversationContext,
  runId: string,
  choice: SessionChoice,
  actor: Actor,
): Promise<Commit<unknown>> {
  const plan = planShown(await readRun(context.db.query, runId), choice);
  if (plan === null) return decideSession(context, runId, choice, actor, false);
  const { id, version } = plan;
  if (choice.kind === 'approve') {
    const { digest, passed } = choice;
    const seen = passed === undefined ? {} : { passed };
    return approve(context, id, { version, digest, ...seen }, actor);
  }
  const { feedback } = choice;
  const decision = { version, ...(feedback === undefined ? {} : { feedback }) };
  return choice.kind === 'reject'
    ? reject(context, id, decision, actor)
    : proposeChanges(context, id, decision, actor);
}
