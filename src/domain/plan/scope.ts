// Which plans, runs and conversations people see where several organisations share one instance: those of their own.
import type { Service } from '../service.ts';

/** An organisation, and who of it reads. */
export type PlanScope = {
  /** `slack:T…`, `teams:GUID`, or as a sign-in provider names it. */
  tenant: string;
  /** The person, or an account of theirs. */
  reader: string;
};

/** The organisation of a chat. */
export function chatTenant(platform: 'slack' | 'teams', tenant: string): string {
  return `${platform}:${tenant}`;
}

/** What may be of another organisation. */
export type ScopedSubject = { plan_id: string } | { run_id: string } | { conversation: string };

/** What lists and single plans are read with. */
export type PlanReads = Pick<
  Service,
  | 'listPlans'
  | 'inbox'
  | 'stats'
  | 'getPlan'
  | 'listSteps'
  | 'card'
  | 'exportMarkdown'
  | 'exportLog'
  | 'trace'
>;

/** The service as far as somebody of one organisation reaches it. What is outside reads as what does not exist. */
export type ServeWithin = (scope: PlanScope) => Service;
