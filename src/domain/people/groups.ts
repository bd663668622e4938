// Groups of people, which roles and approver rules name as `group:NAME`: of the configuration, of a sign-in provider, of a chat. Pure.
import { isSamePerson, personKey } from './names.ts';
import { isUserGroup } from './user-groups.ts';

/** Groups of the configuration and sign-in providers, by name; `apart`: several organisations share the instance. */
export type Grouping = {
  groups: Record<string, string[]>;
  providers: Record<string, unknown>;
  apart: boolean;
  /** Groups of earlier sign-ins are too old to count; left out: they do not age. */
  freshSince?: () => Date;
};

/** Groups that the sign-in at `at` reported; null: unreadable. */
export type SignedInGroups = {
  provider: string;
  tenant: string | null;
  groups: string[] | null;
  at: Date;
};

/** Whether the groups of a sign-in are too old to count. */
export const isStale = (
  { freshSince }: Pick<Grouping, 'freshSince'>,
  { at }: Pick<SignedInGroups, 'at'>,
): boolean => freshSince !== undefined && at < freshSince();

const prefix = 'group:';

/** How rules name a group. */
export const groupNamed = (name: string): string => prefix + name;

/** The group that a name in a rule stands for; null: it is a person's. */
export function groupIn(name: string): string | null {
  return name.startsWith(prefix) ? name.slice(prefix.length) : null;
}

/** The unique name of a provider's group: `corp:finance`, or `corp:TENANT/finance` where organisations share the instance. */
const ofProvider = (apart: boolean, { provider, tenant }: SignedInGroups, group: string) =>
  `${provider}:${apart ? `${tenant}/` : ''}${group}`;

/**
 * The one group that a name in a rule means: of the configuration, of a chat, else of a provider, by its full name.
 * @param within the provider whose rule it is
 * @returns null: it does not say which of several providers
 */
export function resolveGroup(
  { groups, providers }: Pick<Grouping, 'groups' | 'providers'>,
  name: string,
  within?: string,
): string | null {
  if (Object.hasOwn(groups, name) || isUserGroup(name)) return name;
  const [named = ''] = name.split(':', 1);
  if (name.includes(':') && Object.hasOwn(providers, named)) return name;
  const names = Object.keys(providers);
  const only = within ?? (names.length === 1 ? names[0] : undefined);
  return only === undefined ? null : `${only}:${name}`;
}

/** The provider of a group that `resolveGroup` found; null: it is of none. */
export function providerOfGroup(
  { groups, providers }: Pick<Grouping, 'groups' | 'providers'>,
  group: string,
) {
  const [named = ''] = group.split(':', 1);
  return !Object.hasOwn(groups, group) && !isUserGroup(group) && Object.hasOwn(providers, named)
    ? named
    : null;
}

/**
 * A person's configured and reported groups, as `resolveGroup` names them.
 * @param age `any`: also groups that are too old to count, which can still block
 */
export function groupsOf(
  grouping: Grouping,
  { names, said }: { names: string[]; said: SignedInGroups[] },
  age: 'fresh' | 'any' = 'fresh',
): string[] {
  const { groups, providers, apart } = grouping;
  const configured = Object.entries(groups).flatMap(([name, people]) =>
    people.some((one) => names.some((own) => isSamePerson(own, one))) ? [name] : [],
  );
  const ofProviders = said
    .filter(({ provider }) => Object.hasOwn(providers, provider))
    .filter((one) => age === 'any' || !isStale(grouping, one))
    .flatMap((one) => (one.groups ?? []).map((group) => ofProvider(apart, one, group)));
  return [...new Set([...configured, ...ofProviders])];
}

/** The shortest name that means just this group in a rule. */
export function shortName(grouping: Pick<Grouping, 'groups' | 'providers'>, group: string): string {
  const bare = group.slice(group.indexOf(':') + 1);
  return resolveGroup(grouping, bare) === group ? bare : group;
}

/**
 * How many different people names in a rule stand for.
 * @param personOf the person behind a name, where accounts are linked
 * @returns null: one is a group whose members are known elsewhere
 */
export function countPeople(
  { groups }: Pick<Grouping, 'groups'>,
  names: string[],
  personOf: (name: string) => string = (name) => name,
): number | null {
  const people = names.flatMap((name) => {
    const group = groupIn(name);
    if (group === null) return [name];
    return Object.hasOwn(groups, group) ? (groups[group] ?? []) : [null];
  });
  if (people.includes(null)) return null;
  return new Set(people.map((name) => personKey(personOf(name ?? '')))).size;
}
