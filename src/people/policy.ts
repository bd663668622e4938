// The policy in force for a run: defaults, then the person's saved preferences, then what was said in the conversation. Messages that
// only change it are stored and confirmed; they start no plan.
import type { Queryable, Transaction } from '#db/database.ts';
import { isOnePerson } from '#db/identities.ts';
import { readLatestMessages } from '#db/messages.ts';
import { readPolicy, storePolicy } from '#db/policies.ts';
import { type RunRow, readLatestRun, readLatestRuns, updateRun } from '#db/runs.ts';
import {
  applyOverride,
  defaultPolicy,
  type InteractionPolicy,
  PolicyOverride,
} from '#domain/people/policy.ts';
import type { SaidPolicy } from '#domain/service.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/speak.ts';
import {
  type PolicyWords,
  readPolicyWords,
  readStyleReply,
  styleQuestionId,
} from '#planner/policy/words.ts';

/** After so long a conversation is taken up anew. */
const heldForMs = 24 * 3_600_000;

/** What a planner of this run is to keep to. */
export async function readPolicyOf(
  db: Queryable,
  run: Pick<RunRow, 'user' | 'policy'>,
): Promise<InteractionPolicy> {
  const { policy } = await readPolicy(db, run.user);
  return applyOverride(applyOverride(defaultPolicy, policy), run.policy);
}

/** What was said about it in the conversation before, by the same person. */
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

/** What was said about it in conversations of the last day, where it still holds: the latest of each. */
export async function readSaidPolicies(
  { db, clock }: ConversationContext,
  user: string,
): Promise<SaidPolicy[]> {
  const since = new Date(clock.now().getTime() - heldForMs);
  const latest = await readLatestRuns(db.query, user, since);
  return latest.flatMap(({ conversation, request, policy: said }) => {
    const policy = PolicyOverride.parse(said);
    return Object.keys(policy).length === 0 ? [] : [{ conversation, request, policy }];
  });
}

/** What a message says about how to talk, and what else it asks for; null: it says nothing about it. */
export async function readWish(
  db: Queryable,
  conversation: string,
  text: string,
): Promise<PolicyWords | null> {
  return readStyleAmong(text, await readLastAsked(db, conversation)) ?? readPolicyWords(text);
}

/** Whether the bot's last message asks how the person likes to be talked with, and whether it says anything else. */
async function readLastAsked(
  db: Queryable,
  conversation: string,
): Promise<{ style: boolean; alone: boolean }> {
  const said = await readLatestMessages(db, conversation, 5);
  const parts = said.findLast(({ author }) => author === 'bot')?.parts ?? null;
  if (parts?.kind !== 'question' && parts?.kind !== 'answer') return { style: false, alone: false };
  const { questions, lines } = parts.facts;
  const style = questions.some(({ id }) => id === styleQuestionId);
  return { style, alone: style && questions.length === 1 && lines.length === 1 };
}

/** A number may as well pick one of the things that stand beside the question of style. */
const bareNumber = /^\W*(?:the\s+)?(?:option\s+)?(?:\d|first|second|one|two)\W*(?:one)?\W*$/i;

/** The answer to the question of style, where that was asked: the whole reply, or one line of several. */
function readStyleAmong(
  text: string,
  { style, alone }: { style: boolean; alone: boolean },
): PolicyWords | null {
  if (!style) return null;
  const whole = alone || !bareNumber.test(text) ? readStyleReply(text) : null;
  if (whole !== null) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  for (const [index, line] of lines.entries()) {
    const read = readStyleReply(line.replace(/^\s*(?:[-•*]|\d+[.)])\s+/, ''));
    if (read !== null) return { ...read, rest: lines.toSpliced(index, 1).join('\n') };
  }
  return null;
}

/** Keeps a wish for the run, and for the person where it was meant so; says what is different now. */
export async function keepWish(
  context: Pick<ConversationContext, 'enqueue'>,
  tx: Transaction,
  run: Pick<RunRow, 'id' | 'conversation' | 'policy'>,
  wish: PolicyWords,
  user: string,
): Promise<void> {
  const { override, lasting, confirmation } = wish;
  if (lasting) await storePolicy(tx, user, override);
  await updateRun(tx, run.id, { policy: { ...run.policy, ...override } });
  const { id: runId, conversation } = run;
  await speakAsBot(context, tx, {
    conversation,
    says: { kind: 'preference', facts: { confirmation }, action: null },
    runId,
  });
}
