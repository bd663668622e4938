// Groups of people, which roles and approver rules name as `group:NAME`. Pure.
import { isSamePerson } from './names.ts';

/** Groups of the configuration by name, and whether several organisations share the instance. */
export type Grouping = { groups: Record<string, string[]>; apart: boolean };

const prefix = 'group:';

/** How rules name a group. */
export const groupNamed = (name: string): string => prefix + name;

/** The group that a name in a rule stands for; null: it is a person's. */
export function groupIn(name: string): string | null {
  return name.startsWith(prefix) ? name.slice(prefix.length) : null;
}

/** How roles name a group of a sign-in provider: where several organisations share the instance, by the organisation too. */
function providerGroup(apart: boolean, tenant: string | null, group: string): string {
  return apart ? `${tenant}/${group}` : group;
}

/** The groups somebody is in. One of the configuration is what it says there, whatever providers call by its name. */
export function groupsOf(
  { groups, apart }: Grouping,
  known: { names: string[]; groups: string[]; tenant: string | null },
): string[] {
  const configured = Object.entries(groups).flatMap(([name, people]) =>
    people.some((one) => known.names.some((own) => isSamePerson(own, one))) ? [name] : [],
  );
  const said = known.groups.map((group) => providerGroup(apart, known.tenant, group));
  return [...configured, ...said.filter((name) => !Object.hasOwn(groups, name))];
}
