// Which organisations share an instance, and what of its configuration each of them reaches.
import { z } from 'zod';

/** Who reaches an entry of the settings once several organisations share the instance: those listed, or all of them. */
export const sharing = {
  /** `slack:T…`, `teams:GUID`, or as a sign-in provider names it. */
  organisations: z.array(z.string().min(1).max(200)).min(1).optional(),
  shared: z.boolean().optional(),
};
export type Sharing = {
  organisations?: readonly string[] | undefined;
  shared?: boolean | undefined;
};

/** What an entry says of it; null: nothing. */
export function sharingOf({ organisations, shared }: Sharing): Sharing | null {
  if (organisations === undefined && shared === undefined) return null;
  return { ...(organisations && { organisations }), ...(shared === undefined ? {} : { shared }) };
}

/** `apart`: several organisations share the instance. `owners`: those that had it for themselves before the others came. */
export type Tenancy = { apart: boolean; owners: readonly string[] };

/** Whether what has no organisation of its own (the shared folder, settings that name nobody) is within reach. */
export function isOwner({ apart, owners }: Tenancy, tenant: string | null): boolean {
  return !apart || tenant === null || owners.includes(tenant);
}

/** Whether an organisation reaches an entry of the settings. @param tenant null: the instance itself */
export function reaches(
  tenancy: Tenancy,
  { organisations, shared = false }: Sharing,
  tenant: string | null,
): boolean {
  if (!tenancy.apart || shared) return true;
  if (organisations === undefined) return isOwner(tenancy, tenant);
  return tenant !== null && organisations.includes(tenant);
}

/** Organisations for which something is kept; that of others is made again. */
const maxKept = 200;

/** Makes something once for each organisation, and again when who shares the instance changes. Alone, all have the same. */
export function perOrganisation<T>(
  readTenancy: () => Tenancy,
  make: (tenant: string | null, tenancy: Tenancy) => T,
): (tenant: string | null) => T {
  const made = new Map<string | null, T>();
  let madeFor = readTenancy();
  return (given) => {
    const tenancy = readTenancy();
    const tenant = tenancy.apart ? given : null;
    const known = tenancy === madeFor ? made.get(tenant) : undefined;
    if (known !== undefined) return known;
    if (tenancy !== madeFor || made.size >= maxKept) made.clear();
    madeFor = tenancy;
    const fresh = make(tenant, tenancy);
    made.set(tenant, fresh);
    return fresh;
  };
}

export const alone: Tenancy = { apart: false, owners: [] };
