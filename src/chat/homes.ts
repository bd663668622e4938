// Redraws Home tabs on changes, within rate limits.
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
  /** Other platforms' Homes wait. */
  homes: Record<PlatformName, ChatHomes>;
  warn(message: string, error?: unknown): void;
};

type Asking = Pick<HomesContext, 'db' | 'enqueue'>;

/** Delayed to batch changes. */
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

/** Reopening redraws it. */
const followedForHours = 8;
/** Batches changes. */
const gatherMs = 1000;

export async function openHome(context: Asking, home: HomeOf): Promise<void> {
  await context.db.transaction(async (tx) => {
    await noteHome(tx, home);
    await askToDraw(context, tx, home.platform, 0);
  });
}

export async function followHomes(context: Asking): Promise<void> {
  await context.db.transaction(async (tx) => {
    for (const platform of await askForHomes(tx, followedForHours)) {
      await askToDraw(context, tx, platform, gatherMs);
    }
  });
}

/** For each Home. */
const paceMs = 3000;
/** Slack accepts about a hundred a minute per workspace. */
const eachMs = 600;
const leaseMs = 30_000;
const maxTries = 8;
const forgottenAtOnce = 200;

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

/** Finds lost wakeups and drops idle Homes. */
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
