// Marks Home tabs as stale when a plan changes that their owner may be looking at.
import { askForHomes, type HomeOf, noteHome } from '#db/chat-homes.ts';
import { type Asking, askToDraw } from './homes-context.ts';

/** Hours for which a Home follows after it was opened: opening it later draws it anew. */
export const followedForHours = 8;
/** Changes that come together are drawn together. */
const gatherMs = 1000;

/** Has a Home drawn that was opened, or whose reader has changed something. */
export async function openHome(context: Asking, home: HomeOf): Promise<void> {
  await context.db.transaction(async (tx) => {
    await noteHome(tx, home);
    await askToDraw(context, tx, home.platform, 0);
  });
}

/** Has the Homes drawn that somebody may be looking at. */
export async function followHomes(context: Asking): Promise<void> {
  await context.db.transaction(async (tx) => {
    for (const platform of await askForHomes(tx, followedForHours)) {
      await askToDraw(context, tx, platform, gatherMs);
    }
  });
}
