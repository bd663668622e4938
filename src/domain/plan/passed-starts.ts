// Steps whose start passed undecided; approval starts them at once.

export type PassedStarts = {
  /** At most the first few. */
  labels: string[];
  more: number;
  /** ISO 8601, UTC. */
  first: string;
  last: string;
  /** The last one that was in the future when proposed. */
  last_since_proposal: string | null;
};

export const labelsShown = 3;
