// Steps whose start passed before the decision: once approved, they start immediately.

export type PassedStarts = {
  /** Labels of the first of them. */
  labels: string[];
  more: number;
  /** The first and the last of these starts, ISO 8601 in UTC. */
  first: string;
  last: string;
  /** The last one that was in the future at the proposal; null: none. */
  last_since_proposal: string | null;
};

export const labelsShown = 3;
