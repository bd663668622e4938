// Visibility of plans, runs and conversations between organisations on one instance.
import type { PlatformName } from '../platform-name.ts';

/** An organisation and its reader. */
export type PlanScope = {
  /** `slack:T…`, `teams:GUID`, or a sign-in provider's name. */
  tenant: string;
  /** The person, or one of their accounts. */
  reader: string;
};

/** The organisation of a chat. */
export function chatTenant(platform: PlatformName, tenant: string): string {
  return `${platform}:${tenant}`;
}

/** Content that may belong to others. `words`: the conversation that led to the plan. */
export type ScopedSubject =
  | { plan_id: string; words?: true }
  | { run_id: string }
  | { conversation: string };
