// Organisations that share an instance.
import { z } from 'zod';

/** On a shared instance: for the listed organisations, or all. */
export const sharing = {
  /** `slack:T…`, `teams:GUID`, or a provider's name. */
  organisations: z.array(z.string().min(1).max(200)).min(1).optional(),
  shared: z.boolean().optional(),
};
export type Sharing = {
  organisations?: readonly string[] | undefined;
  shared?: boolean | undefined;
};

export function sharingOf({ organisations, shared }: Sharing): Sharing | null {
  if (organisations === undefined && shared === undefined) return null;
  return { ...(organisations && { organisations }), ...(shared === undefined ? {} : { shared }) };
}

/** `owners`: those that used the instance alone before. */
export type Tenancy = { apart: boolean; owners: readonly string[] };

/** May use the workspace folder and entries without `organisations`. */
export function isOwner({ apart, owners }: Tenancy, tenant: string | null): boolean {
  return !apart || tenant === null || owners.includes(tenant);
}

/** @param tenant null for the instance itself */
export function reaches(
  tenancy: Tenancy,
  { organisations, shared = false }: Sharing,
  tenant: string | null,
): boolean {
  if (!tenancy.apart || shared) return true;
  if (organisations === undefined) return isOwner(tenancy, tenant);
  return tenant !== null && organisations.includes(tenant);
}

const maxKept = 200;

/** Again when the tenancy changes. A single organisation shares one. */
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
