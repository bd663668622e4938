// Installs and removes the Slack app, with waiting posts.
import { breakPlaces, inTenants, mendPlaces } from '#db/chat/places.ts';
import {
  findInstallation,
  type InstallationRow,
  joinWorkspace,
  keepUnserved,
  listInstallations,
  listServed,
  readInstallation,
  removeInstallation,
  reopenEvents,
  storeInstallation,
  useOauthState,
} from '#db/chat/slack-installations.ts';
import type { Database, Transaction } from '#db/database.ts';
import { createSeal, type Seal } from '#db/seal.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { HeldSlackInstallation, SlackInstallations } from '#domain/chat/slack-installation.ts';
import type { Clock } from '#domain/clock.ts';
import type { EnqueueAll } from '#domain/jobs.ts';
import { listOf } from '#domain/words.ts';
import type { PlatformParts } from './platform.ts';

const maxLooks = 1000;
/** A browser waits. */
const maxWaitMs = 10_000;

/** Binds and names the token. */
const aboutToken = (owner: string) => `the Slack token of ${owner}`;

export function createSlackInstallations(options: {
  db: Database;
  enqueueAll: EnqueueAll<Transaction>;
  seal: Seal;
  clock: Clock;
  installAt: string;
}): SlackInstallations {
  const { db, enqueueAll, seal, clock, installAt } = options;

  function hold(row: InstallationRow | null): HeldSlackInstallation | null {
    if (row === null) return null;
    const { sealed, ...installation } = row;
    const token = sealed === null ? null : seal.open(sealed, aboutToken(installation.owner));
    return { ...installation, token };
  }

  const isReadable = ({ sealed }: InstallationRow) => sealed === null || seal.fits(sealed);

  async function mend(tx: Transaction, teams: string[]): Promise<void> {
    // A fixed order, against deadlocks.
    const waiting = (await mendPlaces(tx, inTenants('slack', teams))).sort();
    const jobs = waiting.map((conversation) => ({ payload: { conversation }, key: conversation }));
    if (jobs.length > 0) await enqueueAll(tx, 'deliver', jobs);
  }

  return {
    find: async (team) => hold(await findInstallation(db.query, team)),
    async read(owner) {
      const row = await readInstallation(db.query, owner);
      if (row === null || isReadable(row)) {
        const held = hold(row);
        return held === null ? null : { ...held, readable: true };
      }
      const { sealed: _, ...installation } = row;
      return { ...installation, token: null, readable: false };
    },

    async store({ token, ...installation }, after) {
      const sealed = seal.seal(token, aboutToken(installation.owner));
      const row = { ...installation, sealed, installed_at: clock.now() };
      const keep = () =>
        db.transaction(async (tx) => {
          if (!(await storeInstallation(tx, row, after))) return false;
          const served = await listServed(tx, row.owner);
          await reopenEvents(tx, served);
          await mend(tx, served);
          return true;
        });
      // Slack accepts a code once.
      return retryUntilDatabaseAnswers(keep, () => {}, AbortSignal.timeout(maxWaitMs));
    },

    async remove({ owner, generation, name }) {
      return db.transaction(async (tx) => {
        if (!(await removeInstallation(tx, { owner, generation }, clock.now()))) return false;
        const why = `Countersign was removed from ${name} in Slack. Add it there again at ${installAt}.`;
        const unserved = await keepUnserved(tx, await listServed(tx, owner));
        await breakPlaces(tx, inTenants('slack', unserved), why);
        return true;
      });
    },

    async join(team, enterprise) {
      return db.transaction(async (tx) => {
        const { serves, news } = await joinWorkspace(tx, team, enterprise);
        // A further failure has another cause.
        if (news) {
          await reopenEvents(tx, [team]);
          await mend(tx, [team]);
        }
        return serves;
      });
    },

    useState: (id, expiresAt) => useOauthState(db.query, { id, expiresAt, now: clock.now() }),
    async list(limit) {
      const rows = await listInstallations(db.query, limit);
      return rows.map((row) => {
        const { sealed: _, ...installation } = row;
        return { ...installation, readable: isReadable(row) };
      });
    },
  };
}

export async function openSlackInstallations(
  { encryptionKey, installAt }: { encryptionKey: Buffer; installAt: string },
  { store, clock, warn }: Pick<PlatformParts, 'store' | 'clock' | 'warn'>,
): Promise<SlackInstallations> {
  const seal = createSeal(encryptionKey);
  const installations = createSlackInstallations({ ...store, seal, clock, installAt });
  const names = (await installations.list(maxLooks))
    .filter(({ readable }) => !readable)
    .map(({ name }) => name);
  if (names.length === 0) return installations;
  warn(
    `COUNTERSIGN_ENCRYPTION_KEY is not the key that the Slack tokens of ${listOf(names)} were encrypted with. Start with the former key, or have the app added there again at ${installAt}.`,
  );
  return installations;
}
