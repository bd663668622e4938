// Whether anything was ever said in a conversation. Where a bot is, it overhears everything, and nearly all of it is not meant
// for it: so those who ask in one turn share a statement.
import type { Queryable } from '#store/database.ts';
import { gather } from '#store/gather.ts';
import { findSpoken } from '#store/messages.ts';

const atMost = 100;

export function createSpokenIn(
  db: Pick<Queryable, 'run'>,
): (conversation: string) => Promise<boolean> {
  const together = async (conversations: string[]) => {
    const spoken = await findSpoken(db, conversations);
    return conversations.map((name) => spoken.has(name));
  };
  return gather({ keyOf: (name: string) => name, atMost, together });
}
