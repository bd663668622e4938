// Steps whose start passed undecided; approval starts them at once.

export type PassedStarts = {
  labels: string[];
  more: number;
  /** ISO 8601, UTC. */
  first: string;
  last: string;
  /** In the future when proposed. */
  last_since_proposal: string | null;
};

export const labelsShown = 3;
