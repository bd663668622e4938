// Visibility between organisations on one instance.
import type { PlatformName } from '../platform-name.ts';

export type PlanScope = {
  /** `slack:T…`, `teams:GUID`, or a provider's name. */
  tenant: string;
  reader: string;
};

export function chatTenant(platform: PlatformName, tenant: string): string {
  return `${platform}:${tenant}`;
}

/** `words`: the conversation behind the plan. */
export type ScopedSubject =
  | { plan_id: string; words?: true }
  | { run_id: string }
  | { conversation: string };
