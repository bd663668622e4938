// Whether anything was ever said in a conversation. Where a bot is, it overhears everything, and nearly all of it is not meant
// for it: so those who ask in one turn share a statement. What that waits for has a limit, since whoever asks meanwhile waits for
// it; where it is over, each is looked for alone.
import type { Queryable } from '#store/database.ts';
import { gather } from '#store/gather.ts';
import { findSpoken } from '#store/messages.ts';
import { mayDivide } from '#store/transient.ts';

const atMost = 100;

/**
 * @param db for one alone, however long that waits
 * @param shared for several; its connections end in time what they are asked (`sharedSession` in `inbox/thread-desk.ts`)
 */
export function createSpokenIn(
  db: Pick<Queryable, 'run'>,
  shared: Pick<Queryable, 'run'>,
): (conversation: string) => Promise<boolean> {
  const alone = async (name: string) => (await findSpoken(db, [name])).has(name);
  return gather({
    keyOf: (name: string) => name,
    atMost,
    async together(conversations) {
      const spoken = await findSpoken(shared, conversations);
      return conversations.map((name) => spoken.has(name));
    },
    apart: { is: mayDivide, alone },
  });
}
