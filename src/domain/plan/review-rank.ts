// Review order of calls; types only, for the console.
import type { CallDescription } from './call.ts';

/** 4 guarded, 3 destructive, 2 external, 1 changes, 0 reads. */
export type ReviewRank = 0 | 1 | 2 | 3 | 4;

const ranks = { reads: 0, changes: 1, outside: 2 } as const;

export function reviewRank(call: CallDescription, guarded: boolean): ReviewRank {
  if (guarded) return 4;
  return call.destructive ? 3 : ranks[call.class];
}
