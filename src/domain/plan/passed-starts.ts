// Steps whose start passed before the decision; approved, they start immediately.

export type PassedStarts = {
  /** Labels of the first ones. */
  labels: string[];
  more: number;
  /** The first and last of these starts, ISO 8601 in UTC. */
  first: string;
  last: string;
  /** The last one still in the future at the proposal, or null. */
  last_since_proposal: string | null;
};

export const labelsShown = 3;
