// Answers near-misses and plan questions without a model.
import { viewAsks } from '#cards/asks.ts';
import { writeCall } from '#cards/calls-to-action.ts';
import { statusAnswers } from '#cards/decision-words.ts';
import { writeMessage } from '#cards/message-text.ts';
import { answerPlanQuestion, type PlanQuestion } from '#cards/plan-answers.ts';
import { lockRun, type RunRow, updateRun } from '#db/planning/runs.ts';
import { type PlanRow, readChangesOf, readPlansOf } from '#db/plans/plans.ts';
import { callOf, type MessageParts } from '#domain/chat/message-parts.ts';
import { readRecurringRequest } from '#domain/plan/recurring.ts';
import { trimTail } from '#domain/words.ts';
import { type ConversationContext, readsCommands } from '#messages/context.ts';
import { speakAsBot, storePersonMessage } from '#messages/store-message.ts';
import { isChange } from '#planner/commands/changes.ts';
import { findChangeFault } from '#planner/offline/change-draft.ts';
import { isManager } from '#plans/authority/authority.ts';
import { sourcesOf } from '#plans/lifecycle/lifecycle-table.ts';
import { readDraft, revisableSteps } from '#plans/views/draft.ts';
import { isDecidable, isOpen, nameShown, waitsFor } from '#runs/session-subject.ts';
import { readCardFacts } from '../plan-card.ts';
import { type NearWord, readNearWord, type Word } from '../read-word.ts';
import type { Reply } from './reply.ts';

const longest = 200;
const it = '(?:it|this|that|(?:the|this) plan|everything)';

const step = String.raw`(?:the )?step (?<step>\d{1,6}[a-z]{0,2})`;

/** The first match counts. */
const table: [PlanQuestion['kind'], RegExp][] = [
  [
    'guarded',
    new RegExp(
      `^why (?:is|does|has|must|should) ${step}.*\\b(?:guarded|shield|approv|confirm|ask)`,
    ),
  ],
  ['guarded', new RegExp(`^is ${step} guarded$`)],
  [
    'step',
    new RegExp(
      `^(?:what (?:does|is|will|would|happens (?:in|at|with)|about)|how about|explain|describe|show(?: me)?|tell me about) ${step}\\b`,
    ),
  ],
  [
    'approvers',
    /^who (?:can|may|must|could|should|has to|have to|needs to|else (?:can|may|must)|is allowed to|is asked to) (?:approve|countersign|decide|sign)/,
  ],
  [
    'approvers',
    new RegExp(`^(?:whose approval|who) (?:does|do|is|are) ${it} (?:need|wait|waiting)`),
  ],
  ['duration', /^how (?:long|much time) (?:will|does|would|is|do)\b/],
  [
    'duration',
    new RegExp(
      `^when (?:will|would|does|is) ${it} (?:be (?:done|ready|finished|over)|finish|end|done)`,
    ),
  ],
  ['approval', /^why (?:do|does|must|should|is|has)\b.*\b(?:approve|approval|countersign|decide)/],
  ['steps', new RegExp(`^what (?:will|does|would|is) ${it} (?:do|going to do)$`)],
  ['steps', /^(?:what are|which are|list|show(?: me)?) the steps$/],
];

function readPlanQuestion(text: string): PlanQuestion | null {
  if (text.length > longest) return null;
  const plain = trimTail(text.normalize('NFKC').toLowerCase(), /[\s?.!]/)
    .trim()
    .replace(/\s+/g, ' ');
  for (const [kind, form] of table) {
    const found = form.exec(plain);
    if (found !== null) return { kind, step: found.groups?.step ?? null };
  }
  return null;
}

type Answer = { says: string | MessageParts; runId: string | null; planId: string | null };

/** `fault`: why it can't be made. */
export type BareChange = { plan: PlanRow; fault: string | null };

/** With several waiting plans, asks which is meant. @param run words to a planner at work, or that asks, are for it */
export async function findBareChange(
  context: ConversationContext,
  conversation: string,
  run: RunRow | null,
  text: string,
): Promise<BareChange | null> {
  const { db, clock, timezone } = context;
  const setting = { now: clock.now(), timezone };
  if (isOpen(run) || !readsCommands(context)) return null;
  if (readRecurringRequest(text) !== null || !isChange(text, setting)) return null;
  const open = await readPlansOf(db.query, conversation, sourcesOf('approve'));
  const [plan, other] = open.filter(({ revising }) => !revising);
  if (plan === undefined) return null;
  const isTried = other === undefined && plan.total <= revisableSteps;
  const fault = isTried ? findChangeFault(text, await readDraft(db.query, plan.id), setting) : null;
  return { plan, fault };
}

export async function readBareChange(
  context: ConversationContext,
  change: BareChange | null,
  { text, actor }: Reply,
): Promise<Word> {
  return change?.fault === null && (await isManager(context.db.query, context, change.plan, actor))
    ? { kind: 'propose_changes', feedback: text.trim() }
    : { kind: 'talk' };
}

function offerDecision(
  word: NearWord,
  { id, title, version }: PlanRow,
  text: string,
  started: boolean,
): MessageParts {
  const facts = {
    code: 'near_word',
    plan_id: id,
    title,
    word,
    version,
    started,
    said: text,
  } as const;
  return { kind: 'notice', facts, action: null };
}

async function answerAboutPlan(
  context: ConversationContext,
  conversation: string,
  { text, actor }: Reply,
  change: BareChange | null,
): Promise<Answer | null> {
  if (change !== null && change.fault !== null) {
    const { id, run_id } = change.plan;
    return { says: change.fault, runId: run_id, planId: id };
  }
  const near = readNearWord(text);
  const question = near === null ? readPlanQuestion(text) : null;
  if (near === null && question === null) return null;
  const { query } = context.db;
  const [waiting] = await readPlansOf(query, conversation, sourcesOf('approve'));
  if (waiting !== undefined && !waiting.revising) {
    const about = { runId: waiting.run_id, planId: waiting.id };
    if (near !== null) return { ...about, says: offerDecision(near, waiting, text.trim(), false) };
    if (question === null) return null;
    const viewer = { user: actor.id, timezone: actor.timezone ?? context.timezone };
    const facts = await readCardFacts(context, waiting.id, viewer);
    return { ...about, planId: null, says: answerPlanQuestion(question, facts) };
  }
  if (near === null) return null;
  const [pending] =
    near === 'approve' || near === 'reject' ? await readChangesOf(query, conversation) : [];
  if (pending !== undefined)
    return {
      runId: pending.run_id,
      planId: pending.id,
      says: offerDecision(near, pending, text.trim(), false),
    };
  const [running] = await readPlansOf(query, conversation, ['approved', 'executing', 'stalled']);
  if (running === undefined) return null;
  if (near === 'approve' || near === 'reject') {
    const viewer = { user: actor.id, timezone: actor.timezone ?? context.timezone };
    const [ask] = viewAsks(await readCardFacts(context, running.id, viewer));
    const about = { runId: running.run_id, planId: running.id };
    return ask === undefined ? null : { ...about, says: statusAnswers.asksStep(ask) };
  }
  const says = offerDecision(near, running, text.trim(), true);
  return { says, runId: running.run_id, planId: running.id };
}

/** Budget questions also accept everyday answers. */
function answerAboutSession(run: RunRow, { text }: Reply): Answer | null {
  const waits = waitsFor(run);
  if (!isDecidable(waits) || waits === 'budget' || waits === 'escalation') return null;
  const near = readNearWord(text);
  if (near === null) return null;
  const call = writeCall(callOf({ kind: waits, gate: run.pause?.gate ?? null }, 'neutral'));
  const asked =
    near === 'approve' ? `${statusAnswers.meantApprove({ shown: nameShown(run) })} ` : '';
  return { says: `${asked}${call}`, runId: run.id, planId: null };
}

/** Stores both messages. @param change in words @returns null if it is for the planner, as everything is with a model */
export async function answerWaiting(
  context: ConversationContext,
  conversation: string,
  run: RunRow | null,
  incoming: Reply,
  change: BareChange | null,
): Promise<Answer | null> {
  if (!readsCommands(context)) return null;
  const busy = isOpen(run);
  const answer =
    run !== null && busy
      ? answerAboutSession(run, incoming)
      : await answerAboutPlan(context, conversation, incoming, change);
  if (answer === null) return null;
  const { actor, text, once } = incoming;
  const { runId, planId } = answer;
  await context.db.transaction(async (tx) => {
    const own = run?.id === runId && !busy ? await lockRun(tx, run.id) : null;
    await storePersonMessage(tx, { conversation, actor, text, runId, once });
    const reply = { conversation, says: answer.says, runId, planId };
    const response_message = await speakAsBot(context, tx, reply);
    if (own === null) return;
    const { says } = answer;
    const response_text = typeof says === 'string' ? says : writeMessage(says, '');
    await updateRun(tx, own.id, { response_text, response_message });
  });
  return answer;
}
