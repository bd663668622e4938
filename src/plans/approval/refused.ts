// Refuses people whom `identity.blocked` names by account, address or group, on every surface.
import type { Queryable } from '#db/database.ts';
import { readNamesOf, readPerson } from '#db/identities.ts';
import { readSignedIn } from '#db/sign-ins.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Grouping, groupsOf } from '#domain/people/groups.ts';
import { findRefusal, type IdentitySettings, type Refusal } from '#domain/people/identity.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { noGroups } from './members.ts';

export type Blocking = {
  identity?: Pick<IdentitySettings, 'blocked'> | undefined;
  grouping?: Grouping | undefined;
};

/** Why each of these persons is refused; those who are not are left out. */
export async function readRefusals(
  db: Queryable,
  { identity, grouping = noGroups }: Blocking,
  persons: string[],
): Promise<Map<string, Refusal>> {
  if (identity === undefined || identity.blocked.length === 0 || persons.length === 0)
    return new Map();
  const named = await readNamesOf(db, [...new Set(persons)]);
  const signedIn = await readSignedIn(
    db,
    named.map(({ name }) => name),
  );
  return new Map(
    [...Map.groupBy(named, ({ person }) => person)].flatMap(([person, all]) => {
      const own = all.map(({ name }) => name);
      const isTheirs = (name: string | null) =>
        name !== null && own.some((one) => isSamePerson(one, name));
      const said = signedIn.filter(({ account, email }) => isTheirs(account) || isTheirs(email));
      const names = [
        ...own,
        ...said.flatMap(({ account, email }) => [account, ...(email === null ? [] : [email])]),
      ];
      const refusal = findRefusal(identity, grouping, {
        names,
        groups: groupsOf(grouping, { names, said }),
        unread: said.filter(({ groups }) => groups === null).map(({ provider }) => provider),
      });
      return refusal === null ? [] : [[person, refusal] as const];
    }),
  );
}

const refusalWords: Record<Refusal, string> = {
  blocked: 'You are blocked here. Ask an administrator.',
  groups_unread:
    'A group is blocked here, and your last sign-in did not include your groups. Ask an administrator.',
};

/**
 * The person behind an account, on every surface.
 * @throws `forbidden` where they are refused
 */
export async function letIn(db: Queryable, blocking: Blocking, account: string): Promise<string> {
  const person = await readPerson(db, account);
  const refusal = (await readRefusals(db, blocking, [person])).get(person);
  if (refusal === undefined) return person;
  throw new CountersignError('forbidden', refusalWords[refusal]);
}
