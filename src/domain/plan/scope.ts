// Which plans a chat user sees where several organisations share one instance: those of their own.
import type { Platform } from '../chat/inbox.ts';
import type { Service } from '../service.ts';

/** The reader, and the workspace, organisation or tenant from which they do. */
export type PlanScope = {
  platform: Platform;
  tenant: string;
  /** The person, or an account of theirs. */
  reader: string;
};

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

/** The plans of a scope. One outside it reads as one that does not exist. */
export type ReadWithin = (scope: PlanScope) => PlanReads;
