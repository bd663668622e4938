// Stores what a planner proposed to remember, once confirmed.
import { memoryWords } from '#cards/memory-words.ts';
import { confirmPolicy } from '#cards/policy-words.ts';
import type { Transaction } from '#db/database.ts';
import type { RunRow } from '#db/planning/runs.ts';
import type { Actor } from '#domain/people/actor.ts';
import { applyOverride, defaultPolicy } from '#domain/people/policy.ts';
import type { AskedQuestion, GivenAnswer } from '#domain/planning/asked-question.ts';
import type { ConversationContext } from '#messages/context.ts';
import { keepNotesIn } from './memory.ts';
import { sayPreference, storePolicyRequest } from './policy.ts';

const isYes = (text: string) => [memoryWords.yes.toLowerCase(), 'yes'].includes(text.toLowerCase());

/** @param message the answer of the run's own person */
export async function keepConfirmed(
  context: Pick<ConversationContext, 'enqueue'>,
  tx: Transaction,
  run: Pick<RunRow, 'id' | 'conversation' | 'policy' | 'user'>,
  { asked, answers }: { asked: AskedQuestion[]; answers: GivenAnswer[] },
  { actor, message }: { actor: Actor; message: number | null },
): Promise<void> {
  const { id: runId, conversation, user } = run;
  for (const { id, keep } of asked) {
    const answer = answers.find(({ question_id }) => question_id === id);
    if (keep === undefined || answer === undefined || !isYes(answer.text)) continue;
    if (keep.kind === 'policy') {
      const { override, lasting } = keep;
      const confirmation = confirmPolicy(applyOverride(defaultPolicy, override), override, lasting);
      await storePolicyRequest(context, tx, run, { override, lasting, confirmation }, user);
    } else {
      const source = { kind: 'said', message } as const;
      const kept = await keepNotesIn(tx, { conversation, user }, keep.notes, source, actor);
      await sayPreference(context, tx, { conversation, runId }, kept);
    }
  }
}
