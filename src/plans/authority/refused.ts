// Refuses blocked people on every surface.
import type { Queryable } from '#db/database.ts';
import { readNamesOf, readPerson } from '#db/people/identities.ts';
import { readSignedIn, type SignedIn } from '#db/people/sign-ins.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Grouping, groupsOf } from '#domain/people/groups.ts';
import {
  findRefusal,
  type IdentitySettings,
  type PersonGroups,
  type Refusal,
  resolveProviders,
  roleOf,
} from '#domain/people/identity.ts';
import { isSamePerson } from '#domain/people/names.ts';
import { hasRole } from '#domain/people/principal.ts';
import { noGroups } from './members.ts';

export type Deciding = Pick<IdentitySettings, 'blocked'> &
  Partial<Pick<IdentitySettings, 'providers'>>;

export type Blocking = {
  identity?: Deciding | undefined;
  grouping?: Grouping | undefined;
};

/** Groups of any age count, since they only take rights away. */
async function readKnown(
  db: Queryable,
  grouping: Grouping,
  persons: string[],
): Promise<Map<string, { known: PersonGroups; signedIn: SignedIn[] }>> {
  const named = await readNamesOf(db, [...new Set(persons)]);
  const signedIn = await readSignedIn(
    db,
    named.map(({ name }) => name),
  );
  return new Map(
    [...Map.groupBy(named, ({ person }) => person)].map(([person, all]) => {
      const own = all.map(({ name }) => name);
      const isTheirs = (name: string | null) =>
        name !== null && own.some((one) => isSamePerson(one, name));
      const matching = signedIn.filter(
        ({ account, email }) => isTheirs(account) || isTheirs(email),
      );
      const names = [
        ...own,
        ...matching.flatMap(({ account, email }) => [account, ...(email === null ? [] : [email])]),
      ];
      const known = {
        names,
        groups: groupsOf(grouping, { names, signedIn: matching }, 'any'),
        unread: matching.filter(({ groups }) => groups === null).map(({ provider }) => provider),
      };
      return [person, { known, signedIn: matching }] as const;
    }),
  );
}

export async function readRefusals(
  db: Queryable,
  { identity, grouping = noGroups }: Blocking,
  persons: string[],
): Promise<Map<string, Refusal>> {
  if (identity === undefined || identity.blocked.length === 0 || persons.length === 0)
    return new Map();
  const all = await readKnown(db, grouping, persons);
  return new Map(
    [...all].flatMap(([person, { known }]) => {
      const refusal = findRefusal(identity, grouping, known);
      return refusal === null ? [] : [[person, refusal] as const];
    }),
  );
}

/** They have sign-ins, none of which makes them an approver. */
export async function readLostRoles(
  db: Queryable,
  { identity, grouping = noGroups }: Blocking,
  persons: string[],
): Promise<Set<string>> {
  if (identity?.providers === undefined || persons.length === 0) return new Set();
  const providers = resolveProviders({ providers: identity.providers });
  const isApprover = (known: PersonGroups, profile: SignedIn) => {
    const provider = providers.find(({ name }) => name === profile.provider);
    const role = provider === undefined ? null : roleOf(grouping, provider, profile, known);
    return role !== null && hasRole(role, 'approver');
  };
  const all = await readKnown(db, grouping, persons);
  return new Set(
    [...all].flatMap(([person, { known, signedIn }]) =>
      signedIn.length === 0 || signedIn.some((profile) => isApprover(known, profile))
        ? []
        : [person],
    ),
  );
}

export async function isRefused(
  db: Queryable,
  blocking: Blocking,
  account: string,
): Promise<boolean> {
  const person = await readPerson(db, account);
  return (await readRefusals(db, blocking, [person])).has(person);
}

const refusalWords: Record<Refusal, string> = {
  blocked: 'You are blocked here. Ask an administrator.',
  groups_unread:
    'A group is blocked here, and your last sign-in did not include your groups. Ask an administrator.',
};

/** @throws `forbidden` if the person is refused */
export async function letIn(db: Queryable, blocking: Blocking, account: string): Promise<string> {
  const person = await readPerson(db, account);
  const refusal = (await readRefusals(db, blocking, [person])).get(person);
  if (refusal === undefined) return person;
  throw new CountersignError('forbidden', refusalWords[refusal]);
}
