// Which plans, runs and conversations people see where several organisations share one instance: those of their own.
import type { PlatformName } from '../platform-name.ts';

/** An organisation, and who of it reads. */
export type PlanScope = {
  /** `slack:T…`, `teams:GUID`, or as a sign-in provider names it. */
  tenant: string;
  /** The person, or an account of theirs. */
  reader: string;
};

/** The organisation of a chat. */
export function chatTenant(platform: PlatformName, tenant: string): string {
  return `${platform}:${tenant}`;
}

/** Content that may belong to another organisation or other people. `words`: the conversation that led to the plan. */
export type ScopedSubject =
  | { plan_id: string; words?: true }
  | { run_id: string }
  | { conversation: string };
