// Groups `group:NAME` in rules: configured, from sign-in or chat. Pure.
import { isSamePerson, personKey } from './names.ts';
import { isUserGroup } from './user-groups.ts';

/** `apart`: several organisations share the instance. */
export type Grouping = {
  groups: Record<string, string[]>;
  providers: Record<string, unknown>;
  apart: boolean;
  /** Older sign-ins don't count. */
  freshSince?: () => Date;
};

/** Null if unreadable. */
export type SignedInGroups = {
  provider: string;
  tenant: string | null;
  groups: string[] | null;
  at: Date;
};

export const isStale = (
  { freshSince }: Pick<Grouping, 'freshSince'>,
  { at }: Pick<SignedInGroups, 'at'>,
): boolean => freshSince !== undefined && at < freshSince();

const prefix = 'group:';

export const groupNamed = (name: string): string => prefix + name;

export function groupIn(name: string): string | null {
  return name.startsWith(prefix) ? name.slice(prefix.length) : null;
}

/** `corp:finance`, or `corp:TENANT/finance` on a shared instance. */
const ofProvider = (apart: boolean, { provider, tenant }: SignedInGroups, group: string) =>
  `${provider}:${apart ? `${tenant}/` : ''}${group}`;

/** @param within the provider whose rule it is @returns null if ambiguous between providers */
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

export function providerOfGroup(
  { groups, providers }: Pick<Grouping, 'groups' | 'providers'>,
  group: string,
) {
  const [named = ''] = group.split(':', 1);
  return !Object.hasOwn(groups, group) && !isUserGroup(group) && Object.hasOwn(providers, named)
    ? named
    : null;
}

/** @param age `any` includes outdated groups, which can still block */
export function groupsOf(
  grouping: Grouping,
  { names, signedIn }: { names: string[]; signedIn: SignedInGroups[] },
  age: 'fresh' | 'any' = 'fresh',
): string[] {
  const { groups, providers, apart } = grouping;
  const configured = Object.entries(groups).flatMap(([name, people]) =>
    people.some((one) => names.some((own) => isSamePerson(own, one))) ? [name] : [],
  );
  const ofProviders = signedIn
    .filter(({ provider }) => Object.hasOwn(providers, provider))
    .filter((one) => age === 'any' || !isStale(grouping, one))
    .flatMap((one) => (one.groups ?? []).map((group) => ofProvider(apart, one, group)));
  return [...new Set([...configured, ...ofProviders])];
}

export function shortName(grouping: Pick<Grouping, 'groups' | 'providers'>, group: string): string {
  const bare = group.slice(group.indexOf(':') + 1);
  return resolveGroup(grouping, bare) === group ? bare : group;
}

/** @param personOf resolves linked accounts @returns null if a group's members are unknown here */
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
