// Maps Slack users to accounts.
import { z } from 'zod';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { Clock } from '#domain/clock.ts';
import { personInChat } from '#domain/people/actor.ts';
import { readAddress } from '#domain/people/names.ts';
import { createRecent } from '#domain/recent.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { Ask } from '../calls/hold.ts';
import type { ClientOf } from '../workspaces.ts';

type SlackPerson = {
  /** The linked person, or the account. Not cached, since links can be removed. */
  id: string;
  /** An email address if their workspace vouches for it. */
  account: string;
  name: string;
  timezone: string;
  /** Or from another organisation in a shared channel. */
  guest: boolean;
  /** False for apps and deactivated users. */
  acts: boolean;
};
export type People = {
  find(team: string, user: string): Promise<SlackPerson>;
  /** If Slack's limits allow. @throws CountersignError */
  describe(team: string, user: string): Promise<Pick<SlackPerson, 'account' | 'name'>>;
  /** Null for apps and deactivated users. */
  accountOf(team: string, user: string): Promise<string | null>;
};

const keptForMs = 10 * 60_000;
const maxKept = 5000;

const User = z.object({
  id: z.string(),
  team_id: z.string().optional(),
  /** In an organisation, the same person in all `teams`. */
  enterprise_user: z
    .object({ id: z.string(), enterprise_id: z.string(), teams: z.array(z.string()).default([]) })
    .nullish(),
  name: z.string().catch(''),
  real_name: z.string().nullish().catch(null),
  tz: z.string().nullish().catch(null),
  is_stranger: z.boolean().default(false),
  /** Multi- and single-channel guests. */
  is_restricted: z.boolean().default(false),
  is_ultra_restricted: z.boolean().default(false),
  is_email_confirmed: z.boolean().default(true),
  profile: z
    .object({ display_name: z.string().catch(''), email: z.string().nullish().catch(null) })
    .catch({ display_name: '', email: null }),
});

const Acting = z.object({
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
});

/** @param vouched members are known by email address */
export function describePerson(
  team: string,
  data: unknown,
  { timezone, vouched }: { timezone: string; vouched: boolean },
): Omit<SlackPerson, 'id' | 'acts'> {
  const user = User.parse(data);
  const { id, team_id, name, real_name, tz, profile, is_stranger, is_email_confirmed } = user;
  const known = user.enterprise_user;
  const own = team_id === team && !is_stranger;
  const colleague =
    own || (!is_stranger && [known?.enterprise_id, ...(known?.teams ?? [])].includes(team));
  const address = profile.email == null ? null : readAddress(profile.email);
  const shown = [profile.display_name, real_name ?? '', name].find((text) => text.trim() !== '');
  return {
    account:
      vouched && own && is_email_confirmed && address !== null
        ? address
        : `slack:${known?.enterprise_id ?? team_id ?? team}:${known?.id ?? id}`,
    name: shown ?? id,
    timezone: tz ?? timezone,
    guest: !colleague || user.is_restricted || user.is_ultra_restricted,
  };
}

export function createPeople(options: {
  clientOf: ClientOf;
  ask: Ask;
  clock: Clock;
  timezone: string;
  vouched: boolean;
  personOf(account: string): Promise<string>;
  noteName(account: string, name: string): Promise<void>;
}): People {
  const { clientOf, ask, clock, timezone, vouched, personOf, noteName } = options;
  type Found = { found: Omit<SlackPerson, 'id' | 'acts'>; acts: boolean };
  const known = createRecent<Found>({ keep: maxKept, forMs: keptForMs, clock });

  const action = 'look up a person';
  const atOnce: Ask = async (_, call) =>
    call().catch((error: unknown) => {
      throw explainSlackError(error, action);
    });

  async function lookUp(team: string, user: string, within: Ask = atOnce): Promise<Found> {
    const key = `${team}:${user}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const client = await clientOf(team);
    // Identity must not depend on availability, so the event is retried.
    const call = { team, method: 'users.info', channel: null, action };
    const answer = await within(call, () => client.users.info({ user }));
    const found = describePerson(team, answer.user, { timezone, vouched });
    await noteName(found.account, found.name);
    const { deleted, is_bot } = Acting.parse(answer.user);
    const acts = !deleted && !is_bot;
    known.set(key, { found, acts });
    return { found, acts };
  }

  return {
    async find(team, user) {
      const { found, acts } = await lookUp(team, user);
      return { ...found, acts, id: await personOf(found.account) };
    },

    async describe(team, user) {
      return (await lookUp(team, user, ask)).found;
    },

    async accountOf(team, user) {
      const { found, acts } = await lookUp(team, user);
      return acts ? found.account : null;
    },
  };
}

export function speakerAt({ thread }: ChatPlace, who: SlackPerson) {
  return { actor: personInChat(who, 'slack'), direct: thread === null ? who.timezone : null };
}
