// A soak's organisations: operator, two Slack workspaces, a Teams tenant.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { add } from '../fixtures/slack/browser.ts';
import type { SlackDouble } from '../fixtures/slack/double.ts';
import type { Options, Programs } from '../setup/process.ts';

/** Request names begin with the index. */
export const organisationNames = ['operator', 'acme', 'globex', 'contoso'] as const;
export type OrganisationName = (typeof organisationNames)[number];
export type Organisation = {
  name: OrganisationName;
  /** Null for the operator. */
  tenant: string | null;
};

export const digitIn = (name: OrganisationName) => organisationNames.indexOf(name);

export function openOrganisations(slack: SlackDouble, teamsTenant: string, workspace: string) {
  const workspaces = { acme: slack.workspace, globex: slack.addWorkspace('Globex') };
  const tenants: Record<OrganisationName, string | null> = {
    operator: null,
    acme: `slack:${workspaces.acme.id}`,
    globex: `slack:${workspaces.globex.id}`,
    contoso: `teams:${teamsTenant}`,
  };
  const organisations: Organisation[] = organisationNames.map((name) => ({
    name,
    tenant: tenants[name],
  }));
  const apart = join(workspace, '.countersign', 'organisations');

  return {
    organisations,
    teamOf(name: OrganisationName): string {
      if (name !== 'acme' && name !== 'globex') throw new Error(`${name} has no workspace`);
      return workspaces[name].id;
    },
    // A unique name if it doesn't exist yet.
    folderOf(tenant: string | null): string {
      if (tenant === null) return workspace;
      const begin = `${tenant.replace(/[^A-Za-z0-9]+/g, '-')}-`;
      const found = existing(apart).find((folder) => folder.startsWith(begin));
      return join(apart, found ?? `none of ${begin}`);
    },
    async install(home: string): Promise<void> {
      slack.app.redirectUrls = [`${home}/slack/oauth_redirect`];
      for (const { id } of Object.values(workspaces)) {
        const { status, text } = await add(
          { slack, home },
          slack.addUser({ name: 'root', team: id }),
        );
        if (status !== 200) throw new Error(`the app could not be added: ${text}`);
      }
    },
  };
}

const existing = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const Made = z.object({ token: z.string() });

export async function makeTokens(
  programs: Programs,
  organisations: Organisation[],
  options: Options,
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const { tenant } of organisations) {
    if (tenant === null) continue;
    const args = ['--name', 'soak', '--role', 'admin', '--tenant', tenant, '--json'];
    const user = `${tenant}:admin`;
    const made = await programs.finish(['token', 'create', ...args, '--user', user], options);
    if (made.code !== 0) throw new Error(`no token for ${tenant}: ${made.stderr}`);
    tokens.set(tenant, Made.parse(JSON.parse(made.stdout)).token);
  }
  return tokens;
}
