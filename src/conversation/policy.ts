// How somebody is talked to in a run: the defaults, what the person keeps for themselves, what was said in the
// conversation, in this order. Plain words about it are kept and confirmed; they ask for no plan.
import {
  applyOverride,
  defaultPolicy,
  type InteractionPolicy,
  PolicyOverride,
} from '#contracts/policy.ts';
import { type PolicyWords, readPolicyWords } from '#planner/policy/words.ts';
import type { Queryable, Transaction } from '#store/database.ts';
import { readPolicy, storePolicy } from '#store/policies.ts';
import { type RunRow, readLatestRun, updateRun } from '#store/runs.ts';
import type { ConversationContext } from './conversation-context.ts';
import { speakAsBot } from './speak.ts';

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
  if (latest === null || latest.user !== user) return {};
  const age = clock.now().getTime() - latest.updated_at.getTime();
  return age > heldForMs ? {} : PolicyOverride.parse(latest.policy);
}

/** What a message says about how to talk, and what else it asks for; null: it says nothing about it. */
export function readWish(text: string): PolicyWords | null {
  return readPolicyWords(text);
}

/** Keeps a wish for the run, and for the person where it was meant so; says what is different now. */
export async function keepWish(
  tx: Transaction,
  run: Pick<RunRow, 'id' | 'conversation' | 'policy'>,
  wish: PolicyWords,
  user: string,
): Promise<void> {
  const { override, lasting, confirmation } = wish;
  if (lasting) await storePolicy(tx, user, override);
  await updateRun(tx, run.id, { policy: { ...run.policy, ...override } });
  await speakAsBot(tx, { conversation: run.conversation, text: confirmation, runId: run.id });
}
