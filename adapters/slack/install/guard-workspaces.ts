// What comes from a workspace is handled only where the app is installed. The rest is set aside with a warning; and the end of
// an installation is taken note of.
import { z } from 'zod';
import { CountersignError } from '#contracts/errors.ts';
import type { SlackInstallations } from '#contracts/slack-installation.ts';
import type { InboxHandler } from '#conversation/inbox/inbox-context.ts';
import { readBody } from '../transport/read-signal.ts';
import type { Tokens } from '../workspaces.ts';
import { readRemoval, takeRemoval } from './removal.ts';

/** Of which organisation something comes: events and commands, and presses and forms. */
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

  /** @throws CountersignError `not_allowed` when nothing serves the workspace */
  async function admit(team: string, body: unknown): Promise<void> {
    try {
      await tokens.of(team);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'not_allowed') throw error;
      const enterprise = enterpriseOf(body);
      if (enterprise === null || !(await installations.join(team, enterprise))) throw error;
      // Its organisation may be one that is not to use this Countersign.
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
