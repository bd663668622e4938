// Which tenants of Microsoft the bot talks to, and which of them may say who its people are. Pure.
import type { TeamsAccess } from './access.ts';

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Anybody who knows a bot's id can add it to their own tenant; what comes from there is not even stored. */
export function isServed(access: TeamsAccess, tenant: string): boolean {
  switch (access.kind) {
    case 'Local':
      return true;
    case 'MultiTenant':
      return access.allowed === null || access.allowed.some((one) => isSame(one, tenant));
    case 'SingleTenant':
    case 'UserAssignedMSI':
      return isSame(access.tenantId, tenant);
    default:
      return access satisfies never;
  }
}

/** Whether people of `tenant` are known by their addresses, for which it vouches. */
export function vouches(access: TeamsAccess, tenant: string): boolean {
  switch (access.kind) {
    // A person on this machine can do everything anyway.
    case 'Local':
      return true;
    // Of several tenants, each could claim anybody's address.
    case 'MultiTenant':
      return false;
    case 'SingleTenant':
    case 'UserAssignedMSI':
      return isSame(access.tenantId, tenant);
    default:
      return access satisfies never;
  }
}
