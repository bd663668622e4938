// Slack installations. Changes name the generation read, so none undoes unseen ones.
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { NewSlackInstallation, SlackInstallation } from '#domain/chat/slack-installation.ts';
import type { ErrorCode } from '#domain/errors.ts';
import type { Queryable, Transaction } from '../database.ts';
import { inbox, slackInstallations, slackOauthStates, slackWorkspaces } from '../schema.ts';
import { daysAgo, now } from '../time.ts';

export type InstallationRow = SlackInstallation & { sealed: Buffer | null };

const { owner, org_wide, token, generation } = slackInstallations;
const { team, enterprise } = slackWorkspaces;

const readRow = ({ token, ...row }: typeof slackInstallations.$inferSelect): InstallationRow => ({
  ...row,
  sealed: token,
});

/** Its own before its organisation's, present before removed. */
export async function findInstallation(
  db: Queryable,
  workspace: string,
): Promise<InstallationRow | null> {
  const organisation = db.select({ enterprise }).from(slackWorkspaces).where(eq(team, workspace));
  const [row] = await db
    .select()
    .from(slackInstallations)
    .where(or(eq(owner, workspace), inArray(owner, organisation)))
    .orderBy(sql`${token} is null`, asc(org_wide))
    .limit(1);
  return row === undefined ? null : readRow(row);
}

export async function keepUnserved(db: Queryable, teams: string[]): Promise<string[]> {
  const organisations = await db.select().from(slackWorkspaces).where(inArray(team, teams));
  const organisationOf = new Map(organisations.map((row) => [row.team, row.enterprise]));
  const installed = await db
    .select({ owner })
    .from(slackInstallations)
    .where(and(isNotNull(token), inArray(owner, [...teams, ...new Set(organisationOf.values())])));
  const owners = new Set(installed.map((row) => row.owner));
  return teams.filter((one) => !owners.has(one) && !owners.has(organisationOf.get(one) ?? one));
}

export async function readInstallation(db: Queryable, of: string): Promise<InstallationRow | null> {
  const [row] = await db.select().from(slackInstallations).where(eq(owner, of));
  return row === undefined ? null : readRow(row);
}

/** @param after the replaced generation, or null @returns false if another was stored since */
export async function storeInstallation(
  db: Queryable,
  {
    sealed,
    ...installation
  }: Omit<NewSlackInstallation, 'token'> & {
    sealed: Buffer;
    installed_at: Date;
  },
  after: number | null,
): Promise<boolean> {
  const row = { ...installation, token: sealed };
  const { rowCount } =
    after === null
      ? await db
          .insert(slackInstallations)
          .values({ ...row, generation: 1 })
          .onConflictDoNothing()
      : await db
          .update(slackInstallations)
          .set({ ...row, generation: after + 1, removed_at: null })
          .where(and(eq(owner, row.owner), eq(generation, after)));
  return rowCount !== 0;
}

/** Deletes the token. @returns false if already gone or replaced */
export async function removeInstallation(
  db: Queryable,
  removed: Pick<SlackInstallation, 'owner' | 'generation'>,
  removedAt: Date,
): Promise<boolean> {
  const { rowCount } = await db
    .update(slackInstallations)
    .set({ token: null, removed_at: removedAt })
    .where(and(eq(owner, removed.owner), eq(generation, removed.generation), isNotNull(token)));
  return rowCount !== 0;
}

export async function listServed(db: Queryable, of: string): Promise<string[]> {
  const served = await db.select({ team }).from(slackWorkspaces).where(eq(enterprise, of));
  return [of, ...served.map((row) => row.team)];
}

/** Records a workspace if its organisation has the app. @returns whether it has, and whether that is new */
export async function joinWorkspace(
  db: Queryable,
  workspace: string,
  organisation: string,
): Promise<{ serves: boolean; news: boolean }> {
  const [served] = await db
    .select({ owner })
    .from(slackInstallations)
    .where(and(eq(owner, organisation), eq(org_wide, true), isNotNull(token)));
  if (served === undefined) return { serves: false, news: false };
  const { rowCount } = await db
    .insert(slackWorkspaces)
    .values({ team: workspace, enterprise: organisation })
    .onConflictDoUpdate({
      target: team,
      set: { enterprise: organisation },
      setWhere: ne(enterprise, organisation),
    });
  return { serves: true, news: rowCount !== 0 };
}

/** Deletes expired states too. @returns false if already used */
export async function useOauthState(
  db: Queryable,
  { id, expiresAt, now: at }: { id: string; expiresAt: Date; now: Date },
): Promise<boolean> {
  // An hour's margin for clock differences.
  const anHourAgo = new Date(at.getTime() - 3_600_000);
  await db.delete(slackOauthStates).where(lt(slackOauthStates.expires_at, anHourAgo));
  const { rowCount } = await db
    .insert(slackOauthStates)
    .values({ id, expires_at: expiresAt })
    .onConflictDoNothing();
  return rowCount !== 0;
}

export async function listInstallations(db: Queryable, limit: number): Promise<InstallationRow[]> {
  const rows = await db
    .select()
    .from(slackInstallations)
    .orderBy(sql`${token} is null`, asc(slackInstallations.name), asc(owner))
    .limit(limit);
  return rows.map(readRow);
}

const mended: ErrorCode[] = ['not_allowed', 'invalid_configuration'];

/** Reopens the last day's events that failed for lack of an installation, or for an unrecorded reason. */
export async function reopenEvents(tx: Transaction, teams: string[]): Promise<void> {
  await tx
    .update(inbox)
    .set({ failed_at: null, failures: 0, error_code: null, due_at: now })
    .where(
      and(
        eq(inbox.platform, 'slack'),
        inArray(inbox.tenant, teams),
        gt(inbox.failed_at, daysAgo(1)),
        or(isNull(inbox.error_code), inArray(inbox.error_code, mended)),
      ),
    );
}
