// Where the Slack app is installed. Whoever changes an installation names the generation it looked at, so that of two who
// install, or one who installs and one who removes, none undoes what it has not seen.
import { sql } from 'drizzle-orm';
import type { ErrorCode } from '#contracts/errors.ts';
import type { NewSlackInstallation, SlackInstallation } from '#contracts/slack-installation.ts';
import type { Queryable, Transaction } from './database.ts';
import { isoOf } from './sql/iso.ts';

/** An installation with its token as it is stored. */
export type InstallationRow = SlackInstallation & { sealed: Buffer | null };

type Raw = Omit<InstallationRow, 'installed_at' | 'removed_at'> & {
  installed_at: string;
  removed_at: string | null;
};

const columns = sql`i.owner, i.org_wide, i.name, i.app_id, i.scopes, i.installed_by, i.generation, i.token as sealed,
  ${isoOf('i.installed_at', 'milliseconds')} as installed_at, ${isoOf('i.removed_at', 'milliseconds')} as removed_at`;

const readRow = ({ installed_at, removed_at, ...row }: Raw): InstallationRow => ({
  ...row,
  installed_at: new Date(installed_at),
  removed_at: removed_at === null ? null : new Date(removed_at),
});

/** What serves a workspace: its own installation before its organisation's, one that is there before one that was removed. */
export async function findInstallation(
  db: Queryable,
  team: string,
): Promise<InstallationRow | null> {
  const { rows } = await db.execute<Raw>(sql`
    select ${columns} from countersign.slack_installations i
    where i.owner = ${team}
      or i.owner = (select enterprise from countersign.slack_workspaces where team = ${team})
    order by i.token is null, i.org_wide limit 1`);
  return rows[0] === undefined ? null : readRow(rows[0]);
}

/** Of these workspaces those that no installation serves any more, in their order. */
export async function keepUnserved(db: Queryable, teams: string[]): Promise<string[]> {
  const { rows } = await db.execute<{ team: string }>(sql`
    select team from unnest(${sql.param(teams)}::text[]) with ordinality as asked(team, place)
    where not exists (
      select from countersign.slack_installations i where i.token is not null and (i.owner = asked.team
        or i.owner = (select w.enterprise from countersign.slack_workspaces w where w.team = asked.team)))
    order by place`);
  return rows.map(({ team }) => team);
}

export async function readInstallation(
  db: Queryable,
  owner: string,
): Promise<InstallationRow | null> {
  const { rows } = await db.execute<Raw>(
    sql`select ${columns} from countersign.slack_installations i where i.owner = ${owner}`,
  );
  return rows[0] === undefined ? null : readRow(rows[0]);
}

/** @param after the generation that it replaces; null: there is none. @returns false: that is not so any more */
export async function storeInstallation(
  db: Queryable,
  installation: Omit<NewSlackInstallation, 'token'> & { sealed: Buffer; installed_at: Date },
  after: number | null,
): Promise<boolean> {
  const { owner, org_wide, name, app_id, scopes, installed_by, sealed, installed_at } =
    installation;
  const values = sql`${org_wide}::boolean, ${name}, ${app_id}, ${sql.param(scopes)}::text[], ${sealed}::bytea,
    ${installed_by},
    ${installed_at.toISOString()}::timestamptz`;
  const { rows } = await db.execute(
    after === null
      ? sql`
        insert into countersign.slack_installations
          (org_wide, name, app_id, scopes, token, installed_by, installed_at, owner, generation)
        values (${values}, ${owner}, 1) on conflict do nothing returning owner`
      : sql`
        update countersign.slack_installations
        set (org_wide, name, app_id, scopes, token, installed_by, installed_at) = (select ${values}),
          generation = generation + 1, removed_at = null
        where owner = ${owner} and generation = ${after} returning owner`,
  );
  return rows.length > 0;
}

/** Deletes the token. @returns false: another was installed since, or it has none any more */
export async function removeInstallation(
  db: Queryable,
  { owner, generation }: Pick<SlackInstallation, 'owner' | 'generation'>,
  removedAt: Date,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    update countersign.slack_installations set token = null, removed_at = ${removedAt.toISOString()}::timestamptz
    where owner = ${owner} and generation = ${generation} and token is not null returning owner`);
  return rows.length > 0;
}

/** The workspaces that an installation serves, as far as something came from them; its own first. */
export async function listServed(db: Queryable, owner: string): Promise<string[]> {
  const { rows } = await db.execute<{ team: string }>(
    sql`select team from countersign.slack_workspaces where enterprise = ${owner}`,
  );
  return [owner, ...rows.map(({ team }) => team)];
}

/** Keeps of which organisation a workspace is, where that has the app. @returns whether it has, and whether that is news */
export async function joinWorkspace(
  db: Queryable,
  team: string,
  enterprise: string,
): Promise<{ serves: boolean; news: boolean }> {
  const { rows } = await db.execute<{ serves: boolean; news: boolean }>(sql`
    with served as (
      select owner from countersign.slack_installations
      where owner = ${enterprise} and org_wide and token is not null
    ), news as (
      insert into countersign.slack_workspaces (team, enterprise) select ${team}, owner from served
      on conflict (team) do update set enterprise = excluded.enterprise
        where slack_workspaces.enterprise <> excluded.enterprise returning team
    )
    select exists (select from served) as serves, exists (select from news) as news`);
  return rows[0] ?? { serves: false, news: false };
}

/** Marks a state as come back, and forgets those that cannot any more. @returns false: it was marked before */
export async function useOauthState(
  db: Queryable,
  { id, expiresAt, now }: { id: string; expiresAt: Date; now: Date },
): Promise<boolean> {
  // An hour, since not every process has the same time.
  await db.execute(sql`
    delete from countersign.slack_oauth_states where expires_at < ${now.toISOString()}::timestamptz - interval '1 hour'`);
  const { rows } = await db.execute(sql`
    insert into countersign.slack_oauth_states (id, expires_at)
    values (${id}, ${expiresAt.toISOString()}::timestamptz) on conflict do nothing returning id`);
  return rows.length > 0;
}

export async function listInstallations(db: Queryable, limit: number): Promise<InstallationRow[]> {
  const { rows } = await db.execute<Raw>(sql`
    select ${columns} from countersign.slack_installations i
    order by i.token is null, i.name, i.owner limit ${limit}`);
  return rows.map(readRow);
}

/** What an installation mends: the app was not there, lacked a scope, or its token could not be decrypted. */
const mended: ErrorCode[] = ['not_allowed', 'invalid_configuration'];

/**
 * Has what a workspace sent within the last day, and what failed for want of an installation, tried again. Where it is not
 * known any more why something failed, that too.
 */
export async function reopenEvents(tx: Transaction, teams: string[]): Promise<void> {
  await tx.execute(sql`
    update countersign.inbox set failed_at = null, failures = 0, error_code = null, due_at = clock_timestamp()
    where platform = 'slack' and tenant = any(${sql.param(teams)}::text[]) and failed_at > clock_timestamp() - interval '1 day'
      and (error_code is null or error_code = any(${sql.param(mended)}::text[]))`);
}
