// How a running plan differs in time from the schedule that was approved.

/** Work that ends later than scheduled. Times are ISO 8601 in UTC. */
export type MovedWork = { node: string; title: string; ends_at: string; moved_to: string };

/** A deadline, a fixed start, or the scheduled time of another person, `who`, that can't be kept. */
export type BrokenPromise = {
  node: string;
  title: string;
  kind: 'deadline' | 'fixed' | 'person';
  who: string | null;
  limit: string;
};

export type Shift = { moved: MovedWork[]; broken: BrokenPromise[] };

/** Reads people's own calendars for a running plan. `failed`: not all could be read. */
export type ReadBusy = (
  plan: { id: string; requester: string; tenant: string | null; timezone: string },
  people: string[],
  window: { from: number; to: number },
) => Promise<{ busy: { person: string; from: number; to: number }[]; failed: boolean }>;
