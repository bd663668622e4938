// Home tabs of chat platforms, redrawn when a plan that the owner may see changes: at most once per interval, only if different,
// and not in a rate-limited workspace.
import {
  askForHomes,
  forgetHome,
  forgetHomes,
  type HomeOf,
  noteHome,
  postponeHomes,
  readNextHome,
  settleHome,
  type TakenHome,
  takeHome,
} from '#db/chat/homes.ts';
import type { Database, Transaction } from '#db/database.ts';
import type { ChatHomes } from '#domain/chat/chat.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';

export type HomesContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** Homes of other platforms wait. */
  homes: Record<PlatformName, ChatHomes>;
  warn(message: string, error?: unknown): void;
};

/** Dependencies for requesting a redraw. */
type Asking = Pick<HomesContext, 'db' | 'enqueue'>;

/** Requests a redraw of a platform's Homes. A delayed wakeup batches changes. */
async function askToDraw(
  { enqueue }: Asking,
  tx: Transaction,
  platform: PlatformName,
  inMs: number,
): Promise<void> {
  const later = inMs > 0;
  const startAfter = later ? { startAfter: new Date(Date.now() + inMs) } : {};
  await enqueue(tx, 'homes', { platform }, { key: later ? 'later' : 'now', ...startAfter });
}

/** Hours for which a Home is updated after opening; opening it later redraws it. */
const followedForHours = 8;
/** Milliseconds in which changes are batched. */
const gatherMs = 1000;

/** Redraws a Home that was opened or whose reader changed something. */
export async function openHome(context: Asking, home: HomeOf): Promise<void> {
  await context.db.transaction(async (tx) => {
    await noteHome(tx, home);
    await askToDraw(context, tx, home.platform, 0);
  });
}

/** Redraws the Homes that may be open. */
export async function followHomes(context: Asking): Promise<void> {
  await context.db.transaction(async (tx) => {
    for (const platform of await askForHomes(tx, followedForHours)) {
      await askToDraw(context, tx, platform, gatherMs);
    }
  });
}

/** Minimum milliseconds between redraws of a Home. */
const paceMs = 3000;
/** Slack accepts about a hundred a minute per workspace. */
const eachMs = 600;
const leaseMs = 30_000;
const maxTries = 8;
const forgottenAtOnce = 200;

/** Handles a Home that could not be drawn. */
async function settleFailure(
  { db, warn }: HomesContext,
  home: TakenHome,
  error: unknown,
): Promise<void> {
  const passes = error instanceof CountersignError ? error.passesAfterMs : null;
  const tired = home.tries + 1 >= maxTries;
  if (passes === null || tired) {
    // Opening it again redraws it.
    warn(`Stopped updating the Home of ${home.user} in ${home.tenant}.`, error);
    await forgetHome(db.query, home);
    return;
  }
  const inMs = Math.max(passes, 1000 * 2 ** home.tries);
  warn(`The Home of ${home.user} is drawn in ${Math.ceil(inMs / 1000)} s: ${errorMessage(error)}`);
  await postponeHomes(db.query, home, { inMs, all: passes > 0 });
}

async function drawHome(context: HomesContext, drawer: ChatHomes, home: TakenHome) {
  try {
    const digest = await drawer.show(home, home.shown);
    await settleHome(context.db.query, home, { digest, paceMs, eachMs });
  } catch (error) {
    await settleFailure(context, home, error);
  }
}

/** Draws until no Home is due, and sends a wakeup for later ones. */
export async function workOnHomes(
  context: HomesContext,
  platform: PlatformName,
  stopping: AbortSignal,
): Promise<void> {
  const { db, homes } = context;
  const drawer = homes[platform];
  if (drawer === undefined) return;
  while (!stopping.aborted) {
    const home = await takeHome(db.query, platform, leaseMs);
    if (home === null) break;
    await drawHome(context, drawer, home);
  }
  const inMs = await readNextHome(db.query, platform);
  if (inMs !== null) await db.transaction((tx) => askToDraw(context, tx, platform, inMs + 1));
}

/** For the recovery round: finds Homes with a lost wakeup, and drops those no longer followed. */
export function createHomesRound(context: HomesContext): () => Promise<void> {
  const { db, homes } = context;
  const lookAfter = async (platform: PlatformName) => {
    const inMs = await readNextHome(db.query, platform);
    if (inMs === 0) await db.transaction((tx) => askToDraw(context, tx, platform, 0));
  };
  return async () => {
    for (const platform of Object.keys(homes)) await lookAfter(platform);
    await forgetHomes(db.query, 2 * followedForHours, forgottenAtOnce);
  };
}
