// A message that has an id of its own takes effect once, however often it arrives.
import { findSaid } from '#db/messages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { ConversationContext } from '#messages/context.ts';
import { SaidBefore } from '#messages/hear-person.ts';

/** What came of a message: the run it was about, and why it was refused, where that is not said in the conversation. */
export type Heard = { run_id: string | null; refusal?: CountersignError | null };

/** Does what a message means, unless it was heard before under its name. */
export async function onceOnly(
  { db }: ConversationContext,
  once: string | undefined,
  act: () => Promise<Heard>,
): Promise<Heard> {
  if (once === undefined) return act();
  const before = await findSaid(db.query, once);
  if (before !== null) return { run_id: before.run_id };
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SaidBefore || error instanceof CountersignError)) throw error;
    // Another try of the same message was quicker: what this one met is what that one did.
    const meanwhile = await findSaid(db.query, once);
    if (meanwhile === null) throw error;
    return { run_id: meanwhile.run_id };
  }
}
