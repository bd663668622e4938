// User groups and members. https://docs.slack.dev/reference/methods/usergroups.list
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { UserGroup, UserGroupReader } from '#domain/people/user-groups.ts';
import type { Ask } from '../calls/hold.ts';
import type { ClientOf, Tokens } from '../workspaces.ts';
import type { People } from './people.ts';

/** `date_delete`: when disabled, or 0. */
const Listed = z.array(
  z.object({
    id: z.string(),
    handle: z.string().default(''),
    date_delete: z.number().nullish(),
    user_count: z.coerce.number().default(0),
  }),
);

/** Concurrent lookups. */
const askedAtOnce = 8;

export function createUserGroupReader({
  tokens,
  clientOf,
  ask,
  people,
}: {
  tokens: Pick<Tokens, 'only'>;
  clientOf: ClientOf;
  ask: Ask;
  people: Pick<People, 'accountOf'>;
}): UserGroupReader {
  return {
    async list(given) {
      const team = given ?? (await tokens.only());
      if (team === null)
        throw new CountersignError(
          'not_allowed',
          'Several Slack workspaces are connected: name a user group by its id, as group:slack:T0123ABCD:S0456.',
        );
      if (team.startsWith('E'))
        throw new CountersignError(
          'not_allowed',
          'User groups are not read where the Slack app is installed for a whole organisation.',
        );
      const client = await clientOf(team);
      const call = { team, method: 'usergroups.list', channel: null, action: 'list user groups' };
      const { usergroups } = await ask(call, () =>
        client.usergroups.list({ include_disabled: true, include_count: true }),
      );
      return Listed.parse(usergroups ?? []).map(
        ({ id, handle, date_delete, user_count }): UserGroup => ({
          team,
          id,
          handle,
          active: (date_delete ?? 0) === 0,
          size: user_count,
        }),
      );
    },

    async accountsIn({ team, id }) {
      const client = await clientOf(team);
      const method = 'usergroups.users.list';
      const call = { team, method, channel: null, action: 'say who is in a user group' };
      let users: string[];
      try {
        const answer = await ask(call, () => client.usergroups.users.list({ usergroup: id }));
        users = [...(answer.users ?? [])];
      } catch (error) {
        const gone = error instanceof CountersignError && error.details.slack === 'no_such_subteam';
        if (gone) return null;
        throw error;
      }
      const accounts: string[] = [];
      while (users.length > 0) {
        const some = users.splice(0, askedAtOnce).map((user) => people.accountOf(team, user));
        accounts.push(...(await Promise.all(some)).filter((account) => account !== null));
      }
      return accounts;
    },
  };
}
