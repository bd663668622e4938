// Home tabs of chat platforms: each is drawn anew when a plan changes that its owner may be looking at, at most once per interval,
// only when it differs, and not in a workspace that is rate-limited.
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
  /** Homes of another platform wait. */
  homes: Record<PlatformName, ChatHomes>;
  warn(message: string, error?: unknown): void;
};

/** What it takes to ask for Homes. */
type Asking = Pick<HomesContext, 'db' | 'enqueue'>;

/** Says that Homes of a platform are to be drawn. Wakeups for later gather what comes until then. */
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

/** Hours for which a Home follows after it was opened: opening it later draws it anew. */
const followedForHours = 8;
/** Changes that come together are drawn together. */
const gatherMs = 1000;

/** Has a Home drawn that was opened, or whose reader has changed something. */
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

/** A Home is drawn at most once in so long. */
const paceMs = 3000;
/** Slack accepts about a hundred a minute per workspace. */
const eachMs = 600;
const leaseMs = 30_000;
const maxTries = 8;
const forgottenAtOnce = 200;

/** What becomes of a Home that could not be drawn. */
async function settleFailure(
  { db, warn }: HomesContext,
  home: TakenHome,
  error: unknown,
): Promise<void> {
  const passes = error instanceof CountersignError ? error.passesAfterMs : null;
  const tired = home.tries + 1 >= maxTries;
  if (passes === null || tired) {
    // Opening it again draws it again.
    warn(`The Home of ${home.user} in ${home.tenant} is not followed any more.`, error);
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

/** Draws until no Home of the platform is to be drawn now; a wakeup is sent for those that wait for their time. */
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

/** A function for the recovery round: finds Homes again whose wakeup is lost, and forgets those that are not followed any more. */
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
