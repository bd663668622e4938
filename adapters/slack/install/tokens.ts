// Tokens of several workspaces, cached; stale ones are read again.
import type { HeldSlackInstallation, SlackInstallations } from '#domain/chat/slack-installation.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import type { Tokens } from '../workspaces.ts';

const keptForMs = 30_000;
const maxKept = 1000;

/** Others may depend on the calling address. */
const final = new Set(['account_inactive', 'token_revoked']);

function notInstalled(
  team: string,
  found: HeldSlackInstallation | null,
  installAt: string,
): CountersignError {
  return new CountersignError(
    'not_allowed',
    found === null
      ? `Countersign is not installed in the Slack workspace ${team}. Add it there at ${installAt}.`
      : `Countersign was removed from ${found.name} in Slack. Add it there again at ${installAt}.`,
  );
}

/** @throws CountersignError if it may not add the app */
export function requireAllowed(
  { owner, name }: { owner: string; name: string },
  allowed: string[] | null,
): void {
  if (allowed === null || allowed.includes(owner)) return;
  throw new CountersignError(
    'not_allowed',
    `${name} (${owner}) in Slack may not use this Countersign. If it may, add it to SLACK_ALLOWED_WORKSPACES.`,
  );
}

export function tokensOfMany(options: {
  installations: SlackInstallations;
  clock: Clock;
  installAt: string;
  allowed: string[] | null;
}): Tokens {
  const { installations, clock, installAt, allowed } = options;
  const known = createRecent<{ token: string; until: number }>({ keep: maxKept });

  function keep(team: string, token: string): string {
    known.set(team, { token, until: clock.now().getTime() + keptForMs });
    return token;
  }

  /** @throws CountersignError if no installation serves it */
  async function find(team: string): Promise<HeldSlackInstallation & { token: string }> {
    const found = await installations.find(team);
    if (found === null || found.token === null) throw notInstalled(team, found, installAt);
    requireAllowed(found, allowed);
    return { ...found, token: found.token };
  }

  return {
    only: async () => null,
    async of(team) {
      const kept = known.get(team);
      if (kept !== undefined && kept.until > clock.now().getTime()) return kept.token;
      known.delete(team);
      return keep(team, (await find(team)).token);
    },

    async renew(team, token, reason) {
      known.delete(team);
      const found = await find(team);
      if (found.token !== token) return keep(team, found.token);
      if (!final.has(reason))
        throw new CountersignError(
          'not_allowed',
          `Slack rejected the token for ${found.name} (${reason}). If the app only allows certain IP addresses, add this one. Otherwise reinstall it at ${installAt}.`,
        );
      // Slack's event may be lost or late.
      await installations.remove(found);
      return keep(team, (await find(team)).token);
    },
  };
}
