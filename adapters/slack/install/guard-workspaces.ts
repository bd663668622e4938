// Admits events only from workspaces with the app; records removals.
import { z } from 'zod';
import type { InboxHandler } from '#chat/inbox/inbox-context.ts';
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import { CountersignError } from '#domain/errors.ts';
import { readBody } from '../signals/read-signal.ts';
import type { Tokens } from '../workspaces.ts';

// Reported late, twice, in any order, perhaps after the app was added again.
const Removal = z.object({
  type: z.literal('event_callback'),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  event_time: z.number(),
  event: z.union([
    z.object({ type: z.literal('app_uninstalled') }),
    // We hold no user tokens.
    z.object({
      type: z.literal('tokens_revoked'),
      tokens: z.object({ bot: z.array(z.string()).min(1) }),
    }),
  ]),
  authorizations: z.array(z.object({ is_enterprise_install: z.boolean().nullish() })).default([]),
});

type Removal = { owner: string; at: Date };

/** Null if the body is no removal. */
export function readRemoval(body: unknown): Removal | null {
  const parsed = Removal.safeParse(body);
  if (!parsed.success) return null;
  const { team_id, enterprise_id, event_time, authorizations } = parsed.data;
  const orgWide = authorizations.some(({ is_enterprise_install }) => is_enterprise_install);
  const owner = orgWide ? (enterprise_id ?? team_id) : (team_id ?? enterprise_id);
  return owner == null ? null : { owner, at: new Date(event_time * 1000) };
}

/** Between Slack's clock and ours; older requests are refused anyway. */
const maxSkewMs = 300_000;

/** `ask`: the clocks can't tell, so Slack is asked about the token. */
export function judgeRemoval(removedAt: Date, installedAt: Date): 'earlier' | 'removed' | 'ask' {
  const afterMs = removedAt.getTime() - installedAt.getTime();
  if (afterMs < -maxSkewMs) return 'earlier';
  return afterMs > maxSkewMs ? 'removed' : 'ask';
}

async function takeRemoval(
  removal: Removal,
  parts: {
    installations: Pick<SlackInstallations, 'find' | 'read' | 'remove'>;
    isAlive(token: string): Promise<boolean>;
    warn(message: string): void;
  },
): Promise<void> {
  const { installations, isAlive, warn } = parts;
  const { owner, at } = removal;
  const installed = await installations.read(owner);
  if (installed === null || installed.removed_at !== null) return;
  const judged = judgeRemoval(at, installed.installed_at);
  if (judged === 'earlier') return;
  if (judged === 'ask') {
    // Undecryptable: `find` throws the reason.
    const { token } = installed.readable
      ? installed
      : ((await installations.find(owner)) ?? installed);
    if (token !== null && (await isAlive(token))) return;
  }
  if (await installations.remove(installed))
    warn(`Countersign was removed from ${installed.name} in Slack; its token is deleted.`);
}

const Origin = z.object({
  enterprise_id: z.string().nullish(),
  enterprise: z.object({ id: z.string() }).nullish(),
});

function enterpriseOf(body: unknown): string | null {
  const parsed = Origin.safeParse(body);
  if (!parsed.success) return null;
  return parsed.data.enterprise_id ?? parsed.data.enterprise?.id ?? null;
}

export function guardWorkspaces(
  handle: InboxHandler,
  parts: {
    installations: Pick<SlackInstallations, 'find' | 'join' | 'read' | 'remove'>;
    tokens: Pick<Tokens, 'of'>;
    isAlive(token: string): Promise<boolean>;
    warn(message: string): void;
  },
): InboxHandler {
  const { installations, tokens } = parts;

  /** @throws CountersignError `not_allowed` if no installation serves it */
  async function admit(team: string, body: unknown): Promise<void> {
    try {
      await tokens.of(team);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'not_allowed') throw error;
      const enterprise = enterpriseOf(body);
      if (enterprise === null || !(await installations.join(team, enterprise))) throw error;
      // The organisation may not be allowed.
      await tokens.of(team);
    }
  }

  return async (event, attempt) => {
    const body = readBody(event.body);
    const removal = readRemoval(body);
    if (removal !== null) return takeRemoval(removal, parts);
    await admit(event.tenant, body);
    return handle(event, attempt);
  };
}
