// Steps whose start has passed while nobody decided: they start at once.

export type PassedStarts = {
  /** Labels of the first of them. */
  labels: string[];
  more: number;
  /** The first and the last of these starts, ISO 8601 in UTC. */
  first: string;
  last: string;
  /** The last that was still to come when it was proposed; null: none was. */
  last_since_proposal: string | null;
};

export const labelsShown = 3;
