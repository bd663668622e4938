// Finds an account's Slack user: by vouched email address or ID.
import { z } from 'zod';
import type { Reached } from '#domain/chat/chat.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { personKey } from '#domain/people/names.ts';
import { createRecent } from '#domain/recent.ts';
import type { Ask } from '../calls/hold.ts';
import type { ClientOf } from '../workspaces.ts';
import { describePerson } from './people.ts';

export type ReachablePerson = { user: string; timezone: string };

export type Reach = {
  /** @throws transient errors */
  find(team: string, name: string): Promise<ReachablePerson | null>;
  /** Null if the app may not write to them. @throws transient errors */
  openDirect(team: string, known: ReachablePerson): Promise<Reached['place']>;
};

export const reachNobody: Reach = { find: async () => null, openDirect: async () => null };

const keptForMs = 10 * 60_000;
const maxKept = 5000;

const Found = z.object({ id: z.string(), deleted: z.boolean().default(false) });

/** Null for transient errors and our own. */
function refusalIn(error: unknown): string | null {
  if (!(error instanceof CountersignError) || error.passesAfterMs !== null) return null;
  const { slack } = error.details;
  return typeof slack === 'string' ? slack : null;
}

export function createReach(options: {
  clientOf: ClientOf;
  ask: Ask;
  clock: Clock;
  timezone: string;
  /** People are known by email address. */
  vouched: boolean;
  /** All accounts of the same person. */
  namesOf(name: string): Promise<string[]>;
  warn(message: string, error?: unknown): void;
}): Reach {
  const { clientOf, ask, clock, timezone, vouched, namesOf, warn } = options;
  const rule = { keep: maxKept, forMs: keptForMs, clock };
  const known = createRecent<ReachablePerson | null>(rule);
  const directs = createRecent<string | null>(rule);

  /** Null on permanent refusal, logged unless `expected`. */
  async function orNull<T>(what: string, expected: string[], call: () => Promise<T>) {
    try {
      return await call();
    } catch (error) {
      const code = refusalIn(error);
      if (code === null) throw error;
      if (!expected.includes(code)) warn(what, error);
      return null;
    }
  }

  async function lookUp(team: string, email: string): Promise<ReachablePerson | null> {
    const client = await clientOf(team);
    const call = {
      team,
      method: 'users.lookupByEmail',
      channel: null,
      action: 'find a person by their address',
    };
    const words = `People in ${team} can't be mentioned by their address.`;
    const answer = await orNull(words, ['users_not_found'], () =>
      ask(call, () => client.users.lookupByEmail({ email })),
    );
    const user = Found.safeParse(answer?.user);
    if (!user.success || user.data.deleted) return null;
    // Without a vouched address, the account is another one.
    const person = describePerson(team, answer?.user, { timezone, vouched });
    return person.account === email ? { user: user.data.id, timezone: person.timezone } : null;
  }

  async function findAccount(team: string, account: string): Promise<ReachablePerson | null> {
    const own = /^slack:([^:]+):([^:]+)$/.exec(account);
    if (own !== null) return own[1] === team ? { user: own[2] ?? '', timezone } : null;
    if (!vouched || !account.includes('@')) return null;
    const key = `${team}:${account}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found = await lookUp(team, account);
    known.set(key, found);
    return found;
  }

  return {
    async find(team, name) {
      for (const account of await namesOf(name)) {
        const found = await findAccount(team, personKey(account));
        if (found !== null) return found;
      }
      return null;
    },

    async openDirect(team, { user }) {
      const key = `${team}:${user}`;
      let channel = directs.get(key);
      if (channel === undefined) {
        const client = await clientOf(team);
        const call = {
          team,
          method: 'conversations.open',
          channel: null,
          action: 'open direct messages',
        };
        const words = `People in ${team} get no direct messages about plans that wait for them.`;
        const answer = await orNull(words, ['user_disabled', 'user_not_found'], () =>
          ask(call, () => client.conversations.open({ users: user })),
        );
        channel = answer?.channel?.id ?? null;
        directs.set(key, channel);
      }
      return channel === null ? null : { platform: 'slack', tenant: team, channel, thread: null };
    },
  };
}
